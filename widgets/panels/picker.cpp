// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/picker.h"

#include "widgets/panels/panel_style.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QScreen>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>

namespace stratoplan::widgets {

namespace {

enum Role { IdRole = Qt::UserRole, DetailRole, HeadingRole };
constexpr int kPopupWidth = 344;
constexpr int kItemHeight = 26;
constexpr int kChevronRoom = 12;
constexpr int kPlainLeft = 7; ///< around the name of a picker without a frame
constexpr int kPlainRight = 2;
constexpr int kEmptyRows = 3; ///< room for a sentence

/// Text on the left, detail muted on the right; headings small and strong.
class PickerDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        return {kPopupWidth - 32, kItemHeight};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Tokens& t = tokensOf(*option.widget);
        const QRect inner = option.rect.adjusted(kGrid, 0, -kGrid, 0);
        painter->save();
        if (index.data(HeadingRole).toBool()) {
            painter->setFont(scaledFont(option.font, 0.9, true));
            painter->setPen(t.secondaryText);
            painter->drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, index.data(Qt::DisplayRole).toString());
            painter->restore();
            return;
        }
        const bool selected = option.state & QStyle::State_Selected;
        if (selected || option.state & QStyle::State_MouseOver)
            painter->fillRect(option.rect, selected ? t.accentSoft : t.raised);
        const QString detail = index.data(DetailRole).toString();
        const QString name = index.data(Qt::DisplayRole).toString();
        painter->setPen(t.text);
        painter->setFont(index.data(Qt::FontRole).isValid() ? index.data(Qt::FontRole).value<QFont>() : option.font);
        const QRect line = inner.adjusted(kGrid, 0, 0, 0);
        const PickerColumns columns =
            pickerColumns(painter->fontMetrics().horizontalAdvance(name) + 1, detail, option.fontMetrics, line.width());
        const QRect text(line.left(), line.top(), columns.name, line.height());
        const QString shown = painter->fontMetrics().elidedText(name, Qt::ElideRight, text.width());
        painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter, shown);
        painter->setFont(option.font);
        painter->setPen(t.secondaryText);
        const QRect right(line.right() + 1 - columns.detail, line.top(), columns.detail, line.height());
        painter->drawText(right, Qt::AlignRight | Qt::AlignVCenter,
            option.fontMetrics.elidedText(detail, Qt::ElideRight, right.width()));
        painter->restore();
    }
};

} // namespace

std::vector<PickerItem> filtered(const std::vector<PickerItem>& items, const QString& filter)
{
    const QStringList words = filter.split(u' ', Qt::SkipEmptyParts);
    std::vector<QString> groups;
    for (const PickerItem& item : items) {
        if (std::ranges::find(groups, item.group) == groups.end())
            groups.push_back(item.group);
    }
    std::vector<PickerItem> result;
    for (const QString& group : groups) {
        std::ranges::copy_if(items, std::back_inserter(result), [&](const PickerItem& item) {
            const QString all = item.text + u' ' + item.group + u' ' + item.detail + u' ' + item.id;
            const auto holds = [&all](const QString& word) { return all.contains(word, Qt::CaseInsensitive); };
            return item.group == group && std::ranges::all_of(words, holds);
        });
    }
    return result;
}

PickerColumns pickerColumns(int name, const QString& detail, const QFontMetrics& metrics, int width)
{
    if (detail.isEmpty())
        return {width, 0};
    // Advances are rounded: a pixel more keeps the last letter.
    const int wanted = metrics.horizontalAdvance(detail) + 1;
    const int left = width - wanted - kGrid;
    if (name <= left)
        return {left, wanted};
    // The name keeps its room up to two thirds of the line; the detail takes what is left.
    const int kept = std::min(name, std::max(left, width * 2 / 3));
    return {kept, width - kept - kGrid};
}

