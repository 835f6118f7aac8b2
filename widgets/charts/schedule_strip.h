// SPDX-License-Identifier: GPL-3.0-or-later
// A line over the pipeline chart while a schedule is read from a file: which file, what came of it, and what is wrong
// with it.
#pragma once

#include <QWidget>

class QLabel;

namespace stratoplan::widgets {

class ScheduleStrip : public QWidget {
    Q_OBJECT
public:
    explicit ScheduleStrip(QWidget* parent = nullptr);

    /// Shows itself. `wrong`: the file cannot be shown, and `said` tells why.
    void setFile(const QString& name, const QString& said, bool wrong);
    [[nodiscard]] QString text() const;
    [[nodiscard]] bool isWrong() const { return m_wrong; }

Q_SIGNALS:
    void reloadWanted();
    void closeWanted();

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void applyIcon();

    QLabel* m_icon;
    QLabel* m_text;
    bool m_wrong = false;
};

} // namespace stratoplan::widgets
