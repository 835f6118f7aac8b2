// SPDX-License-Identifier: GPL-3.0-or-later
// The few inputs that an audience asks about, below the slide: nodes, TP, PP, micro-batch, tokens, price, first day.
#pragma once

#include "app/session/strategy_zones.h"
#include "core/plan/plan.h"

#include <QWidget>

#include <map>

class QHBoxLayout;
class QLabel;

namespace stratoplan::widgets {
class DayField;
class EntryField;
class LegalSlider;
class UnitField;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class LiveStrip : public QWidget {
    Q_OBJECT

public:
    explicit LiveStrip(QWidget* parent = nullptr);

    void setInputs(const plan::Plan& plan, const plan::CapacityInputs& capacity);
    /// Of the plan as it stands.
    void setZones(const session::StrategyZones& zones);
    /// Pixels of a hundredth of the screen's height.
    void setUnit(double unit);

    [[nodiscard]] widgets::LegalSlider& nodes() const { return *m_nodes.slider; }
    [[nodiscard]] widgets::LegalSlider& slider(plan::Dimension id) const { return *m_sliders.at(id).slider; }
    [[nodiscard]] widgets::UnitField& tokens() const { return *m_tokens; }
    [[nodiscard]] widgets::UnitField& price() const { return *m_price; }
    [[nodiscard]] widgets::DayField& start() const { return *m_start; }

Q_SIGNALS:
    /// `mergeId`: as of session::ProjectDocument::edit().
    void planEdited(const plan::Plan& plan, const QString& text, int mergeId);
    void capacityEdited(const plan::CapacityInputs& inputs, const QString& text);

private:
    struct Slider {
        QLabel* label = nullptr;
        widgets::LegalSlider* slider = nullptr;
    };
    Slider addSlider(const QString& name);
    QLabel* addField(const QString& label, const QString& name, widgets::EntryField& field);
    void connectFields();
    void setDimension(plan::Dimension id, int value, bool held);
    void setNodes(int count, bool held);
    void showNodes();
    void showDimensions();

    QHBoxLayout* m_row;
    std::vector<QLabel*> m_labels;
    std::vector<widgets::EntryField*> m_fields;
    Slider m_nodes;
    std::map<plan::Dimension, Slider> m_sliders;
    widgets::UnitField* m_tokens;
    widgets::UnitField* m_price;
    widgets::DayField* m_start;
    plan::Plan m_plan;
    plan::CapacityInputs m_capacity;
    bool m_hasPlan = false;
    int m_mergeId = 1'000'000; ///< beside those of the form
};

} // namespace stratoplan::gui
