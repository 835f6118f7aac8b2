// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/sensitivity/sensitivity_dialog.h"

#include "core/narration/problems.h"
#include "core/narration/sensitivities.h"
#include "core/units/sentence.h"
#include "widgets/charts/tornado_chart.h"
#include "widgets/panels/panel_style.h"
#include "widgets/presentation/text.h"
#include "widgets/style/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

namespace stratoplan::gui {

namespace {

constexpr int kFiguresWidth = 300;

using sensitivity::kMeasures;
using sensitivity::Measure;

QString rangeRow(const sensitivity::Answer& plan, Measure measure, const std::string& currency)
{
    const capacity::Spread& range = plan.ranges[std::size_t(measure)];
    const auto figure = [&](double value) {
        return widgets::figureText(measure, value, currency).toHtmlEscaped().replace(u' ', QStringLiteral("&nbsp;"));
    };
    QString row = QStringLiteral("<p style='margin-bottom:8px'>%1<br><b style='font-size:large'>%2</b>")
                      .arg(widgets::figureName(measure), figure(range.mid));
    if (range.low < range.high)
        row += SensitivityDialog::tr("<br>8 in 10 from %1 to %2").arg(figure(range.low), figure(range.high));
    return row + QStringLiteral("</p>");
}

QString plainSentence(std::string sentence)
{
    return widgets::text(asSentence(std::move(sentence)));
}

QString sentencesOf(const session::SensitivityPicture& picture)
{
    const sensitivity::Analysis& analysis = *picture.analysis;
    const std::vector<std::string>& names = picture.request->names;
    QStringList lines{plainSentence(narration::outOfMemory(analysis.plans.front().outOfMemory))};
    constexpr double kAlways = 1 - 1e-9; // where steps are the same, it is told once
    for (std::size_t k = 1; k < analysis.plans.size(); ++k)
        for (const Measure measure : {Measure::Step, Measure::Days, Measure::Cost}) {
            const sensitivity::Answer& other = analysis.plans[k];
            const sensitivity::Chance& chance = other.against[std::size_t(measure)];
            const bool isTold = measure != Measure::Step && other.against[0].ties > kAlways && chance.ties > kAlways;
            if (other.isCompared[std::size_t(measure)] && !isTold)
                lines << plainSentence(
                    narration::beats(SensitivityDialog::tr("this plan").toStdString(), names[k], measure, chance));
        }
    if (analysis.plans.size() == 1)
        lines << SensitivityDialog::tr("Pin a baseline to see the chance that this plan is better.");
    return lines.join(QStringLiteral("\n\n"));
}

} // namespace

SensitivityDialog::SensitivityDialog(QWidget* parent)
    : QDialog(parent)
    , m_run(new QPushButton(this))
{
    setWindowTitle(tr("How sure is this plan?"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setSizeGripEnabled(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    m_run->setAutoDefault(false);
    m_run->setProperty("primary", true);
    connect(m_run, &QPushButton::clicked, this, [this] {
        if (m_running)
            Q_EMIT stopWanted();
        else
            Q_EMIT wanted();
    });
    row->addWidget(makeFigures());
    row->addWidget(makeChart(), 1);
    resize(QSize(1120, 640).boundedTo(parent->screen()->availableGeometry().size() - QSize(24, 48)));
    showState();
}

QWidget* SensitivityDialog::makeFigures()
{
    auto* side = new QWidget(this);
    side->setFixedWidth(kFiguresWidth);
    side->setAutoFillBackground(true);
    side->setBackgroundRole(QPalette::Window);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, widgets::kPanelMargin);
    column->setSpacing(widgets::kGrid);
    auto* texts = new QWidget(side);
    auto* parts = new QVBoxLayout(texts);
    parts->setContentsMargins(widgets::kPanelMargin, widgets::kPanelMargin, widgets::kPanelMargin, 0);
    parts->setSpacing(widgets::kPanelMargin);
    m_figures = new QLabel(texts);
    m_figures->setTextFormat(Qt::RichText);
    m_chances = new QLabel(texts);
    m_method = new QLabel(texts);
    setTextRole(*m_method, widgets::TextRole::Secondary);
    for (QLabel* label : {m_figures, m_chances, m_method}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        parts->addWidget(label);
    }
    m_chances->setTextFormat(Qt::PlainText);
    parts->addStretch(1);
    auto* scroll = new QScrollArea(side);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(texts);
    column->addWidget(scroll, 1);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(widgets::kPanelMargin, 0, widgets::kPanelMargin, 0);
    foot->addWidget(m_run);
    column->addLayout(foot);
    return side;
}

QWidget* SensitivityDialog::makeChart()
{
    auto* side = new QWidget(this);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, widgets::kPanelMargin, 0, 0);
    column->setSpacing(widgets::kRowGap);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(widgets::kPanelMargin, 0, widgets::kPanelMargin, 0);
    auto* label = new QLabel(tr("&Figure"), side);
    m_figure = new QComboBox(side);
    for (const Measure measure : kMeasures)
        m_figure->addItem(widgets::figureName(measure));
    label->setBuddy(m_figure);
    connect(m_figure, &QComboBox::currentIndexChanged, this, &SensitivityDialog::showChart);
    line->addWidget(label);
    line->addWidget(m_figure);
    line->addStretch(1);
    column->addLayout(line);
    m_progress = new QProgressBar(side);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(4);
    m_progress->setAccessibleName(tr("Plans priced"));
    QSizePolicy policy = m_progress->sizePolicy();
    policy.setRetainSizeWhenHidden(true); // nothing jumps
    m_progress->setSizePolicy(policy);
    column->addWidget(m_progress);
    m_notice = new widgets::ToneLabel(widgets::ToneLabel::Tone::Warn, side);
    m_notice->setWordWrap(true);
    m_notice->setContentsMargins(widgets::kPanelMargin, 0, widgets::kPanelMargin, 0);
    column->addWidget(m_notice);
    m_chart = new widgets::TornadoChart(side);
    column->addWidget(m_chart, 1);
    return side;
}

void SensitivityDialog::setPicture(const session::SensitivityPicturePointer& picture, bool running)
{
    // While a newer answer is on its way the older one stays.
    const bool isOfUse = !picture || picture->hasEnded() || !m_picture || !m_picture->hasEnded();
    m_running = running;
    m_progress->setRange(0, picture ? picture->total : 0);
    m_progress->setValue(picture ? picture->done : 0);
    if (isOfUse) {
        m_picture = picture;
        showFigures();
        showChart();
    }
    showState();
}

void SensitivityDialog::setCurrent(bool current)
{
    m_current = current;
    showState();
}

const sensitivity::Answer* SensitivityDialog::answer() const
{
    const bool any = m_picture && m_picture->analysis && !m_picture->analysis->plans.empty();
    return any ? &m_picture->analysis->plans.front() : nullptr;
}

Measure SensitivityDialog::measure() const
{
    return kMeasures[std::size_t(std::max(0, m_figure->currentIndex()))];
}

const std::string& SensitivityDialog::currency() const
{
    return m_picture->request->cases.front().run.currency;
}

void SensitivityDialog::showFigures()
{
    const sensitivity::Answer* const plan = answer();
    QString figures;
    for (const Measure measure : kMeasures)
        if (plan != nullptr && plan->base.knows(measure))
            figures += rangeRow(*plan, measure, currency());
    const bool isDrawn = plan != nullptr && m_picture->analysis->draws > 0;
    m_figures->setText(figures);
    m_chances->setText(isDrawn ? sentencesOf(*m_picture) : QString());
    m_method->setText(isDrawn ? widgets::text(narration::reconciled(*m_picture->analysis)) : QString());
    for (QLabel* label : {m_figures, m_chances, m_method})
        label->setVisible(!label->text().isEmpty());
}

void SensitivityDialog::showChart()
{
    const sensitivity::Answer* const plan = answer();
    if (plan == nullptr) {
        m_chart->setView({},
            tr("Each input is taken to its 10th and 90th percentile,\nand all of them are drawn "
               "together a few hundred times."));
        return;
    }
    const bool isDrawn = m_picture->analysis->draws > 0;
    m_chart->setView(widgets::tornadoView(*plan, measure(), currency(), isDrawn),
        plan->base.knows(measure()) ? tr("No input that is uncertain moves this figure.")
                                    : tr("State a token budget, and a price, to know this figure."));
}

QString SensitivityDialog::noticeText() const
{
    if (m_picture && m_picture->fault) {
        QStringList lines;
        if (const std::size_t plan = m_picture->fault->plan; plan > 0)
            lines << tr("The baseline %1 cannot be compared:").arg(widgets::text(m_picture->request->names[plan]));
        for (const plan::Problem& problem : m_picture->fault->problems)
            lines << widgets::text(narration::describe(problem));
        return lines.join(u'\n');
    }
    if (m_picture && m_picture->analysis && !m_current && !m_running)
        return tr("The plan has changed since.");
    if (m_picture && m_picture->analysis && m_picture->analysis->isStopped)
        return tr("Stopped before all was drawn.");
    return {};
}

void SensitivityDialog::showState()
{
    const bool ended = m_picture && m_picture->hasEnded();
    m_run->setText(m_running ? tr("Stop") : ended ? tr("Draw again") : tr("Draw"));
    m_progress->setVisible(m_running);
    const QString notice = noticeText();
    m_notice->setText(notice);
    m_notice->setVisible(!notice.isEmpty());
}

QString SensitivityDialog::figuresText() const
{
    return m_figures->text();
}

QString SensitivityDialog::chancesText() const
{
    return m_chances->text();
}

QString SensitivityDialog::notice() const
{
    return m_notice->text();
}

} // namespace stratoplan::gui
