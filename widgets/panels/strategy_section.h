// SPDX-License-Identifier: GPL-3.0-or-later
// How the step is divided: a slider for every degree, choices for the rest.
#pragma once

#include "widgets/panels/inputs_section.h"
#include "widgets/presentation/dimension_words.h"
#include "widgets/presentation/slider_stop.h"

#include <map>
#include <set>
#include <vector>

namespace stratoplan {

class ElidedLabel;
class LegalSlider;
class LockButton;

class StrategySection : public InputsSection {
    Q_OBJECT

public:
    explicit StrategySection(const Catalog& catalog, QWidget* parent = nullptr);

    /// Judges the values the slider offers (core/plan/dimensions.h: offeredValues), matched by value. Verdicts on
    /// other values are ignored: they answer an older plan.
    void setZones(Dimension field, const std::vector<SliderStop>& zones);
    [[nodiscard]] LegalSlider* slider(Dimension field) const;
    /// Shuts the padlocks of these dimensions, opens the others, without a signal.
    void setLocks(const std::set<Dimension>& locks);
    [[nodiscard]] LockButton* lock(Dimension dimension) const;

Q_SIGNALS:
    /// A padlock was shut or opened.
    void lockEdited(stratoplan::Dimension dimension, bool locked, const QString& actionText);

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
    void addLock(FieldRow& row, const QString& name, Dimension id);
    void refreshField(Dimension id, Field& field);
    void refreshSlider(Dimension id, Field& field);
    void refreshShards();
    void refreshInFlightLimit();
    void refreshRankOrder();
    void refreshLayers();
    void setCount(Dimension id, int value, bool held);
    void restore(const DimensionWords& words);
    void fillRecipes();

    std::map<Dimension, Field> m_fields;
    std::map<Dimension, LockButton*> m_locks;
    int m_mergeId = 0;
    std::vector<std::vector<Axis>> m_rankOrders; ///< as its field offers them
    ElidedLabel* m_layers;
    InfoRow* m_ranks;
    InfoRow* m_microBatches;
    std::vector<Strategy> m_recipes;
    Plan m_shown; ///< the zones judge this plan, or one before it
};

} // namespace stratoplan
