// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/sensitivity/sensitivity_binding.h"

#include "app/gui/sensitivity/sensitivity_dialog.h"

#include <utility>

namespace stratoplan::gui {

SensitivityBinding::SensitivityBinding(
    session::Workspace& workspace, QWidget& view, session::SensitivityWorker::Work work)
    : m_workspace(workspace)
    , m_view(view)
    , m_worker(std::move(work))
{
    connect(&m_worker, &session::SensitivityWorker::pictureChanged, this,
        [this](const session::SensitivityPicturePointer& picture) {
            m_picture = picture;
            showPicture();
        });
    connect(&workspace.document(), &session::ProjectDocument::loaded, this, &SensitivityBinding::forget);
    connect(&workspace.document(), &session::ProjectDocument::changed, this, &SensitivityBinding::showStanding);
}

SensitivityDialog& SensitivityBinding::open()
{
    if (!m_dialog) {
        m_dialog = new SensitivityDialog(m_view.window());
        connectDialog();
    }
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
    if (!isCurrent())
        start();
    showPicture();
    return *m_dialog;
}

void SensitivityBinding::connectDialog()
{
    connect(m_dialog, &SensitivityDialog::wanted, this, &SensitivityBinding::start);
    connect(m_dialog, &SensitivityDialog::stopWanted, &m_worker, &session::SensitivityWorker::stop);
    connect(m_dialog, &QDialog::finished, &m_worker, &session::SensitivityWorker::stop); // nothing runs unseen
}

/// It is of another document.
void SensitivityBinding::forget()
{
    m_worker.forget();
    m_picture.reset();
    showPicture();
}

void SensitivityBinding::start()
{
    m_workspace.document().release();
    m_worker.start(std::make_shared<const session::SensitivityRequest>(
        session::sensitivityRequest(m_workspace.document().project())));
    showPicture();
}

void SensitivityBinding::showPicture()
{
    if (!m_dialog)
        return;
    m_dialog->setPicture(m_picture, m_worker.isRunning());
    showStanding();
}

void SensitivityBinding::showStanding()
{
    if (m_dialog && m_dialog->isVisible())
        m_dialog->setCurrent(isCurrent());
}

bool SensitivityBinding::isCurrent() const
{
    return m_picture && m_picture->hasEnded()
        && *m_picture->request == session::sensitivityRequest(m_workspace.document().project());
}

} // namespace stratoplan::gui
