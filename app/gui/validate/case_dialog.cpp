// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/validate/case_dialog.h"

#include "app/gui/validate/validation_model.h"
#include "app/session/plan_fields.h"
#include "core/reporting/worst_cases.h"
#include "core/units/format.h"
#include "widgets/presentation/text.h"
#include "widgets/style/theme.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <optional>

namespace stratoplan::gui {

namespace {

QString row(const QString& name, const QString& value)
{
    return QStringLiteral("<tr><td style=\"padding-right:16px\">%1</td><td>%2</td></tr>")
        .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
}

QString figures(const validation::WorstCase& worst)
{
    const validation::ReportPoint& point = worst.point;
    QString rows = row(worst.memory ? CaseDialog::tr("Measured peak of memory") : CaseDialog::tr("Measured step time"),
                       amountText(point.measured, point.measured, worst.memory))
        + row(CaseDialog::tr("Estimated"),
            QStringLiteral("%1 (%2)").arg(
                amountText(point.estimated, point.measured, worst.memory), widgets::signedShareText(point.error())));
    if (worst.leftOut)
        rows +=
            row(CaseDialog::tr("With its model shape left out of the fit"), widgets::signedShareText(*worst.leftOut));
    const std::string reason = reporting::likelyReason(worst);
    if (!worst.memory)
        rows +=
            row(CaseDialog::tr("Likely reason"), reason.empty() ? CaseDialog::tr("Not known") : widgets::text(reason));
    return rows;
}

QString heading(const QString& title)
{
    return QStringLiteral("<tr><td colspan=2 style=\"padding-top:12px\"><b>%1</b></td></tr>")
        .arg(title.toHtmlEscaped());
}

QString paragraph(const QString& title, const QString& words)
{
    return QStringLiteral("<p><b>%1</b><br>%2</p>").arg(title, words.toHtmlEscaped());
}

/// Every trait that is not as in most runs, part by part.
QString settings(const validation::MeasuredCase& measured)
{
    QString rows;
    std::optional<session::PlanPart> part;
    for (const session::PlanField& field : session::planFields(measured.plan)) {
        if (part != field.part) {
            part = field.part;
            rows += heading(planPartText(field.part));
            if (field.part == session::PlanPart::Training && measured.batchScale != 1)
                rows += row(CaseDialog::tr("Measured on"),
                    CaseDialog::tr("%1 times this batch").arg(widgets::text(formatNumber(measured.batchScale))));
        }
        if (!field.usual)
            rows += row(field.label, field.text);
    }
    return rows;
}

QString contentOf(const validation::MeasuredCase& measured, const validation::WorstCase& worst)
{
    QStringList filled;
    for (const std::string& field : measured.filled)
        filled << widgets::text(field);
    return QStringLiteral("<table cellspacing=0 cellpadding=2>%1</table>").arg(figures(worst) + settings(measured))
        + (filled.isEmpty()
                ? QString()
                : paragraph(CaseDialog::tr("Not stated by the source, taken as"), filled.join(QStringLiteral(", "))))
        + paragraph(CaseDialog::tr("Published in"),
            measured.citation.empty() ? CaseDialog::tr("Not stated") : widgets::text(measured.citation));
}

} // namespace

CaseDialog::CaseDialog(const validation::MeasuredCase& measured, const validation::WorstCase& worst, QWidget* parent)
    : QDialog(parent)
    , m_text(new QLabel(this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Measured case"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(24, 20, 24, 16);
    column->setSpacing(8);
    auto* title = new QLabel(widgets::text(measured.id), this);
    setTextRole(*title, widgets::TextRole::Title);
    column->addWidget(title);
    m_text->setText(contentOf(measured, worst));
    m_text->setTextFormat(Qt::RichText);
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_text->setAccessibleName(tr("What is known of the case"));
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(m_text);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    column->addWidget(scroll, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* open = buttons->addButton(tr("Open as plan"), QDialogButtonBox::AcceptRole);
    open->setToolTip(tr("A new plan with the model, cluster and settings of this case"));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(open, &QPushButton::clicked, this, [this, plan = measured.plan] {
        accept();
        Q_EMIT planWanted(plan);
    });
    column->addWidget(buttons);
    resize(600, 640);
}

QString CaseDialog::content() const
{
    return m_text->text();
}

} // namespace stratoplan::gui
