// SPDX-License-Identifier: GPL-3.0-or-later
// What all charts share: a title row and a legend outside the plot, wheel zoom at the pointer, drag pan, double-click
// fit, keys, tooltips, a context menu (copy, export, table), an empty state, a thin "updating" bar, the theme, and
// names for assistive technology. A chart takes a value and shows it; it knows no document and no thread.
//
// The widget joins its parts: ChartFrame stands around the plot, PlotRange is what the plot shows, PlotPointer what
// wheel and pointer do to it, AxisTexts its labels; what a key means is in chart_keys.h, files are in chart_export.h.
#pragma once

#include "widgets/charts/chart_frame.h"
#include "widgets/charts/plot_pointer.h"
#include "widgets/charts/plot_range.h"
#include "widgets/presentation/stacks.h"
#include "widgets/presentation/table.h"
#include "widgets/style/picture_file.h"

#include <QPointer>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QMenu;

namespace stratoplan::widgets {

class AxisTexts;
enum class ChartCommand;

class ChartView : public QWidget, protected PointerTarget {
    Q_OBJECT
public:
    ~ChartView() override;

    [[nodiscard]] QString title() const { return m_frame->title(); }
    [[nodiscard]] QString note() const { return m_frame->note(); }
    [[nodiscard]] QCustomPlot& plot() const { return *m_plot; }
    [[nodiscard]] LegendRow& legend() const { return m_frame->legend(); }
    /// True while there is nothing to show and the empty text stands in the place of the plot.
    [[nodiscard]] bool isEmpty() const { return m_frame->isEmpty(); }
    [[nodiscard]] QString emptyText() const { return m_frame->emptyText(); }
    /// What is said over a picture that stays though it is not of the plan as it stands; "" while it is.
    [[nodiscard]] QString staleNotice() const { return m_frame->staleNotice(); }
    /// Pales plot and legend and writes `notice` over them; "" ends it. An empty chart has nothing to pale.
    void setStale(const QString& notice) { m_frame->setStale(notice); }
    /// What an empty chart says instead of its empty text while a picture is on its way; "" ends it.
    void setAwaited(const QString& notice) { m_frame->setAwaited(notice); }

    /// The values shown, as a table.
    [[nodiscard]] virtual ChartTable table() const = 0;
    /// What "View as table" shows under which title: all values, unless they are too many to read.
    [[nodiscard]] virtual std::pair<QString, ChartTable> readableTable() const { return {title(), table()}; }
    /// What the chart shows in one sentence, for assistive technology.
    [[nodiscard]] virtual QString description() const = 0;
    /// Rich text for the place in the plot, "" for none. Pixels of the plot widget.
    [[nodiscard]] QString toolTipAt(QPointF at) const override = 0;

    /// Writes PNG (at so many times the size on screen), SVG, PDF or CSV by the suffix of `path`, always in the light
    /// theme, which is the one that prints. Returns "" or why not.
    [[nodiscard]] QString exportTo(const QString& path, double pngScale = kPngScale);

    /// In a dialog of its own, one at a time.
    void showTableOf(const QString& title, const ChartTable& table);
    /// What the keyboard points at, as plain text.
    [[nodiscard]] QString pointedText() const { return m_pointedText; }
    /// The context menu for a place of the plot. Deletes itself when it closes.
    [[nodiscard]] QMenu* makeMenu(std::optional<QPointF> at);

    // For what drives a chart beside it.
    [[nodiscard]] Interval shownX() const { return m_range->x(); }
    [[nodiscard]] Interval shownY() const { return m_range->y(); }
    void zoom(Qt::Orientation orientation, double factor, double anchorPixels)
    {
        m_range->zoom(orientation, factor, anchorPixels);
    }
    void pan(Qt::Orientation orientation, double share) { m_range->pan(orientation, share); }
    /// The keyboard points at something: shows its tooltip and tells assistive technology.
    void announce(QPointF at, const QString& tip);
    [[nodiscard]] int linkedStage() const { return m_linkedStage; }

