// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/count_field.h"

#include "core/units/parse.h"
#include "widgets/presentation/numbers.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::widgets {

QString withoutGroupMarks(QString text)
{
    for (const QChar space : {QChar(0x00A0), QChar(0x202F), QChar(u'\'')})
        text.remove(space);
    return text;
}

CountField::CountField(QWidget* parent)
    : EntryField(parent)
{
    refresh(true);
}

void CountField::setValue(int value)
{
    const bool changed = value != m_value;
    m_value = value;
    refresh(changed && !(hasFocus() && isModified()));
}

void CountField::setRange(int minimum, int maximum)
{
    m_minimum = minimum;
    m_maximum = maximum;
}

void CountField::setStep(int normal, int fine)
{
    m_step = normal;
    m_fineStep = fine;
}

QString CountField::shownText() const
{
    return groupedNumber(m_value);
}

QString CountField::take(const QString& text)
{
    const Parsed<double> parsed = parseNumber(withoutGroupMarks(text).toStdString(), m_value);
    if (!parsed || !std::isfinite(*parsed))
        return tr("“%1” is not a number. Try 4,096, 3*512 or x*2.").arg(text.trimmed());
    const double rounded = std::round(*parsed);
    if (std::abs(*parsed - rounded) > 1e-6)
        return tr("%1 is not a whole number.").arg(QString::number(*parsed, 'g', 12));
    if (rounded < m_minimum || rounded > m_maximum)
        return tr("Give a number from %1 to %2.").arg(groupedNumber(m_minimum), groupedNumber(m_maximum));
    change(static_cast<int>(rounded));
    return {};
}

void CountField::step(int steps, Step size)
{
    double next = m_value;
    if (size == Step::Coarse) {
        next = steps > 0 ? m_value * std::exp2(steps) : std::floor(m_value * std::exp2(steps));
    } else {
        const int unit = size == Step::Fine ? m_fineStep : m_step;
        // Onto the grid of the step: from 100 up by 64 is 128.
        const double cell = steps > 0 ? std::floor(double(m_value) / unit) : std::ceil(double(m_value) / unit);
        next = (cell + steps) * unit;
    }
    change(static_cast<int>(std::clamp(next, double(m_minimum), double(m_maximum))));
}

void CountField::change(int value)
{
    if (value == m_value)
        return;
    m_value = value;
    Q_EMIT valueChanged(value);
}

} // namespace stratoplan::widgets
