// SPDX-License-Identifier: GPL-3.0-or-later
// The strategies that a search has shown, as charts and tables take them: one shared value, a strategy named by its
// place in it.
#pragma once

#include "core/cluster/cluster.h"
#include "core/plan/plan.h"
#include "widgets/presentation/axis.h"

#include <QString>
#include <memory>
#include <optional>
#include <vector>

namespace stratoplan::widgets {

struct StrategyPoint {
    parallel::Strategy strategy;
    model::Precision precision = model::Precision::Bf16;
    Seconds step{};
    Bytes peak{};
    enum class Kind : unsigned char {
        Dominated,
        Front,
        OutOfMemory,
    } kind = Kind::Dominated;
    bool operator==(const StrategyPoint&) const = default;
};

/// What makes money, energy and use of the peak of a step.
struct StrategyRates {
    double tokensPerStep = 0;
    double pricePerHour = 0; ///< of an accelerator; 0 = not given
    std::string currency;
    double watts = 0; ///< of an accelerator's board
    Flops modelFlops{}; ///< of a step
    cluster::PeakRates peak; ///< of an accelerator
    /// Accelerators of unlike nodes, in the order in which ranks take them; none where all are alike.
    struct Run {
        int accelerators = 0;
        double watts = 0;
        cluster::PeakRates peak;
        bool operator==(const Run&) const = default;
    };
    std::vector<Run> runs{};
    [[nodiscard]] double wattsOf(double ranks) const;
    [[nodiscard]] double peakOf(double ranks, model::Precision precision) const; ///< of all of them
    bool operator==(const StrategyRates&) const = default;
};
[[nodiscard]] StrategyRates strategyRates(const plan::Plan& plan, const plan::CapacityInputs& run);

/// What strategies are compared by.
enum class StrategyMeasure {
    Throughput,
    StepTime,
    PeakMemory,
    TokensPerMoney, ///< per GPU-hour where no price is given
    TokensPerEnergy,
    Mfu,
    Accelerators,
};
inline constexpr StrategyMeasure kMeasures[] = {StrategyMeasure::Throughput, StrategyMeasure::StepTime,
    StrategyMeasure::PeakMemory, StrategyMeasure::TokensPerMoney, StrategyMeasure::TokensPerEnergy,
    StrategyMeasure::Mfu, StrategyMeasure::Accelerators};

/// "Throughput", "Tokens per $"
[[nodiscard]] QString measureName(StrategyMeasure measure, const StrategyRates& rates);
[[nodiscard]] bool largerIsBetter(StrategyMeasure measure);
/// What all measures follow from.
struct Measurable {
    double step = 0; ///< seconds
    double peak = 0; ///< bytes
    double ranks = 1;
    model::Precision precision = model::Precision::Bf16;
};
/// Not finite where it is not known.
[[nodiscard]] double measured(const Measurable& strategy, StrategyMeasure measure, const StrategyRates& rates);
[[nodiscard]] double measured(const StrategyPoint& point, StrategyMeasure measure, const StrategyRates& rates);
/// "320 k tokens/s"
[[nodiscard]] QString measureText(StrategyMeasure measure, double value, const StrategyRates& rates);
[[nodiscard]] AxisUnit measureUnit(StrategyMeasure measure, double largest, const StrategyRates& rates);

struct StrategySet {
    std::vector<StrategyPoint> points; ///< the front first, by rising peak
    StrategyRates rates;
    Bytes capacity{}; ///< less what is to stay free
    StrategyMeasure best = StrategyMeasure::Throughput; ///< Kind::Front is that of this measure against peak memory
    QString status; ///< "21,489,120 strategies", "searching: 57 %"
    /// The points hold all that nothing in the space beats in step, peak memory and GPUs used: the fronts of other
    /// measures, which follow from these, are among them. MFU does only where all strategies have one precision.
    bool allFronts = false;
    bool onePrecision = false;
    bool provisional = false; ///< points of an earlier search, priced anew
};
using StrategySetPointer = std::shared_ptr<const StrategySet>;

/// "TP 8 · PP 8 · DP 16 · micro-batch 1 · ZeRO-1 · selective recomputation · interleaved 1F1B": all of it, no two
/// strategies alike.
[[nodiscard]] QString strategyText(const parallel::Strategy& strategy);
/// The same after the degrees: "micro-batch 1 · ZeRO-1 · selective recomputation · interleaved 1F1B"
[[nodiscard]] QString settingsText(const parallel::Strategy& strategy);

/// Which strategies a person wants to see: words that must occur in strategyText(), and comparisons "tp>=4", "zero=1",
/// "pp<8", "fits", "front". All must hold.
class StrategyFilter {
public:
    StrategyFilter() = default;
    explicit StrategyFilter(const QString& text);
    /// Why the text cannot be understood; empty if it can.
    [[nodiscard]] const QString& error() const { return m_error; }
    [[nodiscard]] bool allows(const StrategyPoint& point) const;
    /// What stands before a comparison, for people.
    [[nodiscard]] static QString names();

private:
    struct Comparison {
        plan::Dimension dimension{};
        bool less = false, equal = false, greater = false; ///< than the number: which are wanted
        int number = 0;
    };
    void addComparison(const QString& name, const QString& relation, const QString& number);
    std::vector<Comparison> m_comparisons;
    std::vector<QString> m_words;
    bool m_front = false;
    bool m_fits = false;
    QString m_error;
};

} // namespace stratoplan::widgets
