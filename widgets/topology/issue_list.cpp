// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/issue_list.h"

#include "widgets/panels/panel_style.h"
#include "widgets/panels/problems_panel.h"
#include "widgets/style/theme.h"
#include "widgets/topology/topology_text.h"

#include <QPainter>

#include <algorithm>

namespace stratoplan::widgets {

namespace {

constexpr std::size_t kMostRows = 6; ///< the rest is counted

/// Severity by shape and colour, in a square of its own.
class SeverityMark final : public QWidget {
public:
    SeverityMark(std::optional<plan::Severity> severity, QWidget* parent)
        : QWidget(parent)
        , m_severity(severity)
    {
        setFixedSize(18, 18);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        paintSeverity(painter, QRectF(1, 2, 14, 14), tokensOf(*this), m_severity);
    }

private:
    std::optional<plan::Severity> m_severity;
};

} // namespace

IssueList::IssueList(QWidget* parent)
    : QWidget(parent)
    , m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(kPanelMargin, 0, kPanelMargin, kPanelMargin);
    m_column->setSpacing(kRowGap);
    setAccessibleName(tr("Issues"));
}

QStringList IssueList::sentences() const
{
    return m_sentences;
}

void IssueList::setCluster(const cluster::Cluster& cluster, const std::vector<std::string>& elements)
{
    while (QLayoutItem* item = m_column->takeAt(0)) {
        // A button may be the sender of the edit that led here.
        if (QWidget* w = item->widget()) {
            w->hide();
            w->deleteLater();
        }
        delete item;
    }
    m_sentences.clear();
    std::vector<ClusterIssue> issues;
    if (!cluster.nodes.empty() || !cluster.switches.empty())
        issues = reviewCluster(cluster);
    if (!elements.empty())
        std::erase_if(issues, [&](const ClusterIssue& i) {
            return std::find(elements.begin(), elements.end(), i.element) == elements.end();
        });
    setVisible(!issues.empty());
    if (issues.empty())
        return;
    auto* heading = new QLabel(tr("To check"), this);
    setTextRole(*heading, TextRole::Section);
    m_column->addWidget(heading);
    for (std::size_t i = 0; i < std::min(issues.size(), kMostRows); ++i)
        addIssue(cluster, issues[i]);
    if (issues.size() > kMostRows)
        m_column->addWidget(
            new ToneLabel(tr("and %1 more").arg(issues.size() - kMostRows), ToneLabel::Tone::Secondary, this));
}

void IssueList::addIssue(const cluster::Cluster& cluster, const ClusterIssue& issue)
{
    const QString sentence = describe(cluster, issue);
    m_sentences << sentence;
    auto* row = new QWidget(this);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 2, 0, 2);
    line->setSpacing(4);
    line->addWidget(new SeverityMark(issue.severity, row), 0, Qt::AlignTop);
    auto* column = new QVBoxLayout;
    column->setSpacing(4);
    auto* text = new QLabel(sentence, row);
    text->setWordWrap(true);
    text->setTextFormat(Qt::PlainText);
    column->addWidget(text);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(4);
    const auto addButton = [&](const QString& label, const auto& act) {
        auto* button = new RemedyButton(label, row);
        button->setAccessibleDescription(sentence);
        connect(button, &QAbstractButton::clicked, this, act);
        buttons->addWidget(button);
    };
    if (!issue.element.empty())
        addButton(tr("Zoom to it"), [this, id = fromText(issue.element)] { Q_EMIT elementRequested(id); });
    if (const QString label = mendLabel(cluster, issue); !label.isEmpty())
        addButton(label, [this, cluster, issue, label] {
            if (const auto next = mended(cluster, issue))
                Q_EMIT mendRequested(*next, label);
        });
    if (buttons->count() > 0) {
        buttons->addStretch();
        column->addLayout(buttons);
    } else {
        delete buttons;
    }
    line->addLayout(column, 1);
    m_column->addWidget(row);
}

} // namespace stratoplan::widgets
