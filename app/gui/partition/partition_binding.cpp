// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/partition/partition_binding.h"

#include "app/gui/files/file_controller.h"
#include "app/gui/partition/partition_page.h"
#include "app/session/workspace.h"
#include "widgets/partition/partition_explorer.h"
#include "widgets/shell/message_bar.h"

namespace stratoplan::gui {

PartitionBinding::PartitionBinding(session::Workspace& workspace, PartitionPage& page, FileController& files,
    widgets::MessageBar& messages, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_page(page)
    , m_lostPin(messages)
{
    session::ProjectDocument& document = workspace.document();
    connect(&document, &session::ProjectDocument::loaded, this, [this] {
        m_page.setReport(nullptr);
        m_lostPin.forget();
    });
    connect(&document, &session::ProjectDocument::changed, this, &PartitionBinding::planChanged);
    connect(&workspace.partitions(), &session::PartitionWorker::reported, this, &PartitionBinding::showReport);
    connect(&workspace.partitions(), &session::PartitionWorker::progressed, &page, &PartitionPage::setProgress);
    connect(&page, &PartitionPage::cancelWanted, this, &PartitionBinding::cancel);
    connect(&page, &PartitionPage::findWanted, this, &PartitionBinding::findAgain);
    connect(&page, &PartitionPage::strategyWanted, &workspace, &session::Workspace::editStrategy);
    connect(&page.explorer(), &widgets::PartitionExplorer::reported, this, [&messages](bool good, const QString& text) {
        messages.show(good ? widgets::MessageKind::Done : widgets::MessageKind::Error, text);
    });
    connect(&page, &PartitionPage::exportWanted, this, [&files](const exchange::TorchModule& module) {
        files.exportText(tr("PyTorch program"), QStringLiteral("partition.py"), tr("Python (*.py)"),
            [module] { return torchModule(module); });
    });
}

void PartitionBinding::setActive(bool active)
{
    m_active = active;
    ask();
}

bool PartitionBinding::isSettled() const
{
    return !m_active || (m_isAsked && !m_workspace.partitions().isWorking());
}

void PartitionBinding::planChanged(session::ProjectParts parts)
{
    if (!parts.testFlag(session::ProjectPart::Plan))
        return;
    m_lostPin.planChanged(m_workspace.plan());
    m_isAsked = false;
    if (!m_active)
        m_workspace.partitions().forget();
    m_page.setPlan(m_workspace.plan());
    ask();
}

void PartitionBinding::ask()
{
    if (!m_active || m_isAsked)
        return;
    m_isAsked = true;
    m_page.setFinding(PartitionPage::Finding::Running);
    m_workspace.partitions().request(std::make_shared<const plan::Plan>(m_workspace.plan()));
}

void PartitionBinding::showReport(const session::PartitionReportPointer& report)
{
    using enum PartitionPage::Finding;
    m_page.setReport(report);
    const session::PartitionResult& result = *report->result;
    const bool isWorking = m_workspace.partitions().isWorking();
    m_page.setFinding(isWorking ? Running : result && result->lacksFront() ? Cancelled : Settled);
}

void PartitionBinding::cancel()
{
    m_workspace.partitions().cancel();
    m_page.setFinding(PartitionPage::Finding::Cancelled);
}

void PartitionBinding::findAgain()
{
    m_page.setFinding(PartitionPage::Finding::Running);
    m_workspace.partitions().resume(std::make_shared<const plan::Plan>(m_workspace.plan()));
}

} // namespace stratoplan::gui
