// SPDX-License-Identifier: GPL-3.0-or-later
// A long list to choose from: a button that names the choice and opens a list one filters by typing, grouped by family
// or vendor.
#pragma once

#include <QAbstractButton>
#include <QFrame>
#include <QPointer>
#include <QString>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;
class QListWidgetItem;

namespace stratoplan::widgets {

struct PickerItem {
    QString id;
    QString text;
    QString group; ///< heading it stands under; items of a group need not be adjacent
    QString detail; ///< muted, on the right: "80 GB · 312 TFLOP/s"
    QString toolTip; ///< with the source
    bool operator==(const PickerItem&) const = default;
};

/// Items whose text, group or detail hold every word of `filter`, groups in order of first appearance.
[[nodiscard]] std::vector<PickerItem> filtered(const std::vector<PickerItem>& items, const QString& filter);

/// How a line of the list is divided between a name that wants `name` pixels and its detail; the gap is the rest.
struct PickerColumns {
    int name = 0;
    int detail = 0;
};
[[nodiscard]] PickerColumns pickerColumns(int name, const QString& detail, const QFontMetrics& metrics, int width);

/// The open list. Typing filters, arrows move, Enter takes, Esc closes.
class SearchPopup : public QFrame {
    Q_OBJECT

public:
    /// `empty`: what to say in place of the list when there are no items.
    SearchPopup(std::vector<PickerItem> items, const QString& current, const QString& empty, QWidget* parent = nullptr);
    /// Under `anchor`, or above it where there is no room, inside the screen.
    void openAt(const QWidget& anchor);

Q_SIGNALS:
    void picked(const QString& id);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void fill();
    void move(int rows);
    void take(const QListWidgetItem* item);
    std::vector<PickerItem> m_items;
    QString m_current;
    QString m_empty;
    QLineEdit* m_filter;
    QListWidget* m_list;
    QLabel* m_nothing;
};

class Picker : public QAbstractButton {
    Q_OBJECT

public:
    enum class Look {
        Field, ///< a framed field of a form
        Plain, ///< inside a composite field
        Header, ///< muted text at the right of a section's title
    };
    explicit Picker(Look look, QWidget* parent = nullptr);

    void setItems(std::vector<PickerItem> items);
    [[nodiscard]] const std::vector<PickerItem>& items() const { return m_items; }
    /// The chosen item (marked in the list) and what the button says, which may be more: "GPT-3 175B, edited".
    void setCurrent(const QString& id, const QString& text);
    /// The tooltip; the whole name stands above it while the button cuts it.
    void setExplanation(const QString& sentence);
    /// Said in the opened list when there is nothing to choose.
    void setEmptyText(const QString& sentence) { m_empty = sentence; }
    void openList();
    [[nodiscard]] SearchPopup* openedList() const { return m_popup; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// However the list is opened: the last moment to set its items.
    void aboutToOpen();
    void picked(const QString& id);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void updateToolTip();
    [[nodiscard]] bool hasChevron() const;
    Look m_look;
    std::vector<PickerItem> m_items;
    QString m_current;
    QString m_explanation;
    QString m_empty;
    QPointer<SearchPopup> m_popup;
};

} // namespace stratoplan::widgets
