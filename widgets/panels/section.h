// SPDX-License-Identifier: GPL-3.0-or-later
// A titled, collapsible group of rows with a preset chooser at the right of its title.
#pragma once

#include <QAbstractButton>
#include <QWidget>

class QVBoxLayout;

namespace stratoplan::widgets {

class Picker;

/// The title; a click or Space folds and unfolds.
class SectionTitle : public QAbstractButton {
    Q_OBJECT

public:
    explicit SectionTitle(const QString& title, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

class Section : public QWidget {
    Q_OBJECT

public:
    explicit Section(const QString& title, QWidget* parent = nullptr);

    [[nodiscard]] Picker& preset() const { return *m_preset; }
    void setCollapsed(bool collapsed);
    [[nodiscard]] bool isCollapsed() const;

protected:
    void addRow(QWidget* row);

private:
    SectionTitle* m_title;
    Picker* m_preset;
    QWidget* m_body;
    QVBoxLayout* m_rows;
};

} // namespace stratoplan::widgets
