// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/saved_slides.h"

#include "app/session/plan_fields.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace stratoplan::session {

namespace {

QString slideText(const char* text)
{
    return QCoreApplication::translate("SavedSlides", text);
}

} // namespace

void SavedSlides::add(const plan::SavedSlide& slide)
{
    m_document.release();
    ProjectChange edit;
    edit.slides = m_document.project().slides;
    edit.slides->push_back(slide);
    if (slide.name.empty())
        edit.slides->back().name = strategyTitle(slide.plan.strategy).toStdString();
    m_document.edit(std::move(edit), slideText("Save a slide"));
}

void SavedSlides::change(
    int slide, const QString& text, const std::function<void(std::vector<plan::SavedSlide>&)>& edit)
{
    ProjectChange changed;
    changed.slides = m_document.project().slides;
    if (slide < 0 || slide >= static_cast<int>(changed.slides->size()))
        return;
    edit(*changed.slides);
    m_document.edit(std::move(changed), text);
}

void SavedSlides::rename(int slide, const QString& name)
{
    if (!name.trimmed().isEmpty())
        change(slide, slideText("Rename a slide"), [&](std::vector<plan::SavedSlide>& slides) {
            slides[static_cast<std::size_t>(slide)].name = name.trimmed().toStdString();
        });
}

void SavedSlides::move(int slide, int to)
{
    change(slide, slideText("Move a slide"), [&](std::vector<plan::SavedSlide>& slides) {
        const auto from = slides.begin() + slide;
        const auto place = slides.begin() + std::clamp(to, 0, static_cast<int>(slides.size()) - 1);
        if (place < from)
            std::rotate(place, from, from + 1);
        else
            std::rotate(from, from + 1, place + 1);
    });
}

void SavedSlides::remove(int slide)
{
    change(slide, slideText("Remove a slide"),
        [slide](std::vector<plan::SavedSlide>& slides) { slides.erase(slides.begin() + slide); });
}

} // namespace stratoplan::session