SearchPopup::SearchPopup(std::vector<PickerItem> items, const QString& current, const QString& empty, QWidget* parent)
    : QFrame(parent, Qt::Popup)
    , m_items(std::move(items))
    , m_current(current)
    , m_empty(empty)
    , m_filter(new QLineEdit(this))
    , m_list(new QListWidget(this))
    , m_nothing(new ToneLabel(ToneLabel::Tone::Secondary, this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    m_filter->setPlaceholderText(tr("Type to filter"));
    m_filter->setAccessibleName(tr("Filter"));
    m_filter->setTextMargins(4, 0, 4, 0);
    m_filter->installEventFilter(this);
    m_list->setAccessibleName(tr("Choices"));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setItemDelegate(new PickerDelegate(m_list));
    m_list->setFocusPolicy(Qt::NoFocus); // keys go to the filter and are passed on
    m_list->setMouseTracking(true);
    m_list->setUniformItemSizes(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->viewport()->setAutoFillBackground(false);
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->setWordWrap(true);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
    layout->setSpacing(kGrid);
    layout->addWidget(m_filter);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_nothing, 1);

    connect(m_filter, &QLineEdit::textChanged, this, &SearchPopup::fill);
    connect(m_list, &QListWidget::itemClicked, this, &SearchPopup::take);
    fill();
    setFocusProxy(m_filter);
}

void SearchPopup::fill()
{
    m_list->clear();
    QString group;
    bool first = true;
    int select = -1, named = -1; // of that name: other rows may hold the words elsewhere
    const QString wanted = m_filter->text().trimmed();
    for (const PickerItem& item : filtered(m_items, m_filter->text())) {
        if ((first || item.group != group) && !item.group.isEmpty()) {
            auto* heading = new QListWidgetItem(item.group, m_list);
            heading->setFlags(Qt::NoItemFlags);
            heading->setData(HeadingRole, true);
        }
        first = false;
        group = item.group;
        auto* row = new QListWidgetItem(item.text, m_list);
        row->setData(IdRole, item.id);
        row->setData(DetailRole, item.detail);
        row->setToolTip(item.toolTip);
        row->setData(
            Qt::AccessibleTextRole, item.detail.isEmpty() ? item.text : item.text + QStringLiteral(", ") + item.detail);
        if (item.id == m_current)
            row->setFont(scaledFont(font(), 1, true));
        if (select < 0 || (item.id == m_current && m_filter->text().isEmpty()))
            select = m_list->count() - 1;
        if (named < 0 && !wanted.isEmpty() && item.text.contains(wanted, Qt::CaseInsensitive))
            named = m_list->count() - 1;
    }
    select = std::max(select, named);
    m_list->setVisible(select >= 0);
    m_nothing->setVisible(select < 0);
    m_nothing->setText(m_items.empty() ? m_empty : tr("Nothing matches “%1”.").arg(m_filter->text()));
    if (select >= 0) {
        m_list->setCurrentRow(select);
        m_list->scrollToItem(m_list->item(select), QAbstractItemView::PositionAtCenter);
    }
}

void SearchPopup::move(int rows)
{
    int row = m_list->currentRow();
    const int direction = rows < 0 ? -1 : 1;
    for (int left = std::abs(rows); left > 0;) {
        row += direction;
        if (row < 0 || row >= m_list->count())
            break;
        if (m_list->item(row)->data(HeadingRole).toBool())
            continue;
        m_list->setCurrentRow(row);
        --left;
    }
    m_list->scrollToItem(m_list->currentItem());
}

void SearchPopup::take(const QListWidgetItem* item)
{
    if (!item || m_list->isHidden() || item->data(HeadingRole).toBool())
        return;
    const QString id = item->data(IdRole).toString();
    close();
    Q_EMIT picked(id);
}

bool SearchPopup::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_filter && event->type() == QEvent::KeyPress) {
        switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Up:
            move(-1);
            return true;
        case Qt::Key_Down:
            move(1);
            return true;
        case Qt::Key_PageUp:
            move(-8);
            return true;
        case Qt::Key_PageDown:
            move(8);
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            take(m_list->currentItem());
            return true;
        case Qt::Key_Escape:
            close();
            return true;
        default:
            break;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void SearchPopup::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensOf(*this);
    QPainter painter(this);
    painter.setPen(t.frame);
    painter.setBrush(t.surface);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void SearchPopup::openAt(const QWidget& anchor)
{
    const int groups = static_cast<int>(
        std::ranges::count_if(m_items, [seen = std::vector<QString>()](const PickerItem& item) mutable {
            const bool fresh = std::ranges::find(seen, item.group) == seen.end();
            if (fresh)
                seen.push_back(item.group);
            return fresh && !item.group.isEmpty();
        }));
    const int rows = m_items.empty() ? kEmptyRows : static_cast<int>(m_items.size()) + groups;
    const int wanted = rows * kItemHeight + m_filter->sizeHint().height() + 3 * kGrid + 2;
    const QRect screen = anchor.screen()->availableGeometry();
    const QPoint below = anchor.mapToGlobal(QPoint(0, anchor.height() + 2));
    const QPoint above = anchor.mapToGlobal(QPoint(0, -2));
    const int roomBelow = screen.bottom() - below.y() - kGrid;
    const int roomAbove = above.y() - screen.top() - kGrid;
    const bool down = roomBelow >= std::min(wanted, 320) || roomBelow >= roomAbove;
    const int height = std::min({wanted, 480, down ? roomBelow : roomAbove});
    const int left = std::clamp(below.x(), screen.left(), std::max(screen.left(), screen.right() - kPopupWidth));
    setGeometry(left, down ? below.y() : above.y() - height, kPopupWidth, height);
    show();
    m_filter->setFocus(Qt::PopupFocusReason);
    if (m_list->currentItem())
        m_list->scrollToItem(m_list->currentItem(), QAbstractItemView::PositionAtCenter);
}

Picker::Picker(Look look, QWidget* parent)
    : QAbstractButton(parent)
    , m_look(look)
{
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(look == Look::Header ? QSizePolicy::Maximum : QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(this, &QAbstractButton::clicked, this, &Picker::openList);
}

void Picker::setItems(std::vector<PickerItem> items)
{
    m_items = std::move(items);
}

void Picker::setCurrent(const QString& id, const QString& text)
{
    m_current = id;
    if (text == this->text())
        return;
    setText(text);
    updateToolTip();
    updateGeometry();
}

void Picker::openList()
{
    if (m_popup)
        return;
    Q_EMIT aboutToOpen();
    if (m_items.empty() && m_empty.isEmpty())
        return;
    m_popup = new SearchPopup(m_items, m_current, m_empty, this);
    connect(m_popup, &SearchPopup::picked, this, &Picker::picked);
    m_popup->openAt(*this);
}

bool Picker::hasChevron() const
{
    // In a composite field the name comes first: there the mark needs the focus or room to spare.
    return m_look != Look::Plain || hasFocus() || sizeHint().width() + kChevronRoom <= width();
}

QSize Picker::sizeHint() const
{
    const int around = m_look == Look::Header ? 22 : m_look == Look::Plain ? kPlainLeft + kPlainRight + 1 : 32;
    return {fontMetrics().horizontalAdvance(text()) + around, rowHeight(*this)};
}

QSize Picker::minimumSizeHint() const
{
    return {48, rowHeight(*this)};
}

void Picker::keyPressEvent(QKeyEvent* event)
{
    const bool opens = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Down
        || event->key() == Qt::Key_F4;
    if (opens)
        openList();
    else
        QAbstractButton::keyPressEvent(event);
}

void Picker::resizeEvent(QResizeEvent*)
{
    updateToolTip();
}

void Picker::updateToolTip()
{
    const bool cut = sizeHint().width() > width();
    setToolTip(cut && !m_explanation.isEmpty() ? text() + u'\n' + m_explanation : cut ? text() : m_explanation);
}

void Picker::setExplanation(const QString& sentence)
{
    m_explanation = sentence;
    updateToolTip();
}

void Picker::paintEvent(QPaintEvent*)
{
    const Tokens& t = tokensOf(*this);
    QPainter painter(this);
    QRect inner = rect();
    if (m_look == Look::Field) {
        paintFieldFrame(painter, rect(), t, frameState(*this, hasFocus()));
        inner.adjust(7, 0, -6, 0);
    } else {
        inner.adjust(m_look == Look::Header ? 4 : kPlainLeft, 0, m_look == Look::Header ? -4 : -kPlainRight, 0);
        if (m_look == Look::Header && showsFocus(*this))
            paintFocusRing(painter, rect(), t);
    }
    const bool muted = m_look == Look::Header && !underMouse();
    const QColor color = !isEnabled() ? t.disabledText : muted ? t.secondaryText : t.text;
    const QRect label = inner.adjusted(0, 0, hasChevron() ? -kChevronRoom : 0, 0);
    const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, label.width());
    painter.setPen(color);
    const auto side = m_look == Look::Header ? Qt::AlignRight : Qt::AlignLeft;
    painter.drawText(label, side | Qt::AlignVCenter, shown);
    if (hasChevron())
        paintChevron(painter, QPointF(inner.right() - 3.5, rect().center().y() + 1),
            isEnabled() ? t.secondaryText : t.disabledText);
    if (m_look == Look::Plain && hasFocus())
        paintFocusRing(painter, rect(), t);
}

} // namespace stratoplan::widgets
