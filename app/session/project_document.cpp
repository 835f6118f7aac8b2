// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project_document.h"
#include "core/capacity/capacity.h"

#include <QFileInfo>
#include <QUndoCommand>

#include <filesystem>
#include <utility>

namespace stratoplan::session {

/// Replaces parts of the project; knows what stood there before.
class EditCommand : public QUndoCommand {
public:
    EditCommand(ProjectDocument& document, ProjectChange change, const QString& text, int mergeId, int generation)
        : QUndoCommand(text)
        , m_document(document)
        , m_before(inverse(change, document.project()))
        , m_after(std::move(change))
        , m_mergeId(mergeId)
        , m_generation(generation)
    {
    }

    void undo() override { m_document.apply(m_before); }
    void redo() override { m_document.apply(m_after); }
    [[nodiscard]] int id() const override { return m_mergeId; }

    bool mergeWith(const QUndoCommand* other) override
    {
        const auto* next = static_cast<const EditCommand*>(other); // ids are given by this class alone
        if (next->m_generation != m_generation || parts(next->m_after) != parts(m_after))
            return false;
        m_after = next->m_after;
        setObsolete(m_after == m_before);
        return true;
    }

private:
    ProjectDocument& m_document;
    ProjectChange m_before;
    ProjectChange m_after;
    int m_mergeId;
    int m_generation;
};

ProjectDocument::ProjectDocument(const catalog::Catalog& catalog, QObject* parent)
    : QObject(parent)
    , m_catalog(catalog)
{
    connect(&m_undo, &QUndoStack::cleanChanged, this, [this] { Q_EMIT cleanChanged(isClean()); });
}

ProjectDocument::~ProjectDocument()
{
    m_undo.disconnect(this); // the stack clears itself while it is destroyed
}

QString ProjectDocument::name() const
{
    if (!m_path.isEmpty())
        return QFileInfo(m_path).fileName();
    return m_untitledName.isEmpty() ? tr("untitled.plan.json") : m_untitledName;
}

void ProjectDocument::edit(ProjectChange change, const QString& text, int mergeId)
{
    if (m_held && (m_held->mergeId != mergeId || parts(m_held->change) != parts(change)))
        release();
    m_held.reset(); // else overtaken by this one
    change = effective(withoutOldName(std::move(change), project(), m_catalog), project());
    if (parts(change))
        m_undo.push(new EditCommand(*this, std::move(change), text, mergeId, m_editGeneration));
}

void ProjectDocument::hold(ProjectChange change, const QString& text, int mergeId)
{
    if (m_held && (m_held->mergeId != mergeId || parts(m_held->change) != parts(change)))
        release();
    m_held = HeldEdit{std::move(change), text, mergeId};
}

void ProjectDocument::release()
{
    if (auto held = std::exchange(m_held, std::nullopt))
        edit(std::move(held->change), held->text, held->mergeId);
}

void ProjectDocument::finishEdit()
{
    release();
    ++m_editGeneration;
}

void ProjectDocument::undo()
{
    finishEdit();
    m_undo.undo();
}

void ProjectDocument::redo()
{
    finishEdit();
    m_undo.redo();
}

void ProjectDocument::apply(const ProjectChange& change)
{
    applyTo(m_document.project, change);
    Q_EMIT changed(parts(change));
}

void ProjectDocument::load(exchange::Document document, const QString& path, const QString& untitledName)
{
    const bool wasClean = isClean();
    m_recovered = false;
    m_held.reset();
    m_document = std::move(document);
    m_startingCapacity = {};
    if (!m_document.hasCapacity)
        m_document.project.capacity = m_startingCapacity = capacity::startingInputs(plan(), m_catalog);
    m_path = path;
    m_untitledName = untitledName;
    m_undo.clear();
    ++m_editGeneration;
    Q_EMIT loaded();
    Q_EMIT pathChanged(m_path);
    Q_EMIT changed(ProjectPart::Plan | ProjectPart::Canvas | ProjectPart::Capacity | ProjectPart::Search
        | ProjectPart::Pinned | ProjectPart::Slides | ProjectPart::Notes);
    if (!wasClean)
        Q_EMIT cleanChanged(true);
}

void ProjectDocument::restore(exchange::Document document, const QString& path)
{
    load(std::move(document), path);
    m_recovered = true;
    Q_EMIT cleanChanged(false);
}

tl::expected<void, exchange::DocumentErrors> ProjectDocument::open(const QString& path)
{
    auto document = exchange::readDocument(std::filesystem::path(path.toStdU16String()), m_catalog);
    if (!document)
        return tl::unexpected(std::move(document.error()));
    load(std::move(*document), QFileInfo(path).absoluteFilePath());
    return {};
}

tl::expected<void, exchange::DocumentError> ProjectDocument::save(const QString& path)
{
    finishEdit();
    std::string written = text();
    if (auto result = exchange::writeFileAtomically(std::filesystem::path(path.toStdU16String()), written); !result)
        return result;
    const bool isStarting = savesAsPlan() && project().capacity == m_startingCapacity;
    m_document.hasCapacity = m_document.hasCapacity || !isStarting;
    m_document.isProject = !savesAsPlan();
    m_document.original = std::move(written);
    const bool pathIsNew = path != m_path;
    m_path = path;
    const bool wasRecovered = std::exchange(m_recovered, false);
    m_undo.setClean();
    if (wasRecovered)
        Q_EMIT cleanChanged(true);
    if (pathIsNew)
        Q_EMIT pathChanged(m_path);
    return {};
}

bool ProjectDocument::savesAsPlan() const
{
    plan::Project planOnly;
    planOnly.plan = plan();
    planOnly.capacity = project().capacity; // a plan has it, too
    return !m_document.isProject && project() == planOnly;
}

std::string ProjectDocument::text() const
{
    const bool isStarting = !m_document.hasCapacity && project().capacity == m_startingCapacity;
    return savesAsPlan()
        ? exchange::writePlan(plan(), m_catalog, m_document.original, isStarting ? nullptr : &project().capacity)
        : writeProject(m_document, m_catalog);
}

} // namespace stratoplan::session
