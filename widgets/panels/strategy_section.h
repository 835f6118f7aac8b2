// SPDX-License-Identifier: GPL-3.0-or-later
// How the step is divided: a slider for every degree, choices for the rest.
#pragma once

#include "widgets/panels/inputs_section.h"
#include "widgets/presentation/dimension_words.h"
#include "widgets/presentation/slider_stop.h"

#include <map>
#include <set>
#include <vector>

namespace stratoplan::widgets {

class ElidedLabel;
class LegalSlider;
class LockButton;

class StrategySection : public InputsSection {
    Q_OBJECT

public:
    explicit StrategySection(const catalog::Catalog& catalog, QWidget* parent = nullptr);

    /// Judges the values the slider offers (core/plan/dimensions.h: offeredValues), matched by value. Verdicts on
    /// other values are ignored: they answer an older plan.
    void setZones(plan::Dimension field, const std::vector<SliderStop>& zones);
    [[nodiscard]] LegalSlider* slider(plan::Dimension field) const;
    /// Shuts the padlocks of these dimensions, opens the others, without a signal.
    void setLocks(const std::set<plan::Dimension>& locks);
    [[nodiscard]] LockButton* lock(plan::Dimension dimension) const;

Q_SIGNALS:
    /// A padlock was shut or opened.
    void lockEdited(plan::Dimension dimension, bool locked, const QString& actionText);

protected:
    void refresh() override;

private:
    struct Field {
        FieldRow* row = nullptr;
        LegalSlider* slider = nullptr; ///< with `count`, or one of the others
        CountField* count = nullptr;
        ChoiceField* choice = nullptr;
        ToggleSwitch* toggle = nullptr;
    };
    void addField(const DimensionWords& words);
    void addSlider(Field& field, const DimensionWords& words);
    void addSwitch(Field& field, const DimensionWords& words);
    void addChoices(Field& field, const DimensionWords& words);
    void addRankOrder(Field& field, const DimensionWords& words);
    void addLayers(Field& field);
    /// A padlock at the end of the row, or its room where the dimension cannot be locked.
    void addLock(FieldRow& row, const QString& name, plan::Dimension id);
    void refreshField(plan::Dimension id, Field& field);
    void refreshSlider(plan::Dimension id, Field& field);
    void refreshShards();
    void refreshInFlightLimit();
    void refreshRankOrder();
    void refreshTensorPartition();
    void refreshSequenceParallel();
    void refreshLayers();
    void setCount(plan::Dimension id, int value, bool held);
    void restore(const DimensionWords& words);
    void fillRecipes();

    std::map<plan::Dimension, Field> m_fields;
    std::map<plan::Dimension, LockButton*> m_locks;
    int m_mergeId = 0;
    std::vector<std::vector<parallel::Axis>> m_rankOrders; ///< as its field offers them
    ElidedLabel* m_layers;
    InfoRow* m_ranks;
    InfoRow* m_microBatches;
    std::vector<parallel::Strategy> m_recipes;
    plan::Plan m_shown; ///< the zones judge this plan, or one before it
};

} // namespace stratoplan::widgets
