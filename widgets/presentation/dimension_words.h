// SPDX-License-Identifier: GPL-3.0-or-later
// What people read of the dimensions of a strategy: in forms, tables and lists of what is unusual.
#pragma once

#include "core/plan/dimensions.h"
#include "widgets/presentation/translate.h"

#include <span>

namespace stratoplan::widgets {

struct ChoiceWords {
    int value = 0;
    const char* text = nullptr;
    const char* explanation = nullptr;
};

/// When a form shows a dimension.
enum class Shown {
    Always,
    WhereItMatters,
    WhereItMattersOrIsSet,
};

/// To be translated where they are shown; null: there is no such text.
struct DimensionWords {
    plan::Dimension id{};
    Shown shown = Shown::Always;
    const char* label = nullptr; ///< in a form: "Context method"
    const char* name = nullptr; ///< by itself: "Context parallel method"
    const char* explanation = nullptr;
    const char* heading = nullptr; ///< in a table: "TP"
    const char* filter = nullptr; ///< before a comparison: "tp"
    std::span<const ChoiceWords> choices{};
    const char* set = nullptr; ///< what an edit does: "Set offload to %1", or turns on
    const char* turnOff = nullptr;
    const char* restore = nullptr; ///< "Offload nothing"
};

/// In the order of the form.
[[nodiscard]] std::span<const DimensionWords> dimensionWords();
[[nodiscard]] const DimensionWords& wordsOf(plan::Dimension id);
/// Of an enumerator: "1F1B"; empty where it has no words.
[[nodiscard]] QString choiceText(plan::Dimension id, int value);
/// What few strategies have: "all-gather · optimizer on the host · layers 11 12 12 13"; empty: nothing of it.
[[nodiscard]] QString rareTraits(const parallel::Strategy& strategy);

} // namespace stratoplan::widgets
