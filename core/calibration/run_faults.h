// SPDX-License-Identifier: Apache-2.0
// Why a text of measured runs, or a line of it, is none that can be used: a code, the place and what stands there.
// core/reporting makes the sentences.
#pragma once

#include "core/calibration/run_text.h"
#include "core/exchange/document.h"
#include "core/plan/problem.h"
#include "core/units/quantity.h"

#include <variant>

namespace stratoplan::calibration {

enum class RunFaultCode {
    // of a text as a whole
    LogWithoutPlan,
    TableWithoutPlan,
    MeasuredKernels,
    NoHeading,
    NoIterations,
    // of the heading of a table
    UnitOfTime, ///< text: the column
    UnitOfMemory, ///< text: the column
    ColumnTwice,
    NoMeasuredColumn, ///< text: the heading, wanted: the columns that are known
    TwoPeaks,
    // of a row of a table
    CellCount, ///< found, limit: cells
    CellCountByCommas, ///< likewise, where a comma may be that of a number
    Cell, ///< text, expected
    NothingMeasured,
    DegreesNotDividing, ///< found: tp x pp x cp, limit: accelerators
    TooManyRanks, ///< limit: the most
    OtherAccelerators, ///< found: ranks, limit: accelerators that the row names
    // of a line of a log
    StepWithoutTime, ///< found: the iteration
    StepTime, ///< name: the field, text
    StepTimeWithComma, ///< name: the field, text, wanted: the number that is meant
    ReportedPeak, ///< name: the field, text
    ReportWithoutPeak,
    GlobalBatch, ///< text, expected
    // of the iterations of a log
    WarmUpOnly,
    SkippedOnly,
    // of the arguments of a log beside its plan
    Argument, ///< name, text, expected
    OtherModel, ///< name, text, part, wanted: what the plan says
    NoExperts, ///< limit: experts of the plan
    OtherVocabulary, ///< found, limit: that of the plan
    WorldSize, ///< found, limit: tp x pp x cp
    WorldSizeOfReplicas, ///< found, limit: tp x pp x cp, replicas
    WorldBeyondPlan, ///< found, limit: accelerators of the plan
    OtherLayers, ///< name, text
};

/// What a log and its plan both say of the model.
enum class ModelPart {
    Layers,
    HiddenSize,
    Heads,
    FfnWidth,
    HeadDimension,
    KvHeads,
    GroupedHeads,
    GatedMlp,
    UntiedEmbeddings,
    LatentAttention,
    Experts,
    ExpertsPerToken,
    ExpertWidth,
};

/// The most that a batch, a length or a degree of a log may be.
inline constexpr std::int64_t kLargestCount = 100'000'000;

/// What would be right where one value stands.
struct ExpectedValue {
    enum class Kind { WholeNumber, MeasuredNumber, Boolean, Recomputation, Schedule, PlanWithNodes } kind{};
    std::int64_t least = 0; ///< of a whole number
    std::int64_t most = 0;
    text::CommaNumber meant = {}; ///< by a number with commas that is not read
};

struct RunFault {
    RunFaultCode code{};
    std::string place = {}; ///< "line 7, column tp"; empty for the whole text
    std::string name = {}; ///< of an argument or a field
    std::string text = {}; ///< as it stands there
    std::string wanted = {};
    std::int64_t found = 0;
    std::int64_t limit = 0;
    std::int64_t replicas = 0;
    ModelPart part{};
    ExpectedValue expected{};
};

/// The plan of a run cannot be estimated.
struct NotEstimable {
    std::string place;
    plan::Problem problem;
};

/// A unit that explains a measurement of another order than its estimate.
enum class MistakenUnit {
    None,
    Milliseconds,
    Microseconds,
    Nanoseconds,
    Minutes,
    SecondsAsMilliseconds,
    Mebibytes,
    Kibibytes,
    Octets,
    Tebibytes
};

/// A measurement that no run of the plan can have made.
struct Implausible {
    enum class Kind { Step, PeakBeyondCapacity, PeakTooSmall } kind{};
    std::string place; ///< empty for a measured case
    double measured = 0; ///< seconds or bytes
    double expected = 0; ///< the estimate, or the capacity
    double factor = 1; ///< measured / estimated
    MistakenUnit meant = MistakenUnit::None;
};

/// A text is what the reader of measured cases says.
using WhyFaulty = std::variant<RunFault, NotEstimable, Implausible, std::string>;

/// A line that is no run, or a run that cannot be used.
struct FaultyRun {
    std::string id;
    WhyFaulty reason;
    int order = 0; ///< as of MeasuredRun
};

/// Why a text as a whole cannot be used.
struct UnusableText {
    std::string file;
    std::string planName = {};
    std::vector<RunFault> faults = {};
    exchange::DocumentErrors document = {}; ///< of measured cases
};

} // namespace stratoplan::calibration
