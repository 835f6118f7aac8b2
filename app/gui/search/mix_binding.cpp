// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/search/mix_binding.h"

#include "app/gui/search/mix_dialog.h"
#include "app/gui/search/mix_form.h"
#include "core/narration/mixes.h"
#include "widgets/presentation/dimension_words.h"
#include "widgets/presentation/text.h"

#include <utility>

namespace stratoplan::gui {

MixBinding::MixBinding(session::Workspace& workspace, QWidget& view, session::MixFunctions functions)
    : m_workspace(workspace)
    , m_view(view)
    , m_worker(std::move(functions))
{
    connect(&m_worker, &session::MixWorker::pictureChanged, this, [this](const session::MixPicturePointer& picture) {
        m_picture = picture;
        showPicture();
    });
    connect(&workspace.document(), &session::ProjectDocument::loaded, this, &MixBinding::forget);
    connect(&workspace.document(), &session::ProjectDocument::changed, this, &MixBinding::showPlan);
    connect(&workspace, &session::Workspace::ownEstimateChanged, this, &MixBinding::showStanding);
}

MixDialog& MixBinding::open(QAction* undo, QAction* redo)
{
    if (!m_dialog) {
        m_dialog = new MixDialog(m_view.window());
        if (undo && redo)
            m_dialog->setUndo(*undo, *redo);
        connectDialog();
    }
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
    showPicture();
    showPlan();
    return *m_dialog;
}

void MixBinding::connectDialog()
{
    connect(m_dialog, &MixDialog::searchWanted, this, &MixBinding::search);
    connect(m_dialog, &MixDialog::stopWanted, &m_worker, &session::MixWorker::stop);
    connect(m_dialog, &MixDialog::adoptWanted, this, &MixBinding::adopt);
    connect(m_dialog, &QDialog::finished, &m_worker, &session::MixWorker::stop); // nothing runs unseen
    connect(&m_dialog->form(), &MixForm::changed, this, &MixBinding::showStanding);
}

/// It is of another document.
void MixBinding::forget()
{
    m_worker.forget();
    m_picture.reset();
    m_adopted.reset();
    if (!m_dialog)
        return;
    m_dialog->form().forgetTyped();
    showPicture();
}

void MixBinding::showPlan()
{
    if (!m_dialog || !m_dialog->isVisible())
        return;
    const plan::CapacityInputs& run = m_workspace.document().project().capacity;
    m_dialog->setScope(scope());
    m_dialog->form().setCluster(
        m_workspace.plan().cluster, run.pricePerAcceleratorHour, widgets::text(run.currency)); // shows the standing
}

void MixBinding::showPicture()
{
    if (!m_dialog)
        return;
    m_dialog->setPicture(m_picture, m_currency, m_worker.isRunning());
    showStanding();
}

void MixBinding::showStanding()
{
    if (!m_dialog || !m_dialog->isVisible())
        return;
    m_dialog->setStanding(standing());
    const session::EstimatePointer& estimate = m_workspace.ownEstimate();
    const parallel::Strategy& strategy = m_workspace.plan().strategy;
    std::optional<PlanStep> step;
    if (estimate && *estimate && (*estimate)->strategy == strategy)
        step = {(*estimate)->step, rankCount(strategy), (*estimate)->fits};
    m_dialog->setPlanStep(step);
}

MixStanding MixBinding::standing() const
{
    if (!m_picture)
        return MixStanding::Current;
    const search::MixOptions& asked = m_picture->request->mixes;
    if (session::mixRequest(m_workspace.document().project(), asked) != *m_picture->request)
        return m_adopted && *m_adopted == m_workspace.plan() ? MixStanding::Adopted : MixStanding::OtherPlan;
    const bool inOtherMoney = !asked.prices.empty() && m_currency != m_workspace.document().project().capacity.currency;
    return m_dialog->form().options() == asked && !inOtherMoney ? MixStanding::Current : MixStanding::OtherPrices;
}

QString MixBinding::scope() const
{
    const plan::SearchSettings& settings = m_workspace.document().project().search;
    QStringList words{settings.mode == plan::SearchMode::Simulated ? tr("Simulated") : tr("In closed form"),
        tr("%1 space").arg(widgets::text(settings.space))};
    if (settings.framework != plan::TargetFramework::Any)
        words << widgets::text(catalog::title(settings.framework));
    if (settings.headroom > 0)
        words << tr("%1 of the memory kept free").arg(widgets::shareText(settings.headroom));
    QStringList locked;
    for (const plan::Dimension dimension : settings.locks)
        locked << widgets::tr(widgets::wordsOf(dimension).name);
    if (!locked.isEmpty())
        words << tr("locked: %1").arg(locked.join(tr(", ")));
    return words.join(QStringLiteral(" · "));
}

void MixBinding::search(const search::MixOptions& options)
{
    m_workspace.document().release();
    const plan::Project& project = m_workspace.document().project();
    m_currency = project.capacity.currency;
    auto picture = std::make_shared<session::MixPicture>();
    picture->request = std::make_shared<const session::MixRequest>(session::mixRequest(project, options));
    picture->front = std::make_shared<const std::vector<search::FoundMix>>();
    m_picture = picture;
    m_adopted.reset();
    m_worker.start(picture->request);
    showPicture();
}

void MixBinding::adopt(const search::FoundMix& found)
{
    m_workspace.document().release();
    if (!m_picture || standing() != MixStanding::Current)
        return;
    const plan::Project& project = m_workspace.document().project();
    session::ProjectChange change = session::mixAdoption(project, found);
    m_adopted = std::make_shared<const plan::Plan>(*change.plan);
    m_workspace.document().edit(
        std::move(change), tr("Use %1").arg(widgets::text(narration::describe(project.plan.cluster, found.mix))));
}

} // namespace stratoplan::gui