    QSize sizeHint() const override { return {360, 280}; }
    QSize minimumSizeHint() const override { return {180, 140}; }

public Q_SLOTS:
    /// A thin bar over the picture that stays, while a newer one is computed. Shown after 120 ms.
    void setUpdating(bool updating) { m_frame->setUpdating(updating); }
    virtual void fit();
    void copyImage(); ///< as a file of it looks
    void copyData(); ///< as a table
    void showTable();
    /// Asks for a file without stopping anyone; reported() tells the end.
    void exportWithDialog();
    /// Marks a stage that is pointed at elsewhere; -1: none.
    void setLinkedStage(int stage);

Q_SIGNALS:
    /// The pipeline stage under the pointer; -1: none.
    void stageHovered(int stage);
    /// "Explain" was chosen: the chart has signalled what is to be explained.
    void explanationWanted();
    /// What came of an export.
    void reported(bool good, const QString& text);

protected:
    ChartView(const QString& title, const QString& emptyText, QWidget* parent);

    // For the charts.
    void setNote(const QString& note) { m_frame->setNote(note); }
    void setLegend(std::vector<LegendEntry> entries) { m_frame->setLegend(std::move(entries)); }
    void setEmpty(bool empty);
    void setEmptyText(const QString& text);
    void addHeaderWidget(QWidget* widget) { m_frame->addHeaderWidget(widget); }
    /// A line of its own between title and plot.
    void addLine(QWidget* widget) { m_frame->addLine(widget); }
    /// The label of an axis: the first of the texts that fits along it, the last one elided where none does.
    void setAxisTexts(Qt::Orientation axis, QStringList texts);
    /// Where panning and zooming end; `shortest` is the closest zoom. Base units.
    void setBounds(Interval x, Interval y, double shortestX, double shortestY)
    {
        m_range->setBounds(x, y, shortestX, shortestY);
    }
    void setZoomDirections(Qt::Orientations wheel, Qt::Orientations controlWheel)
    {
        m_range->setZoomDirections(wheel, controlWheel);
    }
    /// Has a person moved the view since the last fit? New data then leaves it where it is.
    [[nodiscard]] bool isMoved() const { return m_range->isMoved(); }
    void setMoved() { m_range->setMoved(true); }
    void showRange(Interval x, Interval y) { m_range->show(x, y); }
    void replot();
    [[nodiscard]] const Tokens& look() const; ///< the tokens to paint with: the theme's, or those of an export
    [[nodiscard]] QFont plotFont() const;

    virtual void fitView() = 0;
    virtual void restyle() { }
    [[nodiscard]] bool takesPointer() const override { return !isEmpty(); }
    virtual void extendMenu(QMenu&) { }
    /// Signals what there is to be explained at this place; null where there is nothing.
    [[nodiscard]] virtual std::function<void()> explanationAt(QPointF) { return nullptr; }
    /// What pointer or keyboard point at, for the menu key.
    [[nodiscard]] virtual std::optional<QPointF> pointedAt() const { return std::nullopt; }
    virtual bool keyPressed(QKeyEvent&) { return false; }

    /// For the others: the pointer is on this stage.
    void hoverStage(int stage);

    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void connectPlot();
    void perform(ChartCommand command);
    void applyLook();
    QString withPicture(const std::function<QString(const Picture&)>& use);

    QCustomPlot* m_plot;
    PlotRange* m_range;
    PlotPointer* m_pointer;
    AxisTexts* m_axisTexts;
    std::unique_ptr<ChartFrame> m_frame; ///< none while the chart is made
    QPointer<QWidget> m_tableDialog;
    const Tokens* m_exportTokens = nullptr;
    QString m_pointedText;
    int m_linkedStage = -1;
    int m_hoveredStage = -1;
};

void installChartAccessibility();

} // namespace stratoplan::widgets
