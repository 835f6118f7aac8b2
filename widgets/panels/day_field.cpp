// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/day_field.h"

#include <QDate>

namespace stratoplan::widgets {

namespace {

constexpr auto kDayFormat = "yyyy-MM-dd";

} // namespace

DayField::DayField(QWidget* parent)
    : EntryField(parent)
{
    refresh(true);
}

void DayField::setDay(const QString& day)
{
    m_day = day;
    refresh(false);
}

QString DayField::shownText() const
{
    return m_day.isEmpty() ? tr("not given") : m_day;
}

QString DayField::take(const QString& text)
{
    const QString typed = text.trimmed();
    const bool isNone = typed.isEmpty() || typed == tr("not given");
    if (!isNone && !QDate::fromString(typed, QLatin1String(kDayFormat)).isValid())
        return tr("Give a day, as 2026-12-01.");
    const QString day = isNone ? QString() : typed;
    if (day != m_day) {
        m_day = day;
        Q_EMIT dayChanged(m_day);
    }
    return {};
}

void DayField::step(int steps, Step size)
{
    const QDate from = m_day.isEmpty() ? QDate::currentDate() : QDate::fromString(m_day, QLatin1String(kDayFormat));
    const QDate to = size == Step::Coarse ? from.addMonths(steps) : from.addDays(steps);
    m_day = to.toString(QLatin1String(kDayFormat));
    refresh(true);
    Q_EMIT dayChanged(m_day);
}

} // namespace stratoplan::widgets
