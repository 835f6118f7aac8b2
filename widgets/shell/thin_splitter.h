// SPDX-License-Identifier: GPL-3.0-or-later
// A splitter whose handle is the one-pixel line between two panels; Qt widens the place to grab it.
#pragma once

#include <QSplitter>

namespace stratoplan::widgets {

class ThinSplitter : public QSplitter {
    Q_OBJECT

public:
    explicit ThinSplitter(Qt::Orientation orientation, QWidget* parent = nullptr);

protected:
    QSplitterHandle* createHandle() override;
};

} // namespace stratoplan::widgets
