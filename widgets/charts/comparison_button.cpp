// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/comparison_button.h"

#include "widgets/style/icons.h"

#include <QActionGroup>
#include <QMenu>

namespace stratoplan::widgets {

ComparisonButton::ComparisonButton(QWidget* parent)
    : QToolButton(parent)
{
    setAutoRaise(true);
    setIcon(widgets::icon(QStringLiteral("compare")));
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setPopupMode(QToolButton::InstantPopup);
    setMenu(new QMenu(this));
    setToolTip(tr("Show another schedule, or a pinned plan, on the same axis"));
    refill();
}

void ComparisonButton::setChoices(const QStringList& names, int chosen)
{
    if (names == m_choices && chosen == m_choice)
        return; // its menu may be open
    m_choices = names;
    m_choice = chosen;
    refill();
}

void ComparisonButton::setFile(const QString& name)
{
    if (name == m_file)
        return;
    m_file = name;
    refill();
}

void ComparisonButton::refill()
{
    const bool ofFile = !m_file.isEmpty();
    const bool any = !ofFile && m_choice >= 0 && m_choice < m_choices.size();
    setVisible(!m_choices.isEmpty() || ofFile);
    setText(ofFile ? tr("Compared: file") : any ? tr("Compared: %1").arg(m_choices[m_choice]) : tr("Compare with"));
    setAccessibleName(text());
    menu()->clear();
    delete menu()->findChild<QActionGroup*>();
    auto* group = new QActionGroup(menu());
    const auto add = [&](const QString& shown, bool checked) {
        QAction* action = menu()->addAction(shown);
        action->setCheckable(true);
        group->addAction(action);
        action->setChecked(checked);
        return action;
    };
    const auto addChoice = [&](const QString& shown, int choice) {
        connect(add(shown, !ofFile && choice == m_choice), &QAction::triggered, this,
            [this, choice] { Q_EMIT comparisonWanted(choice); });
    };
    addChoice(tr("Nothing"), -1);
    menu()->addSeparator();
    for (int i = 0; i < m_choices.size(); ++i)
        addChoice(m_choices[i], i);
    menu()->addSeparator();
    if (ofFile)
        add(tr("File %1").arg(QString(m_file).replace(u'&', QStringLiteral("&&"))), true);
    connect(menu()->addAction(ofFile ? tr("Another schedule file…") : tr("Schedule from a file…")), &QAction::triggered,
        this, &ComparisonButton::scheduleFileWanted);
}

} // namespace stratoplan::widgets
