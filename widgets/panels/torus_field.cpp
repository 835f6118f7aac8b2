// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/torus_field.h"

#include "core/cluster/torus.h"
#include "widgets/presentation/numbers.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace stratoplan::widgets {

namespace {
constexpr long long kMostOfDomain = 1'000'000; ///< accelerators, as the field of the domain has it
}

QString axesText(const std::vector<int>& axes)
{
    return QString::fromStdString(cluster::axesText(axes));
}

TorusField::TorusField(QWidget* parent)
    : EntryField(parent)
{
    setPlaceholderText(tr("switched"));
    refresh(true);
}

void TorusField::setAxes(const std::vector<int>& axes)
{
    const bool changed = axes != m_axes;
    m_axes = axes;
    refresh(changed && !(hasFocus() && isModified()));
}

QString TorusField::shownText() const
{
    return axesText(m_axes);
}

QString TorusField::take(const QString& text)
{
    static const QRegularExpression between(QStringLiteral("\\s*[x×*]\\s*"), QRegularExpression::CaseInsensitiveOption);
    const QString typed = text.trimmed();
    if (typed.isEmpty()) {
        change({});
        return {};
    }
    cluster::Torus torus;
    for (const QString& size : typed.split(between)) {
        bool isNumber = false;
        torus.axes.push_back(size.toInt(&isNumber));
        if (!isNumber)
            return tr("“%1” is no shape of a torus. Try 4x4x4, or nothing for a switched domain.").arg(typed);
    }
    if (torus.axes.size() > cluster::kMostTorusAxes)
        return tr("A torus has up to %1 axes.").arg(cluster::kMostTorusAxes);
    if (!isValid(torus))
        return tr("Give each axis from 1 to %1 accelerators.").arg(groupedNumber(cluster::kLongestTorusAxis));
    if (sizeOf(torus) > kMostOfDomain)
        return tr("That is %1 accelerators: use up to %2.")
            .arg(groupedNumber(sizeOf(torus)), groupedNumber(kMostOfDomain));
    change(torus.axes);
    return {};
}

void TorusField::step(int steps, Step)
{
    cluster::Torus torus{m_axes};
    for (; steps > 0 && !torus.axes.empty(); --steps)
        *std::ranges::min_element(torus.axes) *= 2;
    for (; steps < 0 && !torus.axes.empty(); ++steps)
        if (int& longest = *std::ranges::max_element(torus.axes); longest % 2 == 0)
            longest /= 2;
    if (isValid(torus) && sizeOf(torus) <= kMostOfDomain)
        change(torus.axes);
}

void TorusField::change(const std::vector<int>& axes)
{
    if (axes == m_axes)
        return;
    m_axes = axes;
    Q_EMIT axesChanged(axes);
}

} // namespace stratoplan::widgets
