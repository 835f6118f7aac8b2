// SPDX-License-Identifier: GPL-3.0-or-later
// One line of a form: a label that explains itself and goes back to the default on double-click, one or more controls,
// and beneath them what is wrong with what was typed.
#pragma once

#include "widgets/panels/panel_style.h"

#include <QWidget>
#include <vector>

class QHBoxLayout;
class QLabel;

namespace stratoplan::widgets {

class EntryField;

/// As wide as the longest usual label, so that rows stand in columns; longer ones take what they need.
class FieldLabel : public ToneLabel {
    Q_OBJECT

public:
    explicit FieldLabel(const QString& text, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void defaultAsked();

protected:
    void mouseDoubleClickEvent(QMouseEvent* event) override;
};

class FieldRow : public QWidget {
    Q_OBJECT

public:
    /// `explanation`: one sentence on the term; the tooltip of the label and, where they have none, of the controls.
    FieldRow(const QString& label, const QString& explanation, QWidget* parent = nullptr);

    /// Adds a control to the right of what is there. `name` is its accessible name.
    void add(QWidget* control, const QString& name, int stretch = 1);
    [[nodiscard]] FieldLabel& label() const { return *m_label; }
    [[nodiscard]] QString error() const;
    [[nodiscard]] const std::vector<EntryField*>& entries() const { return m_entries; }
    /// Of the column of labels, so that the fields of a form stand below one another.
    void setLabelWidth(int width);

Q_SIGNALS:
    void defaultAsked();

private:
    void showErrors();
    FieldLabel* m_label;
    QHBoxLayout* m_controls;
    ToneLabel* m_error;
    QString m_explanation;
    std::vector<EntryField*> m_entries;
};

/// A line that only informs: "Parameters   175 B".
class InfoRow : public QWidget {
    Q_OBJECT

public:
    InfoRow(const QString& label, const QString& explanation, QWidget* parent = nullptr);
    void setValue(const QString& value);
    [[nodiscard]] QString value() const;
    void setLabelWidth(int width);

private:
    FieldLabel* m_label;
    QLabel* m_value;
};

/// Takes what is typed but not entered yet in the rows of `form`, as leaving the fields would; the first field whose
/// text is wrong, nullptr if all are right. Rows that are not shown forget a wrong text: nobody could mend it.
EntryField* commitFields(QWidget& form);

/// Gives the labels of all rows inside `form` the width of the widest; returns it.
int alignLabels(QWidget& form);

} // namespace stratoplan::widgets
