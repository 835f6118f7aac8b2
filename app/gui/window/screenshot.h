// SPDX-License-Identifier: GPL-3.0-or-later
// Takes the picture of a window once everything it asked for is on the screen, then ends the program.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

namespace stratoplan::gui {

class MainWindow;

class Screenshot : public QObject {
    Q_OBJECT

public:
    Screenshot(MainWindow& window, const QString& file, QObject* parent);

private:
    void look();
    void take();

    MainWindow& m_window;
    QString m_file;
    QTimer m_timer;
    QElapsedTimer m_waiting;
    int m_settledLooks = 0;
};

} // namespace stratoplan::gui
