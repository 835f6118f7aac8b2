// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/verdict_bar.h"

#include "core/narration/problems.h"
#include "widgets/panels/panel_style.h"
#include "widgets/style/stale_veil.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>

namespace stratoplan::widgets {

namespace {
constexpr int kUpdatingDelayMs = 120;
constexpr int kUpdatingBar = 2; ///< pixels
} // namespace

VerdictBar::VerdictBar(QWidget* parent)
    : QWidget(parent)
    , m_veil(new StaleVeil(this))
{
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Verdict"));
    m_veil->setAlignment(Qt::AlignRight | Qt::AlignBottom); // where least is said
    for (const VerdictFigure figure : kVerdictFigures) {
        auto* made = new VerdictCell(figure, this);
        m_cells.push_back(made);
        connect(made, &QAbstractButton::clicked, this, [this, figure] { Q_EMIT figureChosen(figure); });
    }
    m_updatingDelay.setSingleShot(true);
    m_updatingDelay.setInterval(kUpdatingDelayMs);
    connect(&m_updatingDelay, &QTimer::timeout, this, [this] {
        m_updatingShown = true;
        update();
    });
    refresh();
}

void VerdictBar::setEstimate(const estimate::Estimate& estimate, const std::optional<capacity::Capacity>& capacity)
{
    m_state = VerdictState{estimate, capacity};
    m_reason.clear();
    refresh();
}

void VerdictBar::clear()
{
    m_state.reset();
    m_reason.clear();
    refresh();
}

void VerdictBar::setCapacityInputs(const plan::CapacityInputs& inputs)
{
    m_inputs = inputs;
    refresh();
}

void VerdictBar::setBaseline(
    const QString& name, const estimate::Estimate& estimate, const std::optional<capacity::Capacity>& capacity)
{
    m_baselineName = name;
    m_baseline = VerdictState{estimate, capacity};
    refresh();
}

void VerdictBar::clearBaseline()
{
    m_baselineName.clear();
    m_baseline.reset();
    refresh();
}

void VerdictBar::setProblems(const std::vector<plan::Problem>& problems)
{
    m_state.reset();
    const auto first = std::ranges::find(problems, plan::Severity::Error, &plan::Problem::severity);
    const auto shown = first == problems.end() ? problems.begin() : first;
    m_reason = shown == problems.end() ? tr("The plan cannot be estimated.")
                                       : QString::fromStdString(narration::describe(*shown));
    refresh();
}

void VerdictBar::setUpdating(bool updating)
{
    if (updating) {
        if (!m_updatingShown && !m_updatingDelay.isActive())
            m_updatingDelay.start();
        return;
    }
    m_updatingDelay.stop();
    if (std::exchange(m_updatingShown, false))
        update();
}

void VerdictBar::setStale(const QString& notice)
{
    for (VerdictCell* each : m_cells)
        each->setStale(notice);
    m_veil->setNotice(notice);
    describe();
}

QString VerdictBar::staleNotice() const
{
    return m_veil->notice();
}

VerdictCell* VerdictBar::cell(VerdictFigure figure) const
{
    return m_cells.at(static_cast<std::size_t>(figure));
}

void VerdictBar::refresh()
{
    for (VerdictCell* each : m_cells) {
        each->setShort(!m_reason.isEmpty());
        each->setContent(m_state ? verdictText(each->figure(), *m_state, m_inputs, m_baseline, m_baselineName)
                                 : unpricedText(each->figure()));
    }
    describe();
    setToolTip(m_reason);
    arrange();
    update();
}

void VerdictBar::describe()
{
    const QString stale = staleNotice();
    setAccessibleDescription(
        stale.isEmpty() || m_reason.isEmpty() ? stale + m_reason : tr("%1: %2").arg(stale, m_reason));
}

int VerdictBar::cellsInRow(int row, int rows) const
{
    const int count = static_cast<int>(m_cells.size());
    return count / rows + (row < count % rows ? 1 : 0);
}

int VerdictBar::rowsFor(int width) const
{
    const int count = static_cast<int>(m_cells.size());
    for (int rows = 1; rows < count; ++rows) {
        bool fits = true;
        for (int row = 0, next = 0; row < rows; ++row) {
            int needed = 0;
            for (int i = 0; i < cellsInRow(row, rows); ++i)
                needed += m_cells[static_cast<std::size_t>(next++)]->compactWidth();
            fits = fits && needed <= width;
        }
        if (fits)
            return rows;
    }
    return count;
}

int VerdictBar::heightForWidth(int width) const
{
    return rowsFor(width) * m_cells.front()->naturalHeight() + 1;
}

QSize VerdictBar::sizeHint() const
{
    int width = 0;
    for (const VerdictCell* each : m_cells)
        width += each->naturalWidth();
    return {width, m_cells.front()->naturalHeight() + 1};
}

QSize VerdictBar::minimumSizeHint() const
{
    int width = 0;
    for (const VerdictCell* each : m_cells)
        width = std::max(width, each->compactWidth());
    return {width, m_cells.front()->naturalHeight() + 1};
}

void VerdictBar::resizeEvent(QResizeEvent*)
{
    arrange();
}

void VerdictBar::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        arrange();
    QWidget::changeEvent(event);
}

