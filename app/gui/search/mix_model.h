// SPDX-License-Identifier: GPL-3.0-or-later
// The mixes of nodes that were found as rows, against the plan as it is.
#pragma once

#include "app/session/mix_worker.h"
#include "widgets/presentation/table.h"

#include <QAbstractTableModel>

#include <optional>

namespace stratoplan::gui {

/// A step of the plan as it is.
struct PlanStep {
    Seconds time{};
    int ranks = 0;
    bool fits = true;
    bool operator==(const PlanStep&) const = default;
};

class MixModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Nodes, ///< first stages first
        Step, ///< below it against the plan, as below the price
        Price, ///< of a step; accelerator-hours where none are priced
        PeakMemory,
        Strategy,
        Columns,
    };
    static constexpr int SortRole = Qt::UserRole + 16;

    explicit MixModel(QObject* parent = nullptr);

    /// Null: nothing. `currency`: of its prices. Rows of the same request stay where they are found again.
    void setPicture(session::MixPicturePointer picture, const std::string& currency);
    /// Nothing: unknown, or the rows are of another plan.
    void setPlanStep(std::optional<PlanStep> step);
    /// The rows are of another plan than the one in the document.
    void setStale(bool stale);

    [[nodiscard]] const search::FoundMix& mixAt(int row) const { return m_rows[std::size_t(row)]; }
    /// "$0.36", "0.0123 GPU-h"
    [[nodiscard]] QString priceText(double perStep) const;
    /// What the plan pays for a step: for the accelerators that it uses.
    [[nodiscard]] double planPrice(const PlanStep& step) const;
    /// Of these rows, in plain numbers.
    [[nodiscard]] widgets::ChartTable table(const std::vector<int>& rows) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] bool isPriced() const { return m_picture && !m_picture->request->mixes.prices.empty(); }
    /// Of a column that holds a number, in its base unit.
    [[nodiscard]] static double number(const search::FoundMix& found, int column);
    /// A share, 0.1 = 10 % more than the plan; 0 where that is unknown.
    [[nodiscard]] double againstPlan(const search::FoundMix& found, int column) const;
    [[nodiscard]] QString textOf(const search::FoundMix& found, int column) const;
    [[nodiscard]] QString secondLine(const search::FoundMix& found, int column) const;
    [[nodiscard]] QString strategyText(const search::FoundMix& found) const;
    /// With the precision where that is not the plan's.
    [[nodiscard]] QString withPrecision(const QString& text, const search::FoundMix& found) const;
    void takeRows(const std::vector<search::FoundMix>& front);
    void tellAllChanged();

    session::MixPicturePointer m_picture;
    std::vector<search::FoundMix> m_rows; ///< its front
    std::string m_currency;
    std::optional<PlanStep> m_planStep;
    bool m_stale = false;
};

} // namespace stratoplan::gui
