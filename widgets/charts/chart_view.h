// SPDX-License-Identifier: GPL-3.0-or-later
// What all charts share: a title row and a legend outside the plot, wheel zoom at the pointer, drag pan, double-click
// fit, keys, tooltips, a context menu (copy, export, table), an empty state, a thin "updating" bar, the theme, and
// names for assistive technology. A chart takes a value and shows it; it knows no document and no thread.
#pragma once

#include "widgets/presentation/axis.h"
#include "widgets/presentation/stacks.h"
#include "widgets/presentation/table.h"

#include <QPointer>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

class QCustomPlot;
class QHBoxLayout;
class QLabel;
class QMenu;
class QStackedLayout;
class QTimer;

namespace stratoplan {

class ElidedLabel;
class LegendRow;
class StaleVeil;

class ChartView : public QWidget {
    Q_OBJECT
public:
    ~ChartView() override;

    [[nodiscard]] QString title() const;
    [[nodiscard]] QString note() const;
    [[nodiscard]] QCustomPlot& plot() const { return *m_plot; }
    [[nodiscard]] LegendRow& legend() const { return *m_legend; }
    /// True while there is nothing to show and the empty text stands in the place of the plot.
    [[nodiscard]] bool isEmpty() const { return m_empty; }
    [[nodiscard]] QString emptyText() const;
    [[nodiscard]] bool isUpdating() const { return m_updating; }
    /// What is said over a picture that stays though it is not of the plan as it stands; "" while it is.
    [[nodiscard]] QString staleNotice() const;
    /// Pales plot and legend and writes `notice` over them; "" ends it. An empty chart has nothing to pale.
    void setStale(const QString& notice);

    /// The values shown, as a table.
    [[nodiscard]] virtual ChartTable table() const = 0;
    /// What "View as table" shows under which title: all values, unless they are too many to read.
    [[nodiscard]] virtual std::pair<QString, ChartTable> readableTable() const { return {title(), table()}; }
    /// What the chart shows in one sentence, for assistive technology.
    [[nodiscard]] virtual QString description() const = 0;
    /// Rich text for the place in the plot, "" for none. Pixels of the plot widget.
    [[nodiscard]] virtual QString toolTipAt(QPointF at) const = 0;

    /// Writes PNG (at twice the size), SVG, PDF or CSV by the suffix of `path`, always in the light theme, which is
    /// the one that prints. Returns "" or why not.
    [[nodiscard]] QString exportTo(const QString& path);

    /// In a dialog of its own, one at a time.
    void showTableOf(const QString& title, const ChartTable& table);
    /// What the keyboard points at, as plain text.
    [[nodiscard]] QString pointedText() const { return m_pointedText; }
    /// The context menu for a place of the plot. Deletes itself when it closes.
    [[nodiscard]] QMenu* makeMenu(std::optional<QPointF> at);

    QSize sizeHint() const override { return {360, 280}; }
    QSize minimumSizeHint() const override { return {180, 140}; }

public Q_SLOTS:
    /// A thin bar over the picture that stays, while a newer one is computed. Shown after 120 ms.
    void setUpdating(bool updating);
    virtual void fit();
    void copyImage();
    void copyData();
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
    void setNote(const QString& note);
    void setLegend(std::vector<LegendEntry> entries);
    void setEmpty(bool empty);
    void setEmptyText(const QString& text);
    void addHeaderWidget(QWidget* widget);
    /// A line of its own between title and plot.
    void addLine(QWidget* widget);
    /// The label of an axis: the first of the texts that fits along it, the last one elided where none does.
    void setAxisTexts(Qt::Orientation axis, QStringList texts);
    /// Where panning and zooming end; `shortest` is the closest zoom. Base units.
    void setBounds(Interval x, Interval y, double shortestX, double shortestY);
    void setZoomDirections(Qt::Orientations wheel, Qt::Orientations controlWheel);
    /// Has a person moved the view since the last fit? New data then leaves it where it is.
    [[nodiscard]] bool isMoved() const { return m_moved; }
    void setMoved() { m_moved = true; }
    void showRange(Interval x, Interval y);
    [[nodiscard]] Interval shownX() const;
    [[nodiscard]] Interval shownY() const;
    void replot();
    [[nodiscard]] const Tokens& look() const; ///< the tokens to paint with: the theme's, or those of an export
    [[nodiscard]] QFont plotFont() const;

