// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/narration/problems.h"
#include "widgets/panels/panel_style.h"
#include "widgets/panels/problems_panel.h"

#include <QKeyEvent>
#include <QMenu>
#include <QPainter>

namespace stratoplan::widgets {

namespace {

constexpr int kSeverityIcon = 14;
constexpr int kSentenceLeft = kSeverityIcon + kGrid;
constexpr int kLeastText = 160; ///< px a row needs at least

QString severityWord(plan::Severity severity)
{
    switch (severity) {
    case plan::Severity::Error:
        return ProblemRow::tr("Error");
    case plan::Severity::Warning:
        return ProblemRow::tr("Warning");
    case plan::Severity::Note:
        return ProblemRow::tr("Note");
    }
    return {};
}

QString toolTipOf(const plan::Remedy& remedy)
{
    return remedy.cluster    ? ProblemRow::tr("Change the cluster: %1. Undo brings it back.")
        : remedy.globalBatch ? ProblemRow::tr("Change the batch: %1. Undo brings it back.")
        : remedy.software    ? ProblemRow::tr("Change the software: %1. Undo brings it back.")
                             : ProblemRow::tr("Change the strategy: %1. Undo brings it back.");
}

} // namespace

ProblemSentence::ProblemSentence(const QString& text, bool leadsSomewhere, QWidget* parent)
    : QAbstractButton(parent)
    , m_leadsSomewhere(leadsSomewhere)
{
    setText(text);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    if (leadsSomewhere)
        setCursor(Qt::PointingHandCursor);
}

QSize ProblemSentence::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(text()) + 9, rowHeight(*this)};
}

QSize ProblemSentence::minimumSizeHint() const
{
    return {48, rowHeight(*this)};
}

void ProblemSentence::resizeEvent(QResizeEvent*)
{
    setToolTip(sizeHint().width() > width() ? text() : QString());
}

void ProblemSentence::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensOf(*this);
    QPainter painter(this);
    if (m_leadsSomewhere && underMouse()) {
        QFont line = font();
        line.setUnderline(true);
        painter.setFont(line);
    }
    painter.setPen(t.text);
    const QRect inner = rect().adjusted(4, 0, -4, 0);
    painter.drawText(
        inner, Qt::AlignLeft | Qt::AlignVCenter, fontMetrics().elidedText(text(), Qt::ElideRight, inner.width()));
    if (showsFocus(*this))
        paintFocusRing(painter, QRectF(rect()).adjusted(0, 1, 0, -1), t);
}

RemedyButton::RemedyButton(const QString& text, QWidget* parent)
    : QAbstractButton(parent)
{
    setText(text);
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::TabFocus);
}

QSize RemedyButton::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(text()) + 2 * kGrid + 4, 20};
}

/// Return presses it, too.
void RemedyButton::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter)
        return QAbstractButton::keyPressEvent(event);
    if (!event->isAutoRepeat())
        click();
}

void RemedyButton::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensOf(*this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF pill = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    const bool focus = showsFocus(*this);
    painter.setPen(QPen(isEnabled() ? t.info : t.border, focus ? 2 : 1));
    painter.setBrush(isEnabled() && (isDown() || underMouse()) ? t.accentSoft : t.surface);
    painter.drawRoundedRect(focus ? pill.adjusted(0.5, 0.5, -0.5, -0.5) : pill, pill.height() / 2, pill.height() / 2);
    painter.setPen(isEnabled() ? t.info : t.disabledText);
    painter.drawText(rect(), Qt::AlignCenter, text());
}

ProblemRow::ProblemRow(const plan::Problem& problem, QWidget* parent)
    : QWidget(parent)
    , m_problem(problem)
    , m_sentence(
          new ProblemSentence(QString::fromStdString(narration::describe(problem)), !problem.where.empty(), this))
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_sentence->setAccessibleName(severityWord(problem.severity) + QStringLiteral(": ") + m_sentence->text());
    connect(m_sentence, &QAbstractButton::clicked, this, &ProblemRow::activated);
    for (const plan::Remedy& remedy : m_problem.remedies) {
        const QString label = QString::fromStdString(narration::describe(remedy));
        auto* button = new RemedyButton(label, this);
        button->setToolTip(toolTipOf(remedy).arg(label));
        connect(button, &QAbstractButton::clicked, this, [this, remedy, label] { Q_EMIT remedyChosen(remedy, label); });
        m_remedies.push_back(button);
    }
    if (!m_remedies.empty()) {
        m_more = new RemedyButton(tr("Fix…"), this);
        m_more->setAccessibleName(tr("More remedies"));
        connect(m_more, &QAbstractButton::clicked, this, &ProblemRow::openRemedies);
    }
}

QSize ProblemRow::sizeHint() const
{
    return {320, rowHeight(*this)};
}

QSize ProblemRow::minimumSizeHint() const
{
    return {kLeastText, rowHeight(*this)};
}

void ProblemRow::resizeEvent(QResizeEvent*)
{
    arrange();
}

void ProblemRow::arrange()
{
    const int room = width() - kSentenceLeft;
    // The sentence comes first: what would cut it moves into the menu.
    const int text = m_sentence->sizeHint().width();
    const auto widthOf = [&](std::size_t shown) {
        int sum = 0;
        for (std::size_t i = 0; i < shown; ++i)
            sum += m_remedies[i]->sizeHint().width() + kGrid;
        return shown < m_remedies.size() ? sum + m_more->sizeHint().width() + kGrid : sum;
    };
    m_shown = m_remedies.size();
    while (m_shown > 0 && text + widthOf(m_shown) > room)
        --m_shown;
    const int sentenceWidth = std::max(0, std::min(m_sentence->sizeHint().width(), room - widthOf(m_shown)));
    m_sentence->setGeometry(kSentenceLeft - 4, 0, sentenceWidth, height());
    int x = kSentenceLeft - 4 + sentenceWidth + kGrid;
    const auto place = [&](RemedyButton* button, bool visible) {
        button->setVisible(visible);
        if (!visible)
            return;
        const QSize size = button->sizeHint();
        button->setGeometry(x, (height() - size.height()) / 2, size.width(), size.height());
        x += size.width() + kGrid;
    };
    for (std::size_t i = 0; i < m_remedies.size(); ++i)
        place(m_remedies[i], i < m_shown);
    if (m_more)
        place(m_more, m_shown < m_remedies.size());
}

void ProblemRow::openRemedies()
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (std::size_t i = m_shown; i < m_problem.remedies.size(); ++i) {
        const plan::Remedy& remedy = m_problem.remedies[i];
        const QString label = QString::fromStdString(narration::describe(remedy));
        menu->addAction(label, this, [this, remedy, label] { Q_EMIT remedyChosen(remedy, label); });
    }
    menu->popup(m_more->mapToGlobal(QPoint(0, m_more->height())));
}

void ProblemRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintSeverity(painter, QRectF(0, (height() - kSeverityIcon) / 2.0, kSeverityIcon, kSeverityIcon), tokensOf(*this),
        m_problem.severity);
}

} // namespace stratoplan::widgets
