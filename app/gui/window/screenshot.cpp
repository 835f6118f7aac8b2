// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/screenshot.h"

#include "app/gui/window/main_window.h"
#include "app/logging.h"

#include <QCoreApplication>
#include <QPixmap>

namespace stratoplan::gui {

namespace {

constexpr std::chrono::milliseconds kLookEvery{50};
constexpr int kLooksBeforePicture = 8; ///< replots are queued, tool bars fade: settled must last a while
constexpr int kLooksWhileDrawing = 400; ///< 20 s: of a long cloud a part is a fair picture
constexpr qint64 kPatience = 240000; ///< ms

} // namespace

Screenshot::Screenshot(MainWindow& window, const QString& file, QObject* parent)
    : QObject(parent)
    , m_window(window)
    , m_file(file)
{
    connect(&m_timer, &QTimer::timeout, this, &Screenshot::look);
    m_timer.start(kLookEvery);
    m_waiting.start();
}

void Screenshot::look()
{
    m_settledLooks = m_window.isSettled() ? m_settledLooks + 1 : 0;
    const int enough = m_window.isStill() ? kLooksBeforePicture : kLooksWhileDrawing;
    if (m_settledLooks >= enough) {
        m_timer.stop();
        take();
    } else if (m_waiting.elapsed() > kPatience) {
        m_timer.stop();
        app::logError("the window did not finish its work in time: no picture");
        QCoreApplication::exit(1);
    }
}

void Screenshot::take()
{
    const bool written = m_window.grab().save(m_file, "PNG");
    if (!written)
        app::logError("cannot write " + m_file.toStdString());
    QCoreApplication::exit(written ? 0 : 1);
}

} // namespace stratoplan::gui
