// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of the inputs, found by what they edit and driven as a person drives them.
#pragma once

#include "widgets/panels/entry_field.h"
#include "widgets/panels/inputs_panel.h"

#include <QSignalSpy>
#include <QTest>

namespace stratoplan::test {

inline plan::Plan planOf(const QSignalSpy& spy, int call)
{
    return spy.at(call).at(0).value<plan::Plan>();
}

template <class Widget>
Widget* field(widgets::InputsPanel& panel, const char* pointer)
{
    return panel.findChild<Widget*>(QString::fromLatin1(pointer));
}

inline void type(widgets::EntryField& entry, const QString& text)
{
    entry.setFocus();
    entry.selectAll();
    QTest::keyClicks(&entry, text);
    QTest::keyClick(&entry, Qt::Key_Return);
}

} // namespace stratoplan::test
