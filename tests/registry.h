// SPDX-License-Identifier: GPL-3.0-or-later
// Many test classes in one program: each file registers its class, and main() runs the one that the first argument
// names by its file ("test_search"), with the other arguments handed to Qt Test, or all of them.
#pragma once

#include <QObject>

#include <memory>
#include <string>

namespace stratoplan::tests {

using MakeTest = std::unique_ptr<QObject> (*)();

/// `file`: of the class, by whose name it is run. Always true, so that a constant can hold it.
bool registerTest(const std::string& file, MakeTest make);

/// Runs what the arguments name. The exit status: how many test functions failed.
int runRegistered(int argc, char** argv);

} // namespace stratoplan::tests

/// At the end of a file, before its .moc is included.
#define STRATOPLAN_TEST(Class)                                                                                         \
    static const bool isRegistered##Class = stratoplan::tests::registerTest(                                           \
        __FILE__, []() -> std::unique_ptr<QObject> { return std::make_unique<Class>(); });
