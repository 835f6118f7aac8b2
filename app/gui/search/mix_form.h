// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about the nodes of a cluster: what an hour of an accelerator of each group costs, and how many of a
// group are tried. A price that nobody typed is that of the plan.
#pragma once

#include "core/search/node_mixes.h"

#include <QWidget>

#include <map>
#include <optional>

class QLabel;
class QVBoxLayout;

namespace stratoplan::widgets {
class FieldRow;
class ToggleSwitch;
class ToneLabel;
class UnitField;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

/// Why there is nothing to choose between in a cluster; empty where there is.
[[nodiscard]] QString whyNoMixes(const cluster::Cluster& cluster);

class MixForm : public QWidget {
    Q_OBJECT

public:
    MixForm();

    /// `price`: of an accelerator-hour in the plan; 0: none.
    void setCluster(const cluster::Cluster& cluster, double price, const QString& currency);
    /// Nothing is typed any more.
    void forgetTyped();

    /// Nothing while something is wrong: note() says what.
    [[nodiscard]] const std::optional<search::MixOptions>& options() const { return m_options; }
    /// How many mixes that is, or what is wrong.
    [[nodiscard]] QString note() const;
    /// Takes what is typed but not entered yet. False where it is wrong: that field has the focus then.
    bool commit();

Q_SIGNALS:
    /// Of options() or note().
    void changed();

private:
    struct PriceRow {
        std::string id;
        std::size_t group = 0;
        QString label;
        widgets::FieldRow* row = nullptr;
        widgets::UnitField* field = nullptr;
    };
    struct CountedMixes {
        search::MixOptions options;
        double number = 0;
    };
    void makeRows();
    [[nodiscard]] PriceRow makeRow(std::size_t group);
    void showPrices();
    void refresh();
    void count(const search::MixOptions& options);
    /// What keeps the options, whose mixes are counted, from being asked about.
    [[nodiscard]] QString wrong(const search::MixOptions& options) const;
    [[nodiscard]] search::MixOptions asked() const;

    cluster::Cluster m_cluster;
    double m_price = 0;
    std::map<std::string, double> m_typed; ///< by id of the group; 0: none
    std::vector<PriceRow> m_rows;
    std::optional<search::MixOptions> m_options;
    std::optional<CountedMixes> m_counted; ///< of this cluster
    QLabel* m_heading;
    QVBoxLayout* m_prices;
    widgets::ToggleSwitch* m_everyCount;
    widgets::ToneLabel* m_note;
};

} // namespace stratoplan::gui
