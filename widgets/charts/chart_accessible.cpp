// SPDX-License-Identifier: GPL-3.0-or-later
// A chart for assistive technology: its value is what the keyboard points at.
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
        return which == QAccessible::Value ? static_cast<ChartView*>(object())->pointedText()
                                           : QAccessibleWidget::text(which);
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
