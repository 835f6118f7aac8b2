// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/actions.h"

#include "core/exchange/document.h"
#include "core/narration/launches.h"
#include "widgets/style/icons.h"

#include <QAction>
#include <QActionGroup>
#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>

namespace stratoplan::gui {

Actions::Actions(QMenuBar& menuBar, QWidget& window)
    : QObject(&window)
    , m_window(window)
{
    fillFile(menuBar);
    fillEdit(menuBar);
    fillView(menuBar);
    fillPlanAndSearch(menuBar);
    fillTools(menuBar);
    fillExportAndHelp(menuBar);
}

QAction* Actions::add(QMenu* menu, const QString& text, const QKeySequence& shortcut, const QString& iconName)
{
    QAction* action = menu->addAction(text);
    if (!shortcut.isEmpty())
        action->setShortcut(shortcut);
    if (!iconName.isEmpty())
        action->setIcon(widgets::icon(iconName));
    m_window.addAction(action); // shortcuts work while the menu bar is hidden, too
    return action;
}

void Actions::fillFile(QMenuBar& menuBar)
{
    QMenu* menu = menuBar.addMenu(tr("&File"));
    newPlan = add(menu, tr("&New plan"), QKeySequence::New, QStringLiteral("new"));
    open = add(menu, tr("&Open…"), QKeySequence::Open, QStringLiteral("open"));
    recent = menu->addMenu(tr("Open &recent"));
    examples = menu->addMenu(tr("Open &example"));
    for (const exchange::Example& example : exchange::examples()) {
        const QString name = QString::fromStdString(example.name);
        QAction* action = examples->addAction(QString::fromStdString(example.title));
        action->setToolTip(name);
        connect(action, &QAction::triggered, this, [this, name] { Q_EMIT exampleChosen(name); });
    }
    examples->addSeparator();
    openStudy = add(menu, tr("Open s&tudy…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), QStringLiteral("table"));
    openStudy->setToolTip(tr("What stratoplan-cli sweep wrote: JSON lines, one file or all parts"));
    openSchedule = add(menu, tr("Open sc&hedule…"), {}, QStringLiteral("chart-pipeline"));
    openSchedule->setToolTip(
        tr("An order of passes, a line per stage: drawn in the pipeline chart beside the plan's own schedule"));
    exampleStudy = examples->addAction(tr("Answers of a study: how far GPT-3 175B scales"));
    import = add(menu, tr("&Import…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_I), QStringLiteral("import"));
    import->setToolTip(
        tr("A model from a Hugging Face config.json, or a cluster from a topology of nvidia-smi, NCCL or Slurm"));
    menu->addSeparator();
    save = add(menu, tr("&Save"), QKeySequence::Save, QStringLiteral("save"));
    saveAs = add(menu, tr("Save &as…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S), QStringLiteral("save-as"));
    menu->addSeparator();
    quit = add(menu, tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q));
}

void Actions::fillEdit(QMenuBar& menuBar)
{
    QMenu* menu = menuBar.addMenu(tr("&Edit"));
    undo = add(menu, tr("&Undo"), QKeySequence::Undo, QStringLiteral("undo"));
    redo = add(menu, tr("&Redo"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QStringLiteral("redo"));
    menu->addSeparator();
    copyPlan =
        add(menu, tr("&Copy plan as JSON"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), QStringLiteral("copy"));
}

void Actions::fillView(QMenuBar& menuBar)
{
    QMenu* menu = menuBar.addMenu(tr("&View"));
    build = add(menu, tr("&Build"), QKeySequence(Qt::CTRL | Qt::Key_1), QStringLiteral("cluster"));
    explore = add(menu, tr("&Explore"), QKeySequence(Qt::CTRL | Qt::Key_2), QStringLiteral("chart-breakdown"));
    search = add(menu, tr("&Search"), QKeySequence(Qt::CTRL | Qt::Key_3), QStringLiteral("chart-pareto"));
    studies = add(menu, tr("St&udies"), QKeySequence(Qt::CTRL | Qt::Key_4), QStringLiteral("chart-scaling"));
    compare = add(menu, tr("&Compare"), QKeySequence(Qt::CTRL | Qt::Key_5), QStringLiteral("compare"));
    partition = add(menu, tr("Par&tition"), QKeySequence(Qt::CTRL | Qt::Key_7), QStringLiteral("partition"));
    present = add(menu, tr("&Present"), QKeySequence(Qt::Key_F11), QStringLiteral("present"));
    calibrate = new QAction(
        widgets::icon(QStringLiteral("fit")), tr("&Calibrate to your runs"), this); // stands in the Tools menu
    calibrate->setShortcut(Qt::CTRL | Qt::Key_6);
    calibrate->setIconText(tr("Calibrate")); // on its tab
    auto* perspectives = new QActionGroup(this);
    for (QAction* action : {build, explore, search, studies, compare, calibrate, partition, present}) {
        action->setCheckable(true);
        perspectives->addAction(action);
    }
    saveSlide = add(menu, tr("Save view as s&lide…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L));
    saveSlide->setToolTip(tr("Keep what is shown of the plan as a slide of the presentation"));
    menu->addSeparator();
    showInputs = add(menu, tr("&Left panel"), QKeySequence(Qt::Key_F8));
    showDetails = add(menu, tr("&Right panel"), QKeySequence(Qt::Key_F9));
    showProblems = add(menu, tr("Pro&blems"), QKeySequence(Qt::Key_F7));
    for (QAction* action : {showInputs, showDetails, showProblems}) {
        action->setCheckable(true);
        action->setChecked(true);
    }
    clusterTable = add(menu, tr("Cluster as a t&able"), QKeySequence(Qt::CTRL | Qt::Key_T), QStringLiteral("table"));
    clusterTable->setIconText(tr("Table"));
    clusterTable->setToolTip(tr("Build the cluster in a table, or on the canvas (Ctrl+T)"));
    clusterTable->setCheckable(true);
    resetLayout = add(menu, tr("Reset la&yout"), {}, QStringLiteral("layout"));
    menu->addSeparator();
    fillThemes(menu->addMenu(widgets::icon(QStringLiteral("theme")), tr("&Theme")));
    palette =
        add(menu, tr("Find a &command…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P), QStringLiteral("search"));
}

void Actions::fillThemes(QMenu* menu)
{
    m_themes = new QActionGroup(this);
    const auto addTheme = [&](const QString& text, std::optional<widgets::ThemeKind> theme) {
        QAction* action = menu->addAction(text);
        action->setCheckable(true);
        action->setData(theme ? static_cast<int>(*theme) : -1);
        m_themes->addAction(action);
        connect(action, &QAction::triggered, this, [this, theme] { Q_EMIT themeChosen(theme); });
    };
    addTheme(tr("As the &system"), std::nullopt);
    addTheme(tr("&Light"), widgets::ThemeKind::Light);
    addTheme(tr("&Dark"), widgets::ThemeKind::Dark);
    addTheme(tr("&High contrast"), widgets::ThemeKind::HighContrast);
}

void Actions::fillPlanAndSearch(QMenuBar& menuBar)
{
    QMenu* plan = menuBar.addMenu(tr("&Plan"));
    pin = add(plan, tr("&Pin this plan"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D), QStringLiteral("pin"));
    setBaseline = add(plan, tr("Pin as &baseline"), QKeySequence(Qt::CTRL | Qt::Key_B));
    clearPins = add(plan, tr("&Remove all pins"), {}, QStringLiteral("delete"));
    plan->addSeparator();
    sizeRun = add(plan, tr("&Size the run…"), {}, QStringLiteral("gpu"));
    sizeRun->setToolTip(tr("How many accelerators of which kind for so many days, how many tokens for so much money"));
    plan->addSeparator();
    usePartition = add(plan, tr("&Use the best partition"), {}, QStringLiteral("partition"));
    pinPartition = add(plan, tr("Pin &this partition"));
    backToMegatron = add(plan, tr("Back to &Megatron"));
    plan->addSeparator();
    howSure = add(plan, tr("&How sure is this plan?…"));

    QMenu* finding = menuBar.addMenu(tr("&Search"));
    findBest = add(finding, tr("&Find the best"), QKeySequence(Qt::CTRL | Qt::Key_Return), QStringLiteral("find-best"));
    stopSearch = add(finding, tr("&Stop the search"), QKeySequence(Qt::CTRL | Qt::Key_Period), QStringLiteral("stop"));
    adoptBest = add(finding, tr("&Adopt the best found"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return));
    verify = add(finding, tr("&Verify by pricing everything"));
    finding->addSeparator();
    whichNodes = add(finding, tr("&Which nodes to use…"), {}, QStringLiteral("node"));
    finding->setToolTipsVisible(true); // where it is not offered they say why
    stopSearch->setEnabled(false);
    adoptBest->setEnabled(false);
}

void Actions::fillTools(QMenuBar& menuBar)
{
    QMenu* menu = menuBar.addMenu(tr("&Tools"));
    menu->addAction(calibrate);
    m_window.addAction(calibrate);
    loadProfile = add(menu, tr("&Load a software profile…"), {}, QStringLiteral("open"));
    menu->addSeparator();
    audit = add(menu, tr("&Audit a run…"), {}, QStringLiteral("compare"));
    validation = add(menu, tr("&Validation: measured against estimated"), {}, QStringLiteral("chart-scaling"));
}

void Actions::fillExportAndHelp(QMenuBar& menuBar)
{
    QMenu* menu = menuBar.addMenu(tr("E&xport"));
    exportPlan = add(menu, tr("&Plan as JSON…"), QKeySequence(Qt::CTRL | Qt::Key_E), QStringLiteral("export"));
    exportEstimate = add(menu, tr("&Estimate as JSON…"));
    launchFiles = menu->addMenu(tr("Export &launch files"));
    fillLaunchFiles();
    exportProgram = add(menu, tr("Export P&yTorch program…"));
    exportPicture = add(menu, tr("P&icture of the window…"), {}, QStringLiteral("image"));
    menu->addSeparator();
    exportReport = add(menu, tr("&Report…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R), QStringLiteral("export"));
    exportReport->setToolTip(
        tr("The decision, alternatives, charts, risks and evidence as PDF, web page or spreadsheet"));

    QMenu* help = menuBar.addMenu(tr("&Help"));
    shortcuts = add(help, tr("&Keyboard shortcuts"), {}, QStringLiteral("help"));
    shortcuts->setShortcuts({QKeySequence(Qt::Key_F1), QKeySequence(Qt::Key_Question)});
    about = add(help, tr("&About Stratoplan"), {}, QStringLiteral("info"));
}

void Actions::fillLaunchFiles()
{
    for (const launch::Format format : launch::kFormats) {
        const std::string_view name = narration::describe(format);
        const QAction* action = add(launchFiles, tr("%1…").arg(QString::fromUtf8(name.data(), qsizetype(name.size()))));
        connect(action, &QAction::triggered, this, [this, format] { Q_EMIT launchFormatChosen(format); });
    }
}

QAction* Actions::perspective(session::Perspective which) const
{
    switch (which) {
    case session::Perspective::Build:
        return build;
    case session::Perspective::Explore:
        return explore;
    case session::Perspective::Search:
        return search;
    case session::Perspective::Studies:
        return studies;
    case session::Perspective::Compare:
        return compare;
    case session::Perspective::Calibrate:
        return calibrate;
    case session::Perspective::Partition:
        return partition;
    case session::Perspective::Present:
        break;
    }
    return present;
}

void Actions::setRecentFiles(const QStringList& files)
{
    recent->clear();
    recent->setEnabled(!files.isEmpty());
    for (const QString& file : files) {
        QAction* action = recent->addAction(QFileInfo(file).fileName().replace(u'&', QStringLiteral("&&")));
        action->setToolTip(QDir::toNativeSeparators(file));
        connect(action, &QAction::triggered, this, [this, file] { Q_EMIT recentFileChosen(file); });
    }
    recent->setToolTipsVisible(true);
    recent->addSeparator();
    connect(recent->addAction(tr("Forget these")), &QAction::triggered, this, &Actions::recentFilesCleared);
}

void Actions::setTheme(std::optional<widgets::ThemeKind> theme)
{
    for (QAction* action : m_themes->actions())
        action->setChecked(action->data().toInt() == (theme ? static_cast<int>(*theme) : -1));
}

} // namespace stratoplan::gui
