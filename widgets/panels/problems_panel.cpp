// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/problems_panel.h"

#include "widgets/panels/panel_style.h"
#include "widgets/style/elided_label.h"
#include "widgets/style/stale_veil.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace stratoplan::widgets {

namespace {
constexpr int kCollapsedRows = 2;
constexpr int kMostRows = 8;
} // namespace

ProblemsPanel::ProblemsPanel(QWidget* parent)
    : QWidget(parent)
    , m_scroll(new QScrollArea(this))
    , m_summary(new ElidedLabel(this))
    , m_toggle(new QToolButton(this))
    , m_veil(new StaleVeil(this))
{
    setAccessibleName(tr("Problems"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto* body = new QWidget;
    m_rows = new QVBoxLayout(body);
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(0);
    m_rows->addStretch(1);
    m_scroll->setWidget(body);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->viewport()->setAutoFillBackground(false);
    body->setAutoFillBackground(false);
    m_summary->setForegroundRole(QPalette::PlaceholderText);
    m_summary->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_summary->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    m_toggle->setAutoRaise(true);
    m_toggle->setFocusPolicy(Qt::TabFocus);
    connect(m_toggle, &QToolButton::clicked, this, [this] { setExpanded(!m_expanded); });

    auto* side = new QVBoxLayout;
    side->setSpacing(0);
    side->addWidget(m_summary, 0, Qt::AlignRight);
    side->addWidget(m_toggle, 0, Qt::AlignRight);
    side->addStretch(1);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(kPanelMargin, kGrid, kPanelMargin, kGrid);
    layout->setSpacing(2 * kGrid);
    layout->addWidget(m_scroll, 1);
    layout->addLayout(side);
    rebuild();
}

void ProblemsPanel::setProblems(std::vector<plan::Problem> problems)
{
    std::ranges::stable_sort(problems, {}, &plan::Problem::severity);
    if (problems == m_problems)
        return; // rows keep the focus while the same problems come again
    m_problems = std::move(problems);
    rebuild();
}

void ProblemsPanel::rebuild()
{
    const QWidget* const focus = QApplication::focusWidget();
    if (focus && focus != this && isAncestorOf(focus) && focus != m_toggle)
        setFocus(Qt::OtherFocusReason); // else what is next to a pressed remedy would have it
    while (m_rows->count() > 1) {
        const std::unique_ptr<QLayoutItem> item(m_rows->takeAt(0));
        item->widget()->hide();
        item->widget()->deleteLater(); // a remedy may be what is being clicked
    }
    for (const plan::Problem& problem : m_problems) {
        auto* row = new ProblemRow(problem);
        connect(row, &ProblemRow::remedyChosen, this, &ProblemsPanel::remedyChosen);
        connect(row, &ProblemRow::activated, this, [this, problem] { Q_EMIT problemActivated(problem); });
        m_rows->insertWidget(m_rows->count() - 1, row);
    }
    m_summary->setText(summary());
    showSummary();
    describe();
    updateHeight();
    update();
}

void ProblemsPanel::setStale(const QString& notice)
{
    m_veil->setGeometry(rect());
    m_veil->setBackgroundRole(QPalette::Window);
    m_veil->setAlignment(Qt::AlignRight | Qt::AlignVCenter); // sentences begin on the left
    m_veil->setNotice(notice);
    describe();
}

QString ProblemsPanel::staleNotice() const
{
    return m_veil->notice();
}

void ProblemsPanel::describe()
{
    const QString stale = staleNotice();
    setAccessibleDescription(stale.isEmpty() ? summary() : tr("%1: %2").arg(stale, summary()));
}

QString ProblemsPanel::summary() const
{
    const auto count = [&](plan::Severity severity) {
        return static_cast<int>(std::ranges::count(m_problems, severity, &plan::Problem::severity));
    };
    const int errors = count(plan::Severity::Error);
    const int warnings = count(plan::Severity::Warning);
    QStringList parts;
    parts << (errors == 0 ? tr("Nothing breaks a rule") : errors == 1 ? tr("1 error") : tr("%1 errors").arg(errors));
    if (warnings > 0)
        parts << (warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings));
    if (!m_aside.isEmpty())
        parts << m_aside;
    return parts.join(QStringLiteral(" · "));
}

void ProblemsPanel::setAside(const QString& note)
{
    if (note == m_aside)
        return;
    m_aside = note;
    m_summary->setText(summary());
    describe();
    update();
}

void ProblemsPanel::setExpanded(bool expanded)
{
    if (expanded == m_expanded)
        return;
    m_expanded = expanded;
    updateHeight();
}

void ProblemsPanel::updateHeight()
{
    const int total = static_cast<int>(m_problems.size());
    const bool foldable = total > kCollapsedRows;
    const int shown = foldable && m_expanded ? std::min(total, kMostRows) : kCollapsedRows;
    m_toggle->setVisible(foldable);
    m_toggle->setText(m_expanded ? tr("Show fewer") : tr("%1 more").arg(total - kCollapsedRows));
    m_toggle->setAccessibleName(
        m_expanded ? tr("Show fewer problems") : tr("Show %1 more problems").arg(total - kCollapsedRows));
    m_scroll->setVerticalScrollBarPolicy(m_expanded ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    for (QWidget* line : {static_cast<QWidget*>(m_summary), static_cast<QWidget*>(m_toggle)})
        line->setFixedHeight(rowHeight(*this));
    setFixedHeight(shown * rowHeight(*this) + 2 * kGrid);
}

QSize ProblemsPanel::sizeHint() const
{
    return {640, height()};
}

QSize ProblemsPanel::minimumSizeHint() const
{
    return {320, kCollapsedRows * rowHeight(*this) + 2 * kGrid};
}

void ProblemsPanel::showSummary()
{
    constexpr int kRoomForSummary = 720; // below, the sentences need the width
    m_summary->setVisible(!m_problems.empty() && width() >= kRoomForSummary);
}

void ProblemsPanel::resizeEvent(QResizeEvent*)
{
    m_veil->setGeometry(rect());
    showSummary();
}

void ProblemsPanel::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange)
        updateHeight();
    QWidget::changeEvent(event);
}

void ProblemsPanel::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Up:
        focusNextPrevChild(false);
        return;
    case Qt::Key_Down:
        focusNextPrevChild(true);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

void ProblemsPanel::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensOf(*this);
    QPainter painter(this);
    painter.fillRect(0, 0, width(), 1, t.border);
    if (hasFocus()) // after a remedy was pressed
        paintFocusRing(painter, QRectF(rect()).adjusted(1, 2, -1, -1), t);
    if (!m_problems.empty())
        return;
    const QRect line(kPanelMargin, kGrid, width() - 2 * kPanelMargin, rowHeight(*this));
    paintSeverity(painter, QRectF(line.left(), line.center().y() - 6.5, 14, 14), t,
        m_aside.isEmpty() ? std::nullopt : std::optional(plan::Severity::Warning));
    painter.setPen(t.text);
    painter.drawText(line.adjusted(14 + kGrid, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
        fontMetrics().elidedText(
            m_aside.isEmpty() ? tr("Nothing breaks a rule.") : summary(), Qt::ElideRight, line.width() - 14 - kGrid));
}

} // namespace stratoplan::widgets
