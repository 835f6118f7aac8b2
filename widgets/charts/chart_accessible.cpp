// SPDX-License-Identifier: GPL-3.0-or-later
// A chart for assistive technology: its value is what the keyboard points at, and it says where its picture is not of
// the plan as it stands.
#include "widgets/charts/chart_view.h"

#include <QAccessible>
#include <QAccessibleWidget>

namespace stratoplan::widgets {

namespace {

class ChartAccessible final : public QAccessibleWidget {
public:
    explicit ChartAccessible(ChartView* chart)
        : QAccessibleWidget(chart, QAccessible::Chart)
    {
    }

    QString text(QAccessible::Text which) const override
    {
        const auto& chart = static_cast<const ChartView&>(*object());
        if (which == QAccessible::Value)
            return chart.pointedText();
        const QString text = QAccessibleWidget::text(which);
        if (which != QAccessible::Description)
            return text;
        if (chart.isEmpty())
            return chart.emptyText();
        return chart.staleNotice().isEmpty() ? text : ChartView::tr("%1: %2").arg(chart.staleNotice(), text);
    }
};

QAccessibleInterface* makeInterface(const QString&, QObject* object)
{
    auto* chart = qobject_cast<ChartView*>(object);
    return chart ? new ChartAccessible(chart) : nullptr;
}

} // namespace

void installChartAccessibility()
{
    static const bool installed = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    Q_UNUSED(installed)
}

} // namespace stratoplan::widgets