void VerdictBar::arrange()
{
    m_rows = rowsFor(width());
    const int height = m_cells.front()->naturalHeight();
    m_veil->setGeometry(0, 0, width(), m_rows * height + 1 - kUpdatingBar);
    // Layouts that ask for no height for a width (tool bars, docks) see the height they must give.
    if (minimumHeight() != m_rows * height + 1)
        setFixedHeight(m_rows * height + 1);
    for (int row = 0, next = 0; row < m_rows; ++row) {
        const int count = cellsInRow(row, m_rows);
        int natural = 0;
        int compact = 0;
        for (int i = next; i < next + count; ++i) {
            natural += m_cells[static_cast<std::size_t>(i)]->naturalWidth();
            compact += m_cells[static_cast<std::size_t>(i)]->compactWidth();
        }
        // Between compact and natural every cell gives up the same share of its slack; beyond, all grow alike.
        const int last = next + count;
        const double slack =
            natural > compact ? std::clamp(double(width() - compact) / (natural - compact), 0.0, 1.0) : 1.0;
        const double extra = std::max(0, width() - natural) / double(count);
        double x = 0;
        for (; next < last; ++next) {
            VerdictCell* each = m_cells[static_cast<std::size_t>(next)];
            const double cellWidth =
                each->compactWidth() + slack * (each->naturalWidth() - each->compactWidth()) + extra;
            const int left = qRound(x);
            x += cellWidth;
            each->setGeometry(left, row * height, (next + 1 == last ? width() : qRound(x)) - left, height);
        }
    }
}

void VerdictBar::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensOf(*this);
    QPainter painter(this);
    painter.fillRect(rect(), t.surface);
    const int cellHeight = m_cells.front()->naturalHeight();
    const auto isLastRow = [&](const VerdictCell& each) { return each.y() == (m_rows - 1) * cellHeight; };
    const int valueBottom = cellHeight - kGrid - fontMetrics().height() - 2; // the reason stands below, over all cells
    for (const VerdictCell* each : m_cells) {
        if (each->x() > 0)
            painter.fillRect(each->x() - 1, each->y(), 1,
                !m_reason.isEmpty() && isLastRow(*each) ? valueBottom : cellHeight, t.border);
    }
    for (int row = 1; row < m_rows; ++row)
        painter.fillRect(0, row * cellHeight - 1, width(), 1, t.border);
    painter.fillRect(0, height() - 1, width(), 1, t.border);
    if (m_updatingShown)
        painter.fillRect(0, height() - kUpdatingBar, width(), kUpdatingBar, t.accent);
    if (m_reason.isEmpty())
        return;
    const int lineHeight = fontMetrics().height();
    const QRect line(kPanelMargin, height() - kGrid - lineHeight, width() - 2 * kPanelMargin, lineHeight);
    paintSeverity(painter, QRectF(line.left(), line.center().y() - 6, 13, 13), t, plan::Severity::Error);
    painter.setPen(t.bad);
    const QRect words = line.adjusted(20, 0, 0, 0);
    painter.drawText(
        words, Qt::AlignLeft | Qt::AlignVCenter, fontMetrics().elidedText(m_reason, Qt::ElideRight, words.width()));
}

} // namespace stratoplan::widgets
