// SPDX-License-Identifier: GPL-3.0-or-later
// Shortcuts of a window behind a dialog: a window manager may give it the focus, and Qt 6.4 runs them then.
#pragma once

#include <QObject>

namespace stratoplan::widgets {

/// Keeps shortcuts from all windows that a modal dialog blocks, and gives the focus back to it. For the whole program,
/// while it lives.
class BlockedKeys : public QObject {
    Q_OBJECT

public:
    explicit BlockedKeys(QObject* parent);

    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace stratoplan::widgets
