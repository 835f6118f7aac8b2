// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/present/deck.h"

#include "app/gui/present/slide_texts.h"

#include <Qt>

#include <algorithm>

namespace stratoplan::gui {

Deck deckOf(const std::vector<plan::SavedSlide>& saved)
{
    Deck deck;
    for (const plan::SlideView view : plan::kSlideViews)
        if (view != plan::SlideView::Overview)
            deck.push_back({titleOf(view), view, -1});
    for (std::size_t i = 0; i < saved.size(); ++i)
        deck.push_back({QString::fromStdString(saved[i].name), saved[i].view, int(i)});
    return deck;
}

int slideOfKey(int key, int current, int count)
{
    const auto within = [count](int slide) { return std::clamp(slide, 0, std::max(0, count - 1)); };
    switch (key) {
    case Qt::Key_Right:
    case Qt::Key_Down:
    case Qt::Key_Space:
    case Qt::Key_PageDown:
        return within(current + 1);
    case Qt::Key_Left:
    case Qt::Key_Up:
    case Qt::Key_Backspace:
    case Qt::Key_PageUp:
        return within(current - 1);
    case Qt::Key_Home:
        return 0;
    case Qt::Key_End:
        return within(count - 1);
    default:
        break;
    }
    if (key < Qt::Key_0 || key > Qt::Key_9)
        return -1;
    const int slide = key == Qt::Key_0 ? 9 : key - Qt::Key_1;
    return slide < count ? slide : -1;
}

} // namespace stratoplan::gui
