// SPDX-License-Identifier: GPL-3.0-or-later
// What stands around the plot of a chart, and over it: title, note and buttons above, legend below, the text in place
// of a plot that has nothing to show, the bar of a picture that is being renewed and the veil of one that is old.
#pragma once

#include "widgets/presentation/stacks.h"

#include <QFont>
#include <QString>

#include <vector>

class QCustomPlot;
class QHBoxLayout;
class QLabel;
class QStackedLayout;
class QTimer;
class QVBoxLayout;
class QWidget;

namespace stratoplan::widgets {

class ElidedLabel;
class LegendRow;
class StaleVeil;

class ChartFrame {
public:
    /// Lays the plot out in the chart, which everything here belongs to.
    ChartFrame(QWidget& chart, QCustomPlot& plot, const QString& title, const QString& emptyText);

    [[nodiscard]] QString title() const;
    [[nodiscard]] QFont titleFont() const;
    [[nodiscard]] QString note() const;
    void setNote(const QString& note);
    void setFont(const QFont& font); ///< of note and legend
    [[nodiscard]] QString emptyText() const;
    void setEmptyText(const QString& text);
    /// What stands there instead, unless it is "".
    void setAwaited(const QString& notice);
    [[nodiscard]] bool isEmpty() const { return m_empty; }
    void setEmpty(bool empty);

    [[nodiscard]] LegendRow& legend() const { return *m_legend; }
    void setLegend(std::vector<LegendEntry> entries);
    void addHeaderWidget(QWidget* widget);
    /// A line of its own between title and plot.
    void addLine(QWidget* widget);

    void setUpdating(bool updating);
    [[nodiscard]] QString staleNotice() const;
    void setStale(const QString& notice);
    /// After a change of the size of the chart.
    void place();

private:
    void makeHeader(const QString& title);
    void makeStack(QCustomPlot& plot);
    void makeCovers();
    void placeOverPicture();
    void fitTitle();

    QWidget& m_chart;
    QVBoxLayout* m_column;
    QWidget* m_header = nullptr;
    QHBoxLayout* m_headerLayout = nullptr;
    ElidedLabel* m_title = nullptr;
    ElidedLabel* m_note = nullptr;
    LegendRow* m_legend = nullptr;
    QWidget* m_stackHost = nullptr;
    QStackedLayout* m_stack = nullptr;
    QLabel* m_emptyLabel = nullptr;
    QString m_emptyText;
    QString m_awaited;
    QWidget* m_updatingBar = nullptr;
    StaleVeil* m_veil = nullptr;
    QTimer* m_updatingTimer = nullptr;
    bool m_empty = true;
    bool m_updating = false;
};

} // namespace stratoplan::widgets
