// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/study_chart.h"

#include "widgets/presentation/text.h"

namespace stratoplan::widgets {

void StudyChart::setAnswers(const StudyPointer& answers, StudyMeasure measure)
{
    if (answers != m_answers)
        m_chosen.reset();
    m_answers = answers;
    m_measure = measure;
    forgetHover();
}

void StudyChart::setChosen(std::optional<std::size_t> answer)
{
    if (answer == m_chosen)
        return;
    m_chosen = answer;
    replot();
}

QString StudyChart::amount(double value) const
{
    return measureText(m_measure, value, m_answers->currency);
}

QString StudyChart::toolTipOf(std::size_t point) const
{
    const auto answer = answerAt(point);
    if (!answer)
        return tr("No answer here: the study does not have this plan, or its part was not opened.");
    const exchange::StudyPoint& p = m_answers->points[*answer];
    QStringList lines{QStringLiteral("<b>%1</b>").arg(placeText(*m_answers, p).toHtmlEscaped())};
    if (p.isPriced()) {
        if (const auto value = measured(p, m_measure))
            lines << tr("%1: %2").arg(measureName(m_measure), amount(*value));
        lines << tr("%1 per step · %2 · MFU %3").arg(text(p.step), tokenRateText(p.tokensPerSecond), shareText(p.mfu));
        lines << (p.outcome == exchange::StudyPoint::Outcome::Fits ? tr("%1 peak memory, fits")
                                                                   : tr("%1 peak memory, too large"))
                     .arg(text(p.peak));
    } else {
        lines << (p.outcome == exchange::StudyPoint::Outcome::NothingFits
                ? tr("No strategy fits into memory")
                : QString::fromStdString(p.reason).toHtmlEscaped());
    }
    if (m_opensPlans)
        lines << tr("Double-click or Enter opens it as a plan");
    return QStringLiteral("<div style='white-space:nowrap'>%1</div>").arg(lines.join(QStringLiteral("<br>")));
}

void StudyChart::choose(std::size_t point)
{
    if (const auto answer = answerAt(point))
        Q_EMIT chosen(*answer);
}

void StudyChart::activate(std::size_t point)
{
    if (const auto answer = answerAt(point))
        Q_EMIT opened(*answer);
}

bool StudyChart::pointerDoubleClicked(QPointF at)
{
    const auto point = pointNear(at);
    if (point)
        activate(*point);
    return point.has_value();
}

} // namespace stratoplan::widgets
