// SPDX-License-Identifier: GPL-3.0-or-later
// What every typed field shares: Enter or leaving commits, Esc goes back, arrows, Page Up/Down and the wheel (with
// focus) step, a wrong text is kept, marked and explained, and changes nothing.
#pragma once

#include <QLineEdit>

namespace stratoplan::widgets {

class EntryField : public QLineEdit {
    Q_OBJECT

public:
    explicit EntryField(QWidget* parent = nullptr);

    /// Why the text that stands there was not taken; empty if it was.
    [[nodiscard]] QString error() const { return m_error; }
    /// The unit, written inside the field on the right where the text leaves room for it: a number is not cut for it.
    void setSuffix(const QString& suffix);
    /// Without a frame of its own, inside a composite field.
    void setFrameless(bool frameless);
    /// Takes what is typed, as Enter does. False if it is wrong.
    bool commit();
    /// Back to the value, as Esc does.
    void revert();

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void errorChanged(const QString& error);
    /// Enter took what stands there, or Esc left the value as it was: the person is done with the field.
    void finished();
    void focusChanged(bool focused);

protected:
    enum class Step { Normal, Fine, Coarse };
    /// The value as text.
    [[nodiscard]] virtual QString shownText() const = 0;
    /// Whether what stands there is not the value: commit() takes it.
    [[nodiscard]] virtual bool isPending() const { return text() != shownText(); }
    /// Reads `text`; takes and announces the value, or returns what is wrong with it.
    [[nodiscard]] virtual QString take(const QString& text) = 0;
    /// Moves the value by `steps` and announces it.
    virtual void step(int steps, Step size) = 0;
    /// The value changed: shows it, unless the person is typing or must first mend the text.
    void refresh(bool force);
    /// It shows the value, as it is now.
    virtual void refreshed() { }

    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void setError(const QString& error);
    void stepNow(int steps, Qt::KeyboardModifiers modifiers);
    void updateMargins();

    QString m_error;
    QString m_suffix;
    int m_wheelRest = 0;
    bool m_suffixShown = false;
    bool m_frameless = false;
    bool m_selectOnRelease = false;
};

} // namespace stratoplan::widgets
