// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/node_palette.h"

#include "widgets/style/icons.h"
#include "widgets/style/theme.h"
#include "widgets/topology/card_paint.h"
#include "widgets/topology/element_item.h"
#include "widgets/topology/palette_model.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace stratoplan::widgets {

namespace {

constexpr int kTileHeight = 84;
constexpr int kHeadingHeight = 28;
constexpr int kSpacing = 4;
constexpr int kTileWidth = 88; ///< at least; a tile takes its share of the row

/// Paints tiles and headings and gives them their place in the rows.
class TileDelegate final : public QStyledItemDelegate {
public:
    TileDelegate(const PaletteModel& model, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_model(&model)
    {
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const auto* view = qobject_cast<const QListView*>(option.widget);
        const int room = view ? view->viewport()->width() : 2 * kTileWidth;
        if (m_model->entry(index).kind == PresetKind::None)
            return {std::max(1, room - 2 * kSpacing - 1), kHeadingHeight};
        const int columns = std::max(1, (room - kSpacing) / (kTileWidth + kSpacing));
        return {(room - 1 - (columns + 1) * kSpacing) / columns, kTileHeight};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const PaletteEntry& e = m_model->entry(index);
        const Tokens& t = currentTokens();
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (e.kind == PresetKind::None) {
            painter->setFont(cardFont(CardText::Name));
            painter->setPen(t.text);
            painter->drawText(option.rect.adjusted(0, 4, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, e.name);
        } else {
            paintTile(*painter, option, e, t);
        }
        painter->restore();
    }

private:
    static void paintTile(QPainter& painter, const QStyleOptionViewItem& option, const PaletteEntry& e, const Tokens& t)
    {
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        const bool focused = option.state.testFlag(QStyle::State_HasFocus);
        const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
        const QRectF tile = QRectF(option.rect).adjusted(1, 1, -1, -1);
        painter.setPen(QPen(selected || focused ? t.accent
                : hovered                       ? t.secondaryText
                                                : t.frame,
            selected || focused ? 1.6 : 1));
        painter.setBrush(selected ? t.accentSoft : t.surface);
        painter.drawRoundedRect(tile, 6, 6);
        const QRectF picture(tile.left() + 12, tile.top() + 10, tile.width() - 24, 26);
        if (e.kind == PresetKind::Node)
            paintAccelerators(painter, picture, e.accelerators, 0, acceleratorColour(t, e.colour), t);
        else if (e.kind == PresetKind::Switch)
            paintSwitchGlyph(painter, picture, t);
        else if (e.kind == PresetKind::Rack)
            paintRackGlyph(painter, picture, t);
        else
            paintClusterGlyph(painter, picture, acceleratorColour(t, e.colour), t);
        paintName(painter,
            QRectF(tile.left() + 5, picture.bottom() + 4, tile.width() - 10, tile.bottom() - picture.bottom() - 8),
            e.name, t);
    }

    static void paintSwitchGlyph(QPainter& painter, const QRectF& area, const Tokens& t)
    {
        const QRectF box(area.center().x() - 18, area.center().y() - 8, 36, 16);
        painter.setPen(QPen(t.secondaryText, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(box, 4, 4);
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.secondaryText);
        for (int i = 0; i < 3; ++i)
            painter.drawEllipse(QPointF(box.left() + 9 + 7 * i, box.center().y()), 2, 2);
    }

    /// A switch above two rows of nodes, in a dashed frame as on the canvas.
    static void paintRackGlyph(QPainter& painter, const QRectF& area, const Tokens& t)
    {
        const QRectF frame(area.center().x() - 19, area.top() - 1, 38, area.height() + 2);
        painter.setPen(QPen(t.secondaryText, 1.2, Qt::DashLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(frame, 4, 4);
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.secondaryText);
        painter.drawRoundedRect(QRectF(frame.center().x() - 9, frame.top() + 4, 18, 5), 2, 2);
        for (int i = 0; i < 4; ++i)
            painter.drawRoundedRect(
                QRectF(frame.left() + 6 + i % 2 * 14, frame.top() + 12 + i / 2 * 7, 12, 5), 1.5, 1.5);
    }

    static void paintClusterGlyph(QPainter& painter, const QRectF& area, const QColor& colour, const Tokens& t)
    {
        const QPointF top(area.center().x(), area.top() + 4);
        painter.setPen(QPen(t.secondaryText, 1.2));
        painter.setBrush(Qt::NoBrush);
        for (int i = -1; i <= 1; ++i)
            painter.drawLine(top, QPointF(area.center().x() + i * 16, area.bottom() - 8));
        painter.setBrush(t.surface);
        painter.drawRoundedRect(QRectF(top.x() - 9, area.top(), 18, 8), 2.5, 2.5);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        for (int i = -1; i <= 1; ++i)
            painter.drawRoundedRect(QRectF(area.center().x() + i * 16 - 6, area.bottom() - 11, 12, 11), 2, 2);
    }

    /// At most two centred lines, the second elided.
    static void paintName(QPainter& painter, const QRectF& area, const QString& name, const Tokens& t)
    {
        const QFont font = cardFont(CardText::Caption);
        const QFontMetricsF metrics(font);
        QTextOption wrap(Qt::AlignHCenter);
        wrap.setWrapMode(QTextOption::WordWrap);
        QTextLayout layout(name, font);
        layout.setTextOption(wrap);
        layout.beginLayout();
        QTextLine first = layout.createLine();
        first.setLineWidth(area.width());
        const int cut = first.textLength();
        layout.endLayout();
        QStringList lines{name.left(cut).trimmed()};
        if (cut < name.size())
            lines << metrics.elidedText(name.mid(cut).trimmed(), Qt::ElideRight, area.width());
        painter.setFont(font);
        painter.setPen(t.text);
        double y = area.center().y() - metrics.height() * static_cast<double>(lines.size()) / 2;
        for (const QString& line : lines) {
            painter.drawText(QRectF(area.left(), y, area.width(), metrics.height()), Qt::AlignCenter, line);
            y += metrics.height();
        }
    }

    const PaletteModel* m_model;
};

} // namespace

NodePalette::NodePalette(const catalog::Catalog& catalog, QWidget* parent)
    : QWidget(parent)
    , m_search(new QLineEdit(this))
    , m_model(new PaletteModel(catalog, this))
    , m_list(new QListView(this))
    , m_nothing(new QLabel(this))
{
    setAccessibleName(tr("Palette"));
    m_search->setPlaceholderText(tr("Search presets"));
    m_search->setAccessibleName(tr("Search the palette"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->installEventFilter(this);
    makeList();
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->setWordWrap(true);
    setTextRole(*m_nothing, TextRole::Secondary);
    m_nothing->hide();

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 0, 0);
    column->setSpacing(4);
    auto* top = new QHBoxLayout;
    top->setContentsMargins(4, 0, 12, 0);
    top->addWidget(m_search);
    column->addLayout(top);
    column->addWidget(m_nothing);
    column->addWidget(m_list, 1);
    setMinimumWidth(120);

    connect(m_search, &QLineEdit::textChanged, this, &NodePalette::filter);
    connect(m_search, &QLineEdit::returnPressed, this, [this] { activate(m_model->firstPreset()); });
    connect(m_list, &QListView::clicked, this,
        [this](const QModelIndex& index) { Q_EMIT presetArmed(m_model->entry(index).key); });
    connect(m_list, &QListView::doubleClicked, this, &NodePalette::activate);
}

void NodePalette::makeList()
{
    m_list->setAccessibleName(tr("Presets"));
    m_list->setAccessibleDescription(tr("Drag one onto the canvas, or press Enter to place it in the middle"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new TileDelegate(*m_model, m_list));
    m_list->setViewMode(QListView::IconMode);
    m_list->setMovement(QListView::Static);
    m_list->setResizeMode(QListView::Adjust);
    m_list->setSpacing(kSpacing);
    m_list->setUniformItemSizes(false);
    m_list->setSelectionMode(QAbstractItemView::SingleSelection);
    m_list->setDragEnabled(true);
    m_list->setDragDropMode(QAbstractItemView::DragOnly);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setMouseTracking(true);
    m_list->viewport()->setAutoFillBackground(false);
    m_list->installEventFilter(this);
}

QSize NodePalette::sizeHint() const
{
    return {212, 520};
}

void NodePalette::filter(const QString& text)
{
    m_model->setFilter(text);
    m_nothing->setText(tr("Nothing here is called “%1”. Take a similar node and edit it in the inspector.").arg(text));
    m_nothing->setVisible(!m_model->firstPreset().isValid());
}

void NodePalette::activate(const QModelIndex& index)
{
    if (!index.isValid() || m_model->entry(index).kind == PresetKind::None)
        return;
    const QString key = m_model->entry(index).key;
    disarm();
    Q_EMIT presetActivated(key);
}

void NodePalette::disarm()
{
    m_list->clearSelection();
}

bool NodePalette::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (watched == m_search && key->key() == Qt::Key_Down && m_model->firstPreset().isValid()) {
        m_list->setFocus(Qt::OtherFocusReason);
        m_list->setCurrentIndex(m_model->firstPreset());
        return true;
    }
    if (watched == m_search && key->key() == Qt::Key_Escape && !m_search->text().isEmpty()) {
        m_search->clear();
        return true;
    }
    if (watched == m_list && (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter)) {
        activate(m_list->currentIndex());
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace stratoplan::widgets
