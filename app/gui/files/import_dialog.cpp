// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/files/import_dialog.h"

#include "core/reporting/documents.h"
#include "core/reporting/topologies.h"
#include "core/units/format.h"
#include "widgets/presentation/text.h"
#include "widgets/style/theme.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace stratoplan::gui {

namespace {

QString bullets(const std::vector<std::string>& lines)
{
    QString list = QStringLiteral("<ul style=\"margin-left:-24px\">");
    for (const std::string& line : lines)
        list +=
            QStringLiteral("<li>%1</li>").arg(widgets::text(line).replace(u'=', QStringLiteral(" = ")).toHtmlEscaped());
    return list + QStringLiteral("</ul>");
}

QString shapeText(const model::Transformer& m)
{
    QStringList parts{ImportDialog::tr("%1 parameters").arg(widgets::text(formatCount(double(parameters(m).total)))),
        ImportDialog::tr("%1 layers").arg(m.layers), ImportDialog::tr("%1 wide").arg(m.hidden),
        ImportDialog::tr("%1 heads").arg(m.heads)};
    if (m.moe)
        parts << ImportDialog::tr("%1 experts, %2 per token").arg(m.moe->experts).arg(m.moe->topK);
    return parts.join(QStringLiteral(" · "));
}

/// What the file does not say, as rich text.
QString leftOpen(const ImportSummary& summary)
{
    QString said;
    if (!summary.filled.empty())
        said +=
            QStringLiteral("<b>%1</b>").arg(ImportDialog::tr("Not in the file, taken as")) + bullets(summary.filled);
    if (!summary.simplified.empty())
        said += QStringLiteral("<b>%1</b>").arg(ImportDialog::tr("Taken more simply")) + bullets(summary.simplified);
    if (said.isEmpty())
        said = summary.allStated;
    if (!summary.assumed.empty())
        said += QStringLiteral("<br><b>%1</b>").arg(ImportDialog::tr("A new plan assumes")) + bullets(summary.assumed);
    return said;
}

QWidget* makeLeftOpen(const QString& said, QWidget* parent)
{
    auto* list = new QLabel(said, parent);
    list->setTextFormat(Qt::RichText);
    list->setWordWrap(true);
    list->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    list->setMargin(8);
    list->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    list->setAccessibleName(ImportDialog::tr("What the file leaves open"));
    auto* scroll = new QScrollArea(parent);
    scroll->setWidget(list);
    scroll->setWidgetResizable(true);
    scroll->setMinimumSize(440, 120);
    return scroll;
}

} // namespace

ImportSummary summaryOf(const exchange::ImportedModel& imported, const std::vector<std::string>& assumed)
{
    return {ImportDialog::tr("Import a model"), widgets::text(imported.model.name), shapeText(imported.model),
        imported.filled, reporting::describe(imported.simplified), assumed,
        ImportDialog::tr("The file states everything that a plan needs of the model."),
        ImportDialog::tr("The plan keeps its cluster and strategy and takes the model; undo takes it back"),
        ImportDialog::tr("A plan of its own, on as few DGX H100 as hold the model")};
}

ImportSummary summaryOf(const wiring::ImportedCluster& imported, const std::vector<std::string>& assumed)
{
    return {ImportDialog::tr("Import a cluster"), widgets::text(imported.cluster.name),
        widgets::text(reporting::describe(imported.cluster)), reporting::describe(imported.filled),
        reporting::describe(imported.remarks), assumed,
        ImportDialog::tr("The file states everything that a plan needs of the cluster."),
        ImportDialog::tr("The plan keeps its model and takes the cluster, with as many replicas as have room; undo "
                         "takes it back"),
        ImportDialog::tr("A plan of its own, of the largest of a few models that fits")};
}

ImportDialog::ImportDialog(const ImportSummary& summary, const QString& file, QWidget* parent)
    : QDialog(parent)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(summary.window);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(24, 20, 24, 16);
    column->setSpacing(8);
    auto* title = new QLabel(summary.title, this);
    title->setTextFormat(Qt::PlainText);
    setTextRole(*title, widgets::TextRole::Title);
    column->addWidget(title);
    auto* content = new QLabel(summary.content, this);
    content->setTextFormat(Qt::PlainText);
    content->setWordWrap(true);
    column->addWidget(content);
    auto* source = new QLabel(QDir::toNativeSeparators(file), this);
    setTextRole(*source, widgets::TextRole::Secondary);
    source->setWordWrap(true);
    column->addWidget(source);

    column->addWidget(makeLeftOpen(leftOpen(summary), this), 1);
    column->addWidget(makeChoices(summary));
    resize(560, 480);
}

QWidget* ImportDialog::makeChoices(const ImportSummary& summary)
{
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    auto* here = buttons->addButton(tr("Use in this plan"), QDialogButtonBox::ActionRole);
    here->setToolTip(summary.hereHint);
    auto* anew = buttons->addButton(tr("New plan"), QDialogButtonBox::AcceptRole);
    anew->setToolTip(summary.newHint);
    anew->setProperty("primary", true);
    anew->setDefault(true);
    anew->setFocus();
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(here, &QPushButton::clicked, this, [this] {
        accept();
        Q_EMIT thisPlanChosen();
    });
    connect(anew, &QPushButton::clicked, this, [this] {
        accept();
        Q_EMIT newPlanChosen();
    });
    return buttons;
}

} // namespace stratoplan::gui
