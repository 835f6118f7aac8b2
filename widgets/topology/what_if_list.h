// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of the step where something of the cluster fails, or is faster: a line for each, which can be tried.
#pragma once

#include <QWidget>

#include <vector>

class QAbstractButton;
class QLabel;
class QVBoxLayout;

namespace stratoplan::widgets {

class ToneLabel;

struct WhatIfLine {
    QString what; ///< "A node fails"
    QString answer; ///< "11.4 s, +6.5 %"
    QString note; ///< under it: what the plan would change
    QString button = {}; ///< "Try"; empty: there is nothing to press, and without an answer it is not known yet
    QString explanation = {}; ///< of the button
    bool operator==(const WhatIfLine&) const = default;
};

class WhatIfList final : public QWidget {
    Q_OBJECT
public:
    explicit WhatIfList(QWidget* parent = nullptr);

    /// Hidden without any.
    void setLines(const std::vector<WhatIfLine>& lines);
    [[nodiscard]] const std::vector<WhatIfLine>& lines() const { return m_lines; }
    /// Of a line that has one; nullptr if there is none.
    [[nodiscard]] QAbstractButton* button(int line) const;

Q_SIGNALS:
    void pressed(int line);

private:
    struct Row {
        QWidget* whole;
        QLabel* what;
        QLabel* answer;
        ToneLabel* note;
        QAbstractButton* button;
    };
    void addRow();

    std::vector<WhatIfLine> m_lines;
    std::vector<Row> m_rows;
    QVBoxLayout* m_column;
};

} // namespace stratoplan::widgets