    virtual void fitView() = 0;
    virtual void restyle() { }
    virtual void pointerMoved(QPointF) { }
    virtual void pointerLeft() { }
    virtual void pointerClicked(QPointF) { }
    virtual bool pointerDoubleClicked(QPointF) { return false; } ///< true: handled, do not fit
    /// True: dragging from here is not panning but goes to pointerDragged(), then dragEnded(). The middle button always
    /// pans.
    [[nodiscard]] virtual bool takesDrag(QPointF, Qt::KeyboardModifiers) { return false; }
    virtual void pointerDragged(QPointF) { }
    virtual void dragEnded() { }
    virtual void extendMenu(QMenu&) { }
    /// Signals what there is to be explained at this place; null where there is nothing.
    [[nodiscard]] virtual std::function<void()> explanationAt(QPointF) { return nullptr; }
    /// What pointer or keyboard point at, for the menu key.
    [[nodiscard]] virtual std::optional<QPointF> pointedAt() const { return std::nullopt; }
    virtual bool keyPressed(QKeyEvent&) { return false; }

    [[nodiscard]] int linkedStage() const { return m_linkedStage; }
    /// For the others: the pointer is on this stage.
    void hoverStage(int stage);
    /// The keyboard points at something: shows its tooltip and tells assistive technology.
    void announce(QPointF at, const QString& tip);

    void zoom(Qt::Orientation orientation, double factor, double anchorPixels);
    void pan(Qt::Orientation orientation, double share);

    bool eventFilter(QObject* object, QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    friend class ChartExport;

    void showMenu(std::optional<QPointF> at, QPoint global);
    void applyLook();
    void confine();
    void wheel(QWheelEvent& event);
    void mouseMoved(QMouseEvent& event);
    void drag(QPointF to);
    void placeOverPicture();
    void fitLayout();
    void fitAxisTexts();
    void fitTitle();

    QCustomPlot* m_plot = nullptr;
    QWidget* m_header = nullptr;
    QHBoxLayout* m_headerLayout = nullptr;
    ElidedLabel* m_title = nullptr;
    ElidedLabel* m_note = nullptr;
    LegendRow* m_legend = nullptr;
    QWidget* m_stackHost = nullptr;
    QStackedLayout* m_stack = nullptr;
    QLabel* m_emptyLabel = nullptr;
    QWidget* m_updatingBar = nullptr;
    StaleVeil* m_veil = nullptr;
    QTimer* m_updatingTimer = nullptr;
    QPointer<QWidget> m_tableDialog;
    const Tokens* m_exportTokens = nullptr;

    Interval m_boundsX, m_boundsY;
    double m_shortestX = 0;
    double m_shortestY = 0;
    Qt::Orientations m_wheel = Qt::Horizontal;
    Qt::Orientations m_controlWheel = Qt::Vertical;
    QString m_pointedText;
    int m_linkedStage = -1;
    int m_hoveredStage = -1;
    bool m_empty = true;
    bool m_updating = false;
    bool m_moved = false;
    bool m_pressed = false;
    bool m_dragging = false;
    bool m_ownDrag = false; ///< of the chart: not panning
    QPointF m_pressAt;
    QPointF m_dragFrom;
    QStringList m_axisTextsX, m_axisTextsY;
    QSize m_ticksFor; ///< size of the axis rectangle that the ticks were made for
};

void installChartAccessibility();

} // namespace stratoplan
