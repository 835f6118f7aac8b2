// SPDX-License-Identifier: GPL-3.0-or-later
// Keys that reach a window behind a dialog: window managers may give it the focus, and Qt runs its shortcuts then.
#pragma once

#include <QObject>

namespace stratoplan::widgets {

/// Keeps keys from all windows that a modal dialog blocks, and gives the focus back to it. For the whole program, while
/// it lives.
class BlockedKeys : public QObject {
    Q_OBJECT

public:
    explicit BlockedKeys(QObject* parent);

    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace stratoplan::widgets
