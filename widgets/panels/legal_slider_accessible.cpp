// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/legal_slider.h"

#include <QAccessible>
#include <QAccessibleWidget>

namespace stratoplan::widgets {

namespace {

class LegalSliderAccessible final : public QAccessibleWidget, public QAccessibleValueInterface {
public:
    explicit LegalSliderAccessible(LegalSlider* slider)
        : QAccessibleWidget(slider, QAccessible::Slider)
    {
    }

    void* interface_cast(QAccessible::InterfaceType type) override
    {
        if (type == QAccessible::ValueInterface)
            return static_cast<QAccessibleValueInterface*>(this);
        return QAccessibleWidget::interface_cast(type);
    }

    QString text(QAccessible::Text which) const override
    {
        if (which == QAccessible::Value)
            return slider()->explain(slider()->value());
        return QAccessibleWidget::text(which);
    }

    QVariant currentValue() const override { return slider()->value(); }
    void setCurrentValue(const QVariant& value) override { slider()->choose(value.toInt()); }
    QVariant minimumValue() const override
    {
        return slider()->stops().empty() ? slider()->value() : slider()->stops().front().value;
    }
    QVariant maximumValue() const override
    {
        return slider()->stops().empty() ? slider()->value() : slider()->stops().back().value;
    }
    QVariant minimumStepSize() const override { return 1; }

private:
    LegalSlider* slider() const { return static_cast<LegalSlider*>(object()); }
};

QAccessibleInterface* makeInterface(const QString&, QObject* object)
{
    auto* slider = qobject_cast<LegalSlider*>(object);
    return slider ? new LegalSliderAccessible(slider) : nullptr;
}

} // namespace

void installLegalSliderAccessibility()
{
    static const bool installed = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    Q_UNUSED(installed)
}

} // namespace stratoplan::widgets
