// SPDX-License-Identifier: GPL-3.0-or-later
// What the schedule shown is compared with: a button that names it and a menu of what it may be.
#pragma once

#include <QStringList>
#include <QToolButton>

namespace stratoplan::widgets {

class ComparisonButton : public QToolButton {
    Q_OBJECT
public:
    explicit ComparisonButton(QWidget* parent = nullptr);

    /// Without any there is no button, unless there is a file; -1: none is chosen.
    void setChoices(const QStringList& names, int chosen);
    /// The file that a schedule is read from; "": none.
    void setFile(const QString& name);

Q_SIGNALS:
    /// One of the choices, or -1: nothing.
    void comparisonWanted(int choice);
    void scheduleFileWanted();

private:
    void refill();

    QStringList m_choices;
    int m_choice = -1;
    QString m_file;
};

} // namespace stratoplan::widgets
