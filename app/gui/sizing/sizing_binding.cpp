// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/sizing/sizing_binding.h"

#include "app/gui/sizing/sizing_dialog.h"
#include "app/gui/sizing/sizing_form.h"
#include "app/gui/sizing/sizing_texts.h"
#include "widgets/presentation/numbers.h"
#include "widgets/presentation/text.h"

#include <utility>

namespace stratoplan::gui {

SizingBinding::SizingBinding(session::Workspace& workspace, QWidget& view, session::SizingFunctions functions)
    : m_workspace(workspace)
    , m_view(view)
    , m_worker(std::move(functions))
{
    connect(
        &m_worker, &session::SizingWorker::pictureChanged, this, [this](const session::SizingPicturePointer& picture) {
            m_picture = picture;
            showPicture();
        });
    connect(&workspace.document(), &session::ProjectDocument::loaded, this, &SizingBinding::forget);
    connect(&workspace.document(), &session::ProjectDocument::changed, this, &SizingBinding::showProject);
    connect(&workspace, &session::Workspace::ownEstimateChanged, this, &SizingBinding::showRun);
}

SizingDialog& SizingBinding::open(QAction* undo, QAction* redo)
{
    if (!m_dialog) {
        m_dialog = new SizingDialog(m_workspace.document().catalog(), m_view.window());
        if (undo && redo)
            m_dialog->setUndo(*undo, *redo);
        connectDialog();
    }
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
    showPicture();
    showProject();
    return *m_dialog;
}

void SizingBinding::connectDialog()
{
    connect(m_dialog, &SizingDialog::searchWanted, this, &SizingBinding::search);
    connect(m_dialog, &SizingDialog::stopWanted, &m_worker, &session::SizingWorker::stop);
    connect(m_dialog, &SizingDialog::adoptWanted, this, &SizingBinding::adopt);
    connect(m_dialog, &QDialog::finished, &m_worker, &session::SizingWorker::stop); // nothing runs unseen
    SizingForm& form = m_dialog->form();
    connect(&form, &SizingForm::changed, this, &SizingBinding::showStanding);
    connect(&form, &SizingForm::moneyChanged, this, &SizingBinding::showRun);
    connect(&form, &SizingForm::capacityEdited, this,
        [this](const plan::CapacityInputs& inputs, const QString& text) { m_workspace.editCapacity(inputs, text); });
}

/// It is of another document.
void SizingBinding::forget()
{
    m_worker.forget();
    m_picture.reset();
    m_adopted.reset();
    if (!m_dialog)
        return;
    m_dialog->form().forgetTyped();
    showPicture();
}

void SizingBinding::showProject()
{
    if (!m_dialog || !m_dialog->isVisible())
        return;
    m_dialog->form().setProject(m_workspace.document().project());
    showRun();
    showStanding();
}

/// The plan as it is: its days, and what money pays for on it.
void SizingBinding::showRun()
{
    if (!m_dialog || !m_dialog->isVisible())
        return;
    const plan::Project& project = m_workspace.document().project();
    const session::EstimatePointer& known = m_workspace.ownEstimate();
    const session::PlanPointer& estimated = m_workspace.estimatedPlan();
    const bool isNewest = known == m_workspace.estimate(); // else a strategy is previewed
    const bool isOfPlan = known && *known
        && (isNewest ? estimated && *estimated == project.plan : (*known)->strategy == project.plan.strategy);
    const estimate::Estimate* const estimate = isOfPlan ? &**known : nullptr;
    SizingForm& form = m_dialog->form();
    form.setPlanRun(planRunText(project.plan, estimate, project.capacity));
    const PaidTokens paid = paidTokens(form.money(), project.plan, estimate, project.capacity);
    form.setMoneyAnswer(paid.text, paid.tokens);
}

void SizingBinding::showPicture()
{
    if (!m_dialog)
        return;
    m_dialog->setPicture(m_picture, m_worker.isRunning());
    showStanding();
}

void SizingBinding::showStanding()
{
    if (m_dialog && m_dialog->isVisible())
        m_dialog->setStanding(standing());
}

SizingStanding SizingBinding::standing() const
{
    if (!m_picture)
        return SizingStanding::Current;
    const session::SizingQuestion& asked = m_picture->request->question;
    session::ProjectDocument& document = m_workspace.document();
    if (sizingRequest(document.project(), document.catalog(), asked) != *m_picture->request)
        return m_adopted && *m_adopted == m_workspace.plan() ? SizingStanding::Adopted : SizingStanding::OtherPlan;
    return m_dialog->form().question() == asked ? SizingStanding::Current : SizingStanding::OtherQuestion;
}

void SizingBinding::search(const session::SizingQuestion& question)
{
    session::ProjectDocument& document = m_workspace.document();
    document.release();
    auto picture = std::make_shared<session::SizingPicture>();
    picture->request = std::make_shared<const session::SizingRequest>(
        session::sizingRequest(document.project(), document.catalog(), question));
    picture->kinds.resize(picture->request->kinds.size());
    m_picture = picture;
    m_adopted.reset();
    m_worker.start(picture->request);
    showPicture();
}

void SizingBinding::adopt(const session::SizingKind& kind, const sizing::SizingAnswer& found)
{
    session::ProjectDocument& document = m_workspace.document();
    document.release();
    if (!m_picture || standing() != SizingStanding::Current)
        return;
    session::ProjectChange change = session::sizingAdoption(document.project(), kind, found);
    document.edit(std::move(change),
        tr("Use %1 × %2")
            .arg(widgets::groupedNumber(found.plan.cluster.nodes.front().count), widgets::text(kind.name)));
    m_adopted = std::make_shared<const plan::Plan>(m_workspace.plan()); // which may have lost the cluster's old name
    showStanding();
}

} // namespace stratoplan::gui
