// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of the step where something of the cluster fails, or is faster: a line for each, which can be tried.
#pragma once

#include <QWidget>

#include <vector>

class QLabel;
class QVBoxLayout;

namespace stratoplan::widgets {

class ToneLabel;

struct WhatIfLine {
    QString what; ///< "A node fails"
    QString answer; ///< "11.4 s, +6.5 %"; empty: not known yet
    QString note; ///< under it: what the plan would change
    bool canBeTried = false;
    bool operator==(const WhatIfLine&) const = default;
};

class WhatIfList final : public QWidget {
    Q_OBJECT
public:
    explicit WhatIfList(QWidget* parent = nullptr);

    /// Hidden without any.
    void setLines(const std::vector<WhatIfLine>& lines);
    [[nodiscard]] const std::vector<WhatIfLine>& lines() const { return m_lines; }

Q_SIGNALS:
    void tried(int line);

private:
    struct Row {
        QWidget* whole;
        QLabel* what;
        QLabel* answer;
        ToneLabel* note;
        QWidget* button;
    };
    void addRow();

    std::vector<WhatIfLine> m_lines;
    std::vector<Row> m_rows;
    QVBoxLayout* m_column;
};

} // namespace stratoplan::widgets
