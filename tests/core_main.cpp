// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that need no window.
#include "tests/registry.h"

#include <QCoreApplication>

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    return stratoplan::tests::runRegistered(argc, argv);
}
