// SPDX-License-Identifier: GPL-3.0-or-later
// The presentation: one slide in large type, live inputs below it, and what steps, saves and leaves. Type follows the
// height of the page. Keys step where no field or slider takes them.
#pragma once

#include "app/gui/present/deck.h"
#include "app/gui/present/slide_state.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace stratoplan::widgets {
class ElidedLabel;
}

namespace stratoplan::gui {

class LiveStrip;
class SlideArea;

class PresentPage : public QWidget {
    Q_OBJECT

public:
    /// The catalogue must outlive it.
    explicit PresentPage(const catalog::Catalog& catalog, QWidget* parent = nullptr);

    /// The slide that is shown stays so, where it is still among them.
    void setDeck(Deck deck);
    void setState(const SlideState& state);
    /// A newer estimate is on its way.
    void setUpdating(bool updating);
    /// The shown slide has been changed by its live inputs and is not as it was saved.
    void setChanged(bool changed);

    [[nodiscard]] const Deck& deck() const { return m_deck; }
    [[nodiscard]] int current() const { return m_current; }
    [[nodiscard]] const DeckSlide& slide() const { return m_deck[std::size_t(m_current)]; }
    void showSlide(int slide);
    [[nodiscard]] LiveStrip& inputs() const { return *m_strip; }
    [[nodiscard]] SlideArea& area() const { return *m_area; }
    [[nodiscard]] QString counter() const;
    /// Asks for a name; ends with saveWanted().
    void askToSave(plan::SlideView view, const QString& proposed);

Q_SIGNALS:
    void slideChanged();
    void closeWanted();
    /// The shown slide is to be kept with its plan as it stands.
    void saveAsked();
    void saveWanted(plan::SlideView view, const QString& name);
    // Of a saved slide.
    void renameWanted(int saved, const QString& name);
    void moveWanted(int saved, int to);
    void removeWanted(int saved);
    /// The plan of the slide, as it is shown, is to be the document's.
    void adoptWanted();
    /// The slide is to be shown as it was saved.
    void resetWanted();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHeader();
    QWidget* makeFooter();
    QPushButton* addButton(const QString& icon, const QString& text, const QString& explanation);
    void connectButtons();
    void showControls();
    void applyUnit();
    void askToRename();

    Deck m_deck;
    int m_current = 0;
    widgets::ElidedLabel* m_title;
    widgets::ElidedLabel* m_plan;
    QLabel* m_busy;
    SlideArea* m_area;
    LiveStrip* m_strip;
    QLabel* m_counter;
    std::vector<QPushButton*> m_buttons;
    QPushButton* m_close = nullptr;
    QPushButton* m_back = nullptr;
    QPushButton* m_next = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_live = nullptr; ///< shows and hides the live inputs
    // Of saved slides
    QPushButton* m_rename = nullptr;
    QPushButton* m_earlier = nullptr;
    QPushButton* m_later = nullptr;
    QPushButton* m_remove = nullptr;
    QPushButton* m_adopt = nullptr;
    QPushButton* m_reset = nullptr;
    bool m_changed = false;
    double m_unit = 0;
};

} // namespace stratoplan::gui
