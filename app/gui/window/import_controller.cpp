// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/import_controller.h"

#include "app/gui/calibrate/calibration_binding.h"
#include "app/gui/files/file_controller.h"
#include "app/gui/files/file_dialogs.h"
#include "app/gui/files/import_dialog.h"
#include "app/session/workspace.h"
#include "core/calibration/own_runs.h"
#include "core/exchange/launch_file.h"
#include "core/exchange/recognise.h"
#include "core/exchange/starting_plan.h"
#include "core/narration/problems.h"
#include "core/reporting/documents.h"
#include "core/reporting/topologies.h"
#include "widgets/panels/plan_edits.h"
#include "widgets/presentation/text.h"
#include "widgets/shell/message_bar.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <filesystem>

namespace stratoplan::gui {

namespace {

tl::expected<std::string, exchange::DocumentError> contentOf(const QString& path)
{
    return exchange::readFile(std::filesystem::path(path.toStdU16String()));
}

/// A sentence behind that of the import; empty where it left the strategy as it was.
QString changesOf(const parallel::Strategy& before, const parallel::Strategy& after)
{
    QStringList changes;
    for (const std::string& change : reporting::changes(before, after))
        changes << widgets::text(change);
    return changes.isEmpty()
        ? QString()
        : u' ' + ImportController::tr("Of its strategy changed: %1.").arg(changes.join(QStringLiteral(", ")));
}

/// The first few of them, a line each.
QString reasonsOf(const exchange::DocumentErrors& errors)
{
    QStringList reasons;
    for (const exchange::DocumentError& error : errors)
        reasons << widgets::text(describe(error));
    return reasons.mid(0, 3).join(u'\n');
}

/// Lines behind that of the import: what contradicts itself, what the file does not state, what of it is not used.
QString toldOf(const exchange::ImportedLaunch& imported)
{
    QString lines;
    for (const exchange::DocumentError& warning : imported.warnings)
        lines += u'\n' + widgets::text(describe(warning));
    const auto add = [&](const QString& pattern, const std::vector<std::string>& values) {
        QStringList words;
        for (const std::string& value : values)
            words << widgets::text(value);
        if (!words.isEmpty())
            lines += u'\n' + pattern.arg(words.join(QStringLiteral(", ")));
    };
    add(ImportController::tr("Not stated, taken as: %1."), imported.filled);
    add(ImportController::tr("Not used: %1."), imported.unused);
    return lines;
}

} // namespace

ImportController::ImportController(session::Workspace& workspace, FileController& files,
    CalibrationBinding& calibration, widgets::MessageBar& messages, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_files(files)
    , m_calibration(calibration)
    , m_messages(messages)
{
}

void ImportController::chooseAndImport()
{
    connect(askForFile(m_messages.window(), tr("Import a model or a cluster"),
                tr("Models, launch files and topologies (*.json *.txt *.args *.sh *.toml *.xml *.conf *.csv);;All "
                   "files (*)")),
        &QFileDialog::fileSelected, this, &ImportController::import);
}

void ImportController::refuse(const QString& path, const QString& reason)
{
    m_messages.show(
        widgets::MessageKind::Error, tr("Cannot import %1.\n%2").arg(QDir::toNativeSeparators(path), reason));
}

void ImportController::refuseUnknown(const QString& path, const std::string& content, const QString& reason)
{
    const auto fault = wiring::faultOfText(content);
    refuse(path, fault ? widgets::text(describe(reporting::documentError(*fault))) : reason);
}

void ImportController::offerToOpen(const QString& path)
{
    m_messages.show(widgets::MessageKind::Offer,
        tr("%1 is no model configuration (it has no model_type). Is it a plan or project?")
            .arg(QDir::toNativeSeparators(path)),
        {{tr("Open it"), [this, path] { m_files.open(path); }}});
}

void ImportController::offerProfile(const QString& path)
{
    m_messages.show(widgets::MessageKind::Offer, tr("%1 is a software profile.").arg(QDir::toNativeSeparators(path)),
        {{tr("Use it in this plan"), [this, path] { m_calibration.loadProfile(path); }}});
}

void ImportController::import(const QString& path)
{
    const auto content = contentOf(path);
    if (!content)
        return refuse(path, widgets::text(content.error().found) + u'.');
    switch (exchange::recogniseFile(*content)) {
    case exchange::FileKind::HuggingFace:
        return offer(path, *content);
    case exchange::FileKind::Topology:
        return offerTopology(path, *content);
    case exchange::FileKind::Launch:
        return openLaunch(path, *content);
    case exchange::FileKind::Plan:
        return offerToOpen(path);
    case exchange::FileKind::Profile:
        return offerProfile(path);
    case exchange::FileKind::Cases:
        return refuse(path, tr("It holds measured cases: open them in Tools, Calibrate to your runs."));
    case exchange::FileKind::Kernels:
        return refuse(
            path, tr("It holds measured kernels: stratoplan-cli calibrate makes a software profile of them."));
    case exchange::FileKind::Study:
    case exchange::FileKind::Answers:
        Q_EMIT studyFound({path});
        return;
    case exchange::FileKind::Schedule:
        Q_EMIT scheduleFound(path);
        return;
    case exchange::FileKind::Other:
        return refuseUnknown(path, *content,
            tr("It is no config.json of a Hugging Face model, no launch file and no topology (nvidia-smi topo -m, "
               "NCCL, Slurm, a table of nodes). Tables and logs of runs belong to Tools, Calibrate to your runs."));
    }
}

void ImportController::take(const QString& path)
{
    const auto content = contentOf(path);
    const exchange::FileKind kind =
        content ? exchange::recogniseFile(*content) : exchange::FileKind::Plan; // whose reader says what is wrong
    const bool runs = kind == exchange::FileKind::Cases
        || (kind == exchange::FileKind::Other
            && (calibration::recogniseRunText(*content) == calibration::RunText::MegatronLog
                || calibration::readRunTable(*content, m_workspace.plan()).has_value()));
    if (kind == exchange::FileKind::Plan) {
        m_files.open(path);
    } else if (kind == exchange::FileKind::Profile) {
        m_calibration.loadProfile(path);
    } else if (runs) {
        m_calibration.addFiles({path});
        Q_EMIT calibrationWanted();
    } else if (kind == exchange::FileKind::Other) {
        refuseUnknown(path, *content,
            tr("It is no plan or project, no config.json of a model, no topology of a cluster, no software profile, no "
               "answers of a study, no schedule, and no table or log of runs."));
    } else {
        import(path);
    }
}

void ImportController::offer(const QString& path, const std::string& content, bool standIn)
{
    const auto imported = exchange::importHuggingFace(content, exchange::modelNameOf(path.toStdString()), {},
        {.standIn = standIn}); // the message names the file already
    if (!imported && exchange::mayStandIn(imported.error())) {
        m_messages.show(widgets::MessageKind::Offer,
            tr("%1 has %2, which are not modelled. Attention over a window can stand in for them: the plan says how "
               "far "
               "off that is, and its ranges are wider.")
                .arg(QDir::toNativeSeparators(path), widgets::text(imported.error().front().found)),
            {{tr("Import with stand-ins"), [this, path, content] { offer(path, content, true); }}});
        return;
    }
    if (!imported)
        return refuse(path, reasonsOf(imported.error()));
    const auto start =
        exchange::startingPlan(imported->model, imported->longestSequence, m_workspace.document().catalog());
    auto* dialog =
        new ImportDialog(summaryOf(*imported, start ? reporting::assumptions(*start) : std::vector<std::string>()),
            path, m_messages.window());
    connect(dialog, &ImportDialog::newPlanChosen, this,
        [this, start, name = imported->model.name] { startNew(widgets::text(name), start); });
    connect(dialog, &ImportDialog::thisPlanChosen, this, [this, model = *imported] { useHere(model); });
    dialog->open();
}

void ImportController::offerTopology(const QString& path, const std::string& content)
{
    const catalog::Catalog& catalog = m_workspace.document().catalog();
    const auto imported = wiring::importCluster(content, wiring::recognise(content).value_or(wiring::Format::NodeTable),
        QFileInfo(path).completeBaseName().toStdString(), {}, catalog);
    if (!imported)
        return refuse(path, widgets::text(describe(reporting::documentError(imported.error()))));
    const auto start = exchange::startingPlan(imported->cluster, catalog);
    std::vector<std::string> assumed;
    if (start) {
        assumed = reporting::assumptions(*start);
        assumed.insert(assumed.begin(), reporting::assumedModel(*start));
    }
    auto* dialog = new ImportDialog(summaryOf(*imported, assumed), path, m_messages.window());
    connect(dialog, &ImportDialog::newPlanChosen, this,
        [this, start, name = imported->cluster.name] { startNew(widgets::text(name), start); });
    connect(dialog, &ImportDialog::thisPlanChosen, this, [this, cluster = imported->cluster] { useHere(cluster); });
    dialog->open();
}

void ImportController::openLaunch(const QString& path, const std::string& content)
{
    const auto kind = exchange::recogniseLaunch(content).value_or(exchange::LaunchKind::MegatronLm);
    const QString beside = path + QStringLiteral(".args");
    const auto companion = kind == exchange::LaunchKind::DeepSpeed && QFileInfo::exists(beside)
        ? contentOf(beside)
        : tl::expected<std::string, exchange::DocumentError>();
    if (!companion)
        return refuse(beside, widgets::text(companion.error().found) + u'.');
    const auto imported = exchange::importLaunch(content, kind, QFileInfo(path).completeBaseName().toStdString(), {},
        {.companion = *companion}, m_workspace.document().catalog());
    if (!imported)
        return refuse(path, reasonsOf(imported.error()));
    m_files.openNew(imported->plan, QFileInfo(path).completeBaseName() + QStringLiteral(".plan.json"));
    m_messages.showOfPlan(widgets::MessageKind::Done,
        tr("The plan is that of %1.").arg(QDir::toNativeSeparators(path)) + toldOf(*imported));
}

void ImportController::startNew(const QString& name, const tl::expected<plan::Plan, std::vector<plan::Problem>>& start)
{
    if (!start)
        return refuse(name, widgets::text(narration::describe(start.error().front())));
    m_files.openNew(*start, name + QStringLiteral(".plan.json"));
}

void ImportController::useHere(const exchange::ImportedModel& imported)
{
    m_workspace.document().release();
    const plan::Plan& before = m_workspace.plan();
    const int longest = imported.longestSequence > 0 ? imported.longestSequence : before.training.sequenceLength;
    plan::Plan plan = widgets::withModel(before,
        {.id = {},
            .family = {},
            .model = imported.model,
            .sequenceLength = std::min(before.training.sequenceLength, longest)});
    if (!plan.model.moe)
        plan.strategy.ep = plan.strategy.etp = 1;
    const QString name = widgets::text(imported.model.name);
    const QString changes = changesOf(before.strategy, plan.strategy);
    m_workspace.editPlan(plan, tr("Import %1").arg(name));
    m_messages.showOfPlan(widgets::MessageKind::Done, tr("The plan is of %1.").arg(name) + changes);
}

void ImportController::useHere(const cluster::Cluster& cluster)
{
    m_workspace.document().release();
    const QString name = widgets::text(cluster.name);
    const plan::Plan plan = exchange::onCluster(m_workspace.plan(), cluster);
    const QString changes = changesOf(m_workspace.plan().strategy, plan.strategy);
    m_workspace.editPlan(plan, tr("Import %1").arg(name));
    m_messages.showOfPlan(widgets::MessageKind::Done, tr("The plan is on %1.").arg(name) + changes);
}

} // namespace stratoplan::gui
