// SPDX-License-Identifier: Apache-2.0
// What a study found: the lines that `sweep` wrote, of one file or of all its parts, as points over the axes of its
// grid. A line that says nothing is told by file and number, and the others are kept.
#pragma once

#include "core/exchange/document.h"
#include "core/exchange/study.h"

#include <cstdint>
#include <optional>
#include <stop_token>

namespace stratoplan::exchange {

/// What the grid varies, and the values it takes in the answers.
struct StudyAxis {
    std::string pointer; ///< into the plan: "/training/global_batch"
    std::vector<std::string> values; ///< as JSON; rising where all are numbers, else as they came
    std::vector<double> numbers; ///< the same as numbers; empty where some are none
    bool operator==(const StudyAxis&) const = default;
};

struct StudyPoint {
    enum class Outcome {
        Fits,
        TooLarge, ///< priced, and over the memory there is
        NothingFits, ///< searched, and no strategy fits
        Refused, ///< no plan that could be priced
    };
    std::int64_t number = 0; ///< in its study
    std::vector<std::size_t> values; ///< for each axis, the place among its values
    Outcome outcome = Outcome::Refused;
    std::string reason; ///< why it was refused, for people
    // Known where it was priced:
    Seconds step{}, stepLow{}, stepHigh{};
    double tokensPerSecond = 0;
    double mfu = 0;
    Bytes peak{};
    int accelerators = 0;
    std::optional<double> days, acceleratorHours, energyKwh,
        cost; ///< of the whole training, where the study says how long it is
    parallel::Strategy found; ///< the strategy, as far as lines tell it in plain numbers and words
    std::string strategy; ///< all of it, as JSON
    std::string precision; ///< its key; "" = that of the plan
    [[nodiscard]] bool isPriced() const { return outcome == Outcome::Fits || outcome == Outcome::TooLarge; }
};

struct StudyAnswers {
    std::vector<StudyAxis> axes;
    std::vector<StudyPoint> points; ///< by number
    std::string name; ///< of the study, else of its plan; "" if none is known
    std::string currency; ///< of cost
    std::int64_t size = 0; ///< plans of the study; 0 = not known, as long as the study itself was not read
    std::string base; ///< the plan as JSON that the grid changes; "" = not known
};

struct StudyFault {
    enum class Code {
        Unreadable, ///< the file
        NoJson,
        NoAnswer, ///< a field is missing, or of another kind
        CutShort, ///< the last line, without its end: its writer was stopped
        OtherStudy, ///< its grid has other axes, or its plan another name
        Contradiction ///< another line answers the same plan otherwise
    } code{};
    std::string file;
    std::int64_t line = 0; ///< from 1; 0 = the whole file
    std::string detail; ///< what stands there, or should
    bool operator==(const StudyFault&) const = default;
};

struct StudyText {
    std::string file; ///< names it in faults, and plans are looked for beside it
    std::string text;
};
struct StudyReading {
    StudyAnswers answers;
    std::vector<StudyFault> faults; ///< the first hundred
    std::int64_t faulty = 0; ///< lines and files
};
/// Reads answers, and studies that they may belong to, in any order. Stopped, it returns what it has.
[[nodiscard]] StudyReading readStudyAnswers(const std::vector<StudyText>& texts, const std::stop_token& stop = {});

/// What `sweep` answered to the shipped study, resources/examples/study.json.
[[nodiscard]] const StudyText& shippedStudyAnswers();

/// The plan of a point: the study's, with the point's values and the strategy that was found.
[[nodiscard]] tl::expected<Document, DocumentErrors> planOf(
    const StudyAnswers& answers, const StudyPoint& point, const catalog::Catalog& catalog);

} // namespace stratoplan::exchange
