// SPDX-License-Identifier: GPL-3.0-or-later
// A line about the work on a partition that takes long: what is done, how much of it, and a way to cancel it or to have
// it done after all.
#pragma once

#include "core/estimate/partitions.h"

#include <QWidget>

class QProgressBar;
class QPushButton;

namespace stratoplan::widgets {
class ElidedLabel;
}

namespace stratoplan::gui {

class FindingRow : public QWidget {
    Q_OBJECT

public:
    explicit FindingRow(QWidget* parent);

    /// Whether any of it is to be seen.
    void showWork(bool shown);
    void showProgress(const estimate::PartitionProgress& progress);
    /// What is said of it, and what the button that has it done after all says; to be seen from now on.
    void showCancelled(const QString& text, const QString& buttonText, const QString& buttonTip);
    [[nodiscard]] QString text() const;
    /// Of permille; it goes where its parent has room for it.
    [[nodiscard]] QProgressBar& bar() const { return *m_bar; }

Q_SIGNALS:
    void cancelWanted();
    void findWanted();

private:
    widgets::ElidedLabel* m_text;
    QPushButton* m_cancel;
    QPushButton* m_find;
    QProgressBar* m_bar;
    bool m_isCancelled = false;
};

} // namespace stratoplan::gui
