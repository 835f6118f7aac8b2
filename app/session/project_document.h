// SPDX-License-Identifier: GPL-3.0-or-later
// The document of the window: the one owner of what a person edits and saves. Every edit is a ProjectChange that
// goes through the undo stack as one command; views learn of it by changed(). Files are read and written through
// core/exchange; what goes wrong comes back as a value and leaves the document as it was.
#pragma once

#include "app/session/project_change.h"
#include "core/exchange/document.h"

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <cstdint>
#include <tl/expected.hpp>

namespace stratoplan::session {

class ProjectDocument : public QObject {
    Q_OBJECT

public:
    explicit ProjectDocument(const catalog::Catalog& catalog, QObject* parent = nullptr);
    ~ProjectDocument() override;

    [[nodiscard]] const plan::Project& project() const { return m_document.project; }
    [[nodiscard]] const plan::Plan& plan() const { return m_document.project.plan; }
    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }
    [[nodiscard]] const catalog::Catalog& catalog() const { return m_catalog; }
    /// Fields of the file that nobody knows; kept on saving.
    [[nodiscard]] const exchange::DocumentErrors& warnings() const { return m_document.warnings; }
    /// The text that it was read from, or last saved as; empty for a new one.
    [[nodiscard]] const std::string& original() const { return m_document.original; }

    /// Where the document is saved; empty before the first save.
    [[nodiscard]] const QString& path() const { return m_path; }
    /// File name for people: "gpt3-175b-1024-a100.plan.json".
    [[nodiscard]] QString name() const;
    /// False while there is something that a save would keep and a close would lose.
    [[nodiscard]] bool isClean() const { return m_undo.isClean() && !m_recovered && !m_held; }

    /// One undoable edit. Edits with the same `mergeId` >= 0 that follow one another become one command, until
    /// finishEdit(). An edit that changes nothing is dropped.
    void edit(ProjectChange change, const QString& text, int mergeId = -1);
    /// The same, but kept back until release() or whatever else is done to the document: a drag that is faster than
    /// its estimates then changes the plan no oftener than they can follow. A newer one replaces it.
    void hold(ProjectChange change, const QString& text, int mergeId);
    [[nodiscard]] bool isHolding() const { return m_held.has_value(); }
    void release();
    /// The drag is over: the next edit is a command of its own.
    void finishEdit();
    void undo();
    void redo();

    /// Replaces everything, empties the undo stack. `path` may be empty (an example, a new plan).
    void load(exchange::Document document, const QString& path, const QString& untitledName = {});
    /// The same for a document that was never saved as it stands: it is not clean until it is saved.
    void restore(exchange::Document document, const QString& path);
    /// Reads `path`; on errors the document stays as it is.
    [[nodiscard]] tl::expected<void, exchange::DocumentErrors> open(const QString& path);
    /// Writes atomically to `path` and makes it the document's path.
    [[nodiscard]] tl::expected<void, exchange::DocumentError> save(const QString& path);
    /// The text that save() would write (without an edit that is held).
    [[nodiscard]] std::string text() const;

Q_SIGNALS:
    /// `parts` says what is different; all of them after load().
    void changed(session::ProjectParts parts);
    /// Everything was replaced; comes before changed().
    void loaded();
    void cleanChanged(bool clean);
    void pathChanged(const QString& path);

private:
    friend class EditCommand;
    void apply(const ProjectChange& change);
    /// A file that held a bare plan stays one while there is nothing else to keep.
    [[nodiscard]] bool savesAsPlan() const;

    struct HeldEdit {
        ProjectChange change;
        QString text;
        int mergeId = -1;
    };

    const catalog::Catalog& m_catalog;
    exchange::Document m_document;
    plan::CapacityInputs m_startingCapacity; ///< what a bare plan is given when it is opened
    QUndoStack m_undo;
    QString m_path;
    QString m_untitledName;
    std::optional<HeldEdit> m_held;
    int m_editGeneration = 0;
    bool m_recovered = false;
};

} // namespace stratoplan::session
