// SPDX-License-Identifier: GPL-3.0-or-later
// The slides that a person saved of the views of the project: kept, renamed, put in another order, removed. Every
// change is an undo command of the document.
#pragma once

#include "app/session/project_document.h"

#include <functional>

namespace stratoplan::session {

class SavedSlides {
public:
    explicit SavedSlides(ProjectDocument& document)
        : m_document(document)
    {
    }

    /// As its last slide. An empty name is that of its strategy.
    void add(const plan::SavedSlide& slide);
    void rename(int slide, const QString& name);
    /// To another place among the saved ones; places beyond the ends are the ends.
    void move(int slide, int to);
    void remove(int slide);

private:
    void change(int slide, const QString& text, const std::function<void(std::vector<plan::SavedSlide>&)>& edit);

    ProjectDocument& m_document;
};

} // namespace stratoplan::session
