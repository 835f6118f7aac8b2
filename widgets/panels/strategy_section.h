// SPDX-License-Identifier: GPL-3.0-or-later
// How the step is divided: a slider for every degree, choices for the rest.
#pragma once

#include "core/plan/strategy_fields.h"
#include "widgets/panels/inputs_section.h"
#include "widgets/presentation/slider_stop.h"

#include <map>
#include <optional>
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

    /// Judges the values the slider offers (core/plan/strategy_fields.h: sliderValues), matched by value. Verdicts on
    /// other values are ignored: they answer an older plan.
    void setZones(StrategyField field, const std::vector<SliderStop>& zones);
    [[nodiscard]] LegalSlider* slider(StrategyField field) const;
    /// Shuts the padlocks of these dimensions, opens the others, without a signal.
    void setLocks(const std::set<SearchDimension>& locks);
    [[nodiscard]] LockButton* lock(SearchDimension dimension) const;

Q_SIGNALS:
    /// A padlock was shut or opened.
    void lockEdited(stratoplan::SearchDimension dimension, bool locked, const QString& actionText);

protected:
    void refresh() override;

private:
    struct SliderRow {
        FieldRow* row = nullptr;
        LegalSlider* slider = nullptr;
        CountField* count = nullptr;
        QString name;
    };
    void addSlider(StrategyField field, const QString& label, const QString& name, const QString& explanation);
    /// A padlock at the end of the row, or its room where the dimension cannot be locked.
    void addLock(FieldRow& row, const QString& name, std::optional<SearchDimension> dimension);
    void addZero();
    void addShards();
    void addRecompute();
    void addContextMethod();
    void addSchedule();
    void addTimingPass();
    void addLayers();
    void refreshLayers();
    void addVocabulary();
    void addRankOrder();
    void addOffload();
    void addInFlightLimit();
    void refreshSharing();
    void refreshRankOrder();
    void refreshMemory();
    void set(StrategyField field, int value, bool held);
    void fillRecipes();

    std::map<StrategyField, SliderRow> m_sliders;
    std::map<SearchDimension, LockButton*> m_locks;
    int m_mergeId = 0;
    ChoiceField* m_contextMethod;
    FieldRow* m_contextRow;
    ChoiceField* m_zero;
    ChoiceField* m_shards;
    FieldRow* m_shardsRow;
    ChoiceField* m_recompute;
    ChoiceField* m_schedule;
    ChoiceField* m_offload;
    ChoiceField* m_inFlight;
    FieldRow* m_inFlightRow;
    ChoiceField* m_vocabulary;
    FieldRow* m_vocabularyRow;
    ChoiceField* m_rankOrder;
    std::vector<std::vector<Axis>> m_rankOrders; ///< as m_rankOrder offers them
    ToggleSwitch* m_sequenceParallel;
    ToggleSwitch* m_timingPass;
    FieldRow* m_timingPassRow;
    FieldRow* m_layersRow;
    ElidedLabel* m_layers;
    InfoRow* m_ranks;
    InfoRow* m_microBatches;
    std::vector<Strategy> m_recipes;
    Plan m_shown; ///< the zones judge this plan, or one before it
};

} // namespace stratoplan
