// SPDX-License-Identifier: GPL-3.0-or-later
// Everything the window can do, found by typing: an overlay with a search line and the best fits below it.
#pragma once

#include <QPointer>
#include <QString>
#include <QWidget>

#include <functional>
#include <vector>

class QAction;
class QLabel;
class QLineEdit;
class QListView;
class QMenuBar;

namespace stratoplan::widgets {

/// One thing that can be found. `run` is called after the palette has closed.
struct Command {
    QString title; ///< "Save as"
    QString context; ///< "File", "Cluster", "Pinned plan"
    QString shortcut; ///< as people read it; may be empty
    std::function<void()> run;
    bool enabled = true;
};

/// The actions of every menu and submenu, with the names of the menus they stand in.
[[nodiscard]] std::vector<Command> commandsOf(const QMenuBar& menuBar);

class CommandModel;

/// A child of the window that lies over its upper part. Enter runs, arrows choose, Esc or a click beside it closes.
class CommandPalette : public QWidget {
    Q_OBJECT

public:
    using Provider = std::function<std::vector<Command>()>;

    /// `provider` is asked each time the palette opens.
    CommandPalette(Provider provider, QWidget* window);

    void open();
    /// Said in the place of the list where nothing fits.
    [[nodiscard]] const QLabel& nothing() const { return *m_nothing; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void filter(const QString& text);
    void choose(int step);
    void runCurrent();
    void closePalette();

    Provider m_provider;
    QLineEdit* m_search;
    QListView* m_list;
    QLabel* m_nothing;
    CommandModel* m_model;
    QPointer<QWidget> m_focusBefore;
};

} // namespace stratoplan::widgets
