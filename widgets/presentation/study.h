// SPDX-License-Identifier: GPL-3.0-or-later
// What a study found as people read it: names and texts of its axes and figures, a filter, scaling curves, the cells of
// a heat map.
#pragma once

#include "core/exchange/study_answers.h"
#include "widgets/presentation/axis.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace stratoplan::widgets {

using StudyPointer = std::shared_ptr<const exchange::StudyAnswers>;

enum class StudyMeasure { StepTime, Throughput, PerAccelerator, Mfu, PeakMemory, Days, AcceleratorHours, Energy, Cost };
inline constexpr StudyMeasure kStudyMeasures[] = {StudyMeasure::StepTime, StudyMeasure::Throughput,
    StudyMeasure::PerAccelerator, StudyMeasure::Mfu, StudyMeasure::PeakMemory, StudyMeasure::Days,
    StudyMeasure::AcceleratorHours, StudyMeasure::Energy, StudyMeasure::Cost};

[[nodiscard]] QString measureName(StudyMeasure measure);
[[nodiscard]] bool largerIsBetter(StudyMeasure measure);
/// In base units; nothing where the point does not have it.
[[nodiscard]] std::optional<double> measured(const exchange::StudyPoint& point, StudyMeasure measure);
/// "320 k tokens/s"
[[nodiscard]] QString measureText(StudyMeasure measure, double value, const std::string& currency);
/// What numbers of a logarithmic axis are shown in.
[[nodiscard]] AxisUnit measureUnit(StudyMeasure measure, double largest, const std::string& currency);
/// Only what some point has.
[[nodiscard]] std::vector<StudyMeasure> measuresOf(const exchange::StudyAnswers& answers);
/// Of a perfect machine: the figure goes with this power of the number of GPUs. Nothing: it promises nothing.
[[nodiscard]] std::optional<double> idealPower(StudyMeasure measure);

/// "/training/global_batch" -> "Global batch"
[[nodiscard]] QString axisName(const exchange::StudyAxis& axis);
/// "3,072"; texts without quotation marks, what is more than a plain value by its name or its JSON, shortened.
[[nodiscard]] QString valueText(const exchange::StudyAxis& axis, std::size_t value);
/// "Fits", "Needs more memory", …
[[nodiscard]] QString outcomeText(exchange::StudyPoint::Outcome outcome);
/// "Global batch 1,536 · Nodes 64"
[[nodiscard]] QString placeText(const exchange::StudyAnswers& answers, const exchange::StudyPoint& point);
/// Is `a` the better answer: one that fits before one that does not, then by the figure.
[[nodiscard]] bool isBetter(const exchange::StudyPoint& a, const exchange::StudyPoint& b, StudyMeasure measure);

/// Which points a person wants to see: words that must occur in what is known of a point, and comparisons with an axis
/// or the GPUs, "global_batch=1536 gpus>=512 fits". All must hold.
class StudyFilter {
public:
    StudyFilter() = default;
    StudyFilter(const QString& text, const exchange::StudyAnswers& answers);
    /// Why the text cannot be understood; empty if it can.
    [[nodiscard]] const QString& error() const { return m_error; }
    [[nodiscard]] bool allows(const exchange::StudyAnswers& answers, const exchange::StudyPoint& point) const;
    /// What stands before a comparison, for people.
    [[nodiscard]] static QStringList names(const exchange::StudyAnswers& answers);

private:
    struct Comparison {
        int axis = -1; ///< -1: the GPUs
        bool less = false, equal = false, greater = false;
        double number = 0;
    };
    void addComparison(
        const QString& name, const QString& relation, const QString& number, const exchange::StudyAnswers& answers);
    std::vector<Comparison> m_comparisons;
    std::vector<QString> m_words;
    bool m_fits = false;
    QString m_error;
};

/// An axis of a picture: one of the grid's, or the number of GPUs.
inline constexpr int kAcceleratorAxis = -1;
inline constexpr int kNoAxis = -2;

struct StudyCurve {
    struct Point {
        double x = 0;
        double y = 0;
        std::size_t point = 0; ///< of the answers
    };
    QString name; ///< of the value of the series; empty if there is one curve only
    std::vector<Point> points; ///< by rising x
};
/// For each value of `series` a curve of `measure` over `x` (the GPUs, or an axis of numbers), of the best point at
/// each place.
[[nodiscard]] std::vector<StudyCurve> studyCurves(const exchange::StudyAnswers& answers,
    const std::vector<std::size_t>& points, StudyMeasure measure, int x, int series);
/// Where all that `x` can be is numbers above 0.
[[nodiscard]] bool canBeCurve(const exchange::StudyAnswers& answers, int x);

struct StudyCell {
    std::optional<std::size_t> point; ///< the best one here; nothing: no answer
    std::optional<double> value; ///< nothing where it is not priced
};
struct StudyGrid {
    std::vector<std::size_t> columns, rows; ///< values of the axes that occur; one row where there is one axis only
    std::vector<StudyCell> cells; ///< row by row
    double low = 0, high = 0; ///< of the values of what fits
    [[nodiscard]] const StudyCell& at(std::size_t column, std::size_t row) const
    {
        return cells[row * columns.size() + column];
    }
};
/// `y` may be kNoAxis.
[[nodiscard]] StudyGrid studyGrid(
    const exchange::StudyAnswers& answers, const std::vector<std::size_t>& points, StudyMeasure measure, int x, int y);

} // namespace stratoplan::widgets
