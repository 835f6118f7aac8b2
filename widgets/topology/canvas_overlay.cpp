// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/canvas_overlay.h"

#include "core/units/format.h"
#include "widgets/panels/catalog_items.h"
#include "widgets/presentation/rank_map.h"
#include "widgets/style/theme.h"
#include "widgets/topology/canvas_layout.h"
#include "widgets/topology/card_paint.h"
#include "widgets/topology/topology_scene.h"
#include "widgets/topology/topology_text.h"

#include <QAction>
#include <QBoxLayout>
#include <QEvent>
#include <QFrame>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace stratoplan::widgets {

CanvasPlate::CanvasPlate(QWidget* parent)
    : QWidget(parent)
{
    setCursor(Qt::ArrowCursor);
}

void CanvasPlate::paintEvent(QPaintEvent*)
{
    const Tokens& t = currentTokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.border, 1));
    painter.setBrush(t.window);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

CanvasToolBar::CanvasToolBar(QWidget* parent)
    : CanvasPlate(parent)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(4, 4, 4, 4);
    row->setSpacing(2);
    setAccessibleName(tr("Canvas tools"));
}

QToolButton* CanvasToolBar::addTool(QAction* action)
{
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(action->toolTip());
    layout()->addWidget(button);
    button->show(); // what separators stand between, before the bar is in sight, too
    return button;
}

void CanvasToolBar::addSeparator()
{
    auto* line = new QFrame(this);
    line->setFrameShape(QFrame::VLine);
    line->setForegroundRole(QPalette::Midlight);
    line->setFrameShadow(QFrame::Plain);
    line->setFixedWidth(5);
    layout()->addWidget(line);
}

void CanvasToolBar::showSeparators()
{
    QWidget* separator = nullptr; // behind the last tool
    bool hasTool = false;
    for (int i = 0; i < layout()->count(); ++i) {
        QWidget* each = layout()->itemAt(i)->widget();
        if (qobject_cast<QFrame*>(each)) {
            each->hide();
            separator = each;
        } else if (!each->isHidden()) {
            if (separator && hasTool)
                separator->show();
            separator = nullptr;
            hasTool = true;
        }
    }
}

QToolButton* CanvasToolBar::addMenu(QMenu* menu, const QString& name, const QString& toolTip)
{
    auto* button = new QToolButton(this);
    button->setMenu(menu);
    button->setIcon(menu->icon());
    button->setText(menu->title());
    button->setPopupMode(QToolButton::InstantPopup);
    button->setToolButtonStyle(menu->icon().isNull() ? Qt::ToolButtonTextOnly : Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(name);
    button->setToolTip(toolTip);
    layout()->addWidget(button);
    button->show(); // what separators stand between, before the bar is in sight, too
    return button;
}

CanvasHint::CanvasHint(QWidget* parent)
    : CanvasPlate(parent)
    , m_label(new QLabel(this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 8, 12, 8);
    row->addWidget(m_label);
    m_label->setTextFormat(Qt::PlainText);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void CanvasHint::setHint(HintKind kind, const QString& text)
{
    m_kind = kind;
    const QString mark = kind == HintKind::Good ? QStringLiteral("✓ ")
        : kind == HintKind::Bad                 ? QStringLiteral("✕ ")
                                                : QString();
    m_label->setText(mark + text);
    recolour();
    setVisible(!text.isEmpty());
    // One line where there is room, else as many as it takes.
    constexpr int kMargins = 2 * 12;
    const int room = parentWidget()->width() - 2 * 12 - kMargins;
    const int line = m_label->fontMetrics().horizontalAdvance(m_label->text()) + 4;
    m_label->setWordWrap(line > room);
    m_label->setFixedWidth(std::max(40, std::min(line, room)));
    adjustSize();
}

QString CanvasHint::text() const
{
    return m_label->text();
}

void CanvasHint::recolour()
{
    const Tokens& t = currentTokens();
    QPalette p = palette();
    p.setColor(QPalette::WindowText, m_kind == HintKind::Good ? t.good : m_kind == HintKind::Bad ? t.bad : t.text);
    m_label->setPalette(p);
}

void CanvasHint::changeEvent(QEvent* event)
{
    CanvasPlate::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        recolour();
}

void CanvasHint::paintEvent(QPaintEvent* event)
{
    CanvasPlate::paintEvent(event);
    if (m_kind == HintKind::Neutral)
        return;
    const Tokens& t = currentTokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_kind == HintKind::Good ? t.good : t.bad, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

namespace {

constexpr int kLegendHeight = 34;
constexpr int kSwatch = 22;
constexpr int kScale = 72; ///< of loads

QString loadLeast()
{
    return CanvasLegend::tr("in use 0");
}

QString loadMost()
{
    return CanvasLegend::tr("100 % of the step");
}

int loadWidth(const QFontMetrics& metrics)
{
    return metrics.horizontalAdvance(loadLeast()) + 8 + kScale + 8 + metrics.horizontalAdvance(loadMost()) + 16;
}

} // namespace

CanvasLegend::CanvasLegend(QWidget* parent)
    : CanvasPlate(parent)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void CanvasLegend::setConnections(const std::vector<cluster::Connection>& connections)
{
    m_kinds.clear();
    BytesPerSecond least{};
    BytesPerSecond most{};
    for (const cluster::Connection& c : connections) {
        if (std::find(m_kinds.begin(), m_kinds.end(), c.link.kind) == m_kinds.end())
            m_kinds.push_back(c.link.kind);
        const BytesPerSecond total = c.link.bandwidth * static_cast<double>(c.cables);
        least = least.value() == 0 ? total : std::min(least, total);
        most = std::max(most, total);
    }
    const QString high = fromText(format(most));
    m_range = least == most ? tr("width = bandwidth, %1").arg(high)
                            : tr("width = bandwidth, %1 to %2").arg(fromText(format(least)), high);
    name();
}

void CanvasLegend::setShowsLoad(bool shows)
{
    m_showsLoad = shows;
    name();
}

void CanvasLegend::name()
{
    QString names;
    for (const cluster::LinkKind kind : m_kinds)
        names += linkKindName(kind) + QStringLiteral(", ");
    if (m_showsLoad)
        names = tr("colour = in use, 0 to 100 % of the step, ");
    setAccessibleName(tr("Legend: %1%2").arg(names, m_range));
    adjustSize();
    update();
}

QSize CanvasLegend::sizeHint() const
{
    const QFontMetrics metrics(cardFont(CardText::Caption));
    int width = 12 + metrics.horizontalAdvance(m_range) + 12;
    if (m_showsLoad)
        return {width + loadWidth(metrics), kLegendHeight};
    for (const cluster::LinkKind kind : m_kinds)
        width += kSwatch + 8 + metrics.horizontalAdvance(linkKindName(kind)) + 16;
    return {width, kLegendHeight};
}

void CanvasLegend::paintEvent(QPaintEvent* event)
{
    CanvasPlate::paintEvent(event);
    const Tokens& t = currentTokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QFont font = cardFont(CardText::Caption);
    painter.setFont(font);
    const QFontMetrics metrics(font);
    int x = 12;
    const auto put = [&](const QString& text) {
        painter.setPen(t.secondaryText);
        painter.drawText(QRect(x, 0, width(), height()), Qt::AlignVCenter | Qt::AlignLeft, text);
        x += metrics.horizontalAdvance(text);
    };
    if (m_showsLoad) {
        put(loadLeast());
        x += 8;
        for (int i = 0; i < kScale; ++i)
            painter.fillRect(x + i, height() / 2 - 3, 1, 6, loadColour(t, i / (kScale - 1.0)));
        x += kScale + 8;
        put(loadMost());
        x += 16;
        put(m_range);
        return;
    }
    for (const cluster::LinkKind kind : m_kinds) {
        painter.setPen(QPen(linkColour(t, kind), 4, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(QPointF(x + 2, height() / 2.0), QPointF(x + kSwatch - 2, height() / 2.0));
        x += kSwatch + 8;
        put(linkKindName(kind));
        x += 16;
    }
    put(m_range);
}

CanvasMap::CanvasMap(QWidget* parent)
    : CanvasPlate(parent)
{
    setFixedSize(152, 96);
    setAccessibleName(tr("Overview map"));
    setToolTip(tr("Overview: press or drag to go there"));
    hide();
}

void CanvasMap::setView(const TopologyScene* scene, const QRectF& visible)
{
    m_scene = scene;
    m_visible = visible;
    update();
}

QTransform CanvasMap::toMap() const
{
    const QRectF content = m_scene ? m_scene->contentRect() : QRectF();
    QTransform transform;
    if (content.isEmpty())
        return transform;
    const QRectF room = QRectF(rect()).adjusted(10, 10, -10, -10);
    const double scale = std::min(room.width() / content.width(), room.height() / content.height());
    transform.translate(room.center().x(), room.center().y());
    transform.scale(scale, scale);
    transform.translate(-content.center().x(), -content.center().y());
    return transform;
}

void CanvasMap::paintEvent(QPaintEvent* event)
{
    CanvasPlate::paintEvent(event);
    if (!m_scene)
        return;
    const Tokens& t = currentTokens();
    QPainter painter(this);
    painter.setClipRect(rect().adjusted(2, 2, -2, -2));
    const QTransform transform = toMap();
    for (const std::string& id : elementIds(m_scene->value().cluster)) {
        const ElementItem* e = m_scene->element(id);
        if (!e)
            continue;
        const QRectF box = transform.mapRect(e->sceneCard());
        const QColor colour =
            e->content().kind == ElementKind::Nodes ? acceleratorColour(t, e->content().colour) : t.secondaryText;
        painter.fillRect(
            QRectF(box.topLeft(), QSizeF(std::max(box.width(), 1.5), std::max(box.height(), 1.5))), colour);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(transform.mapRect(m_visible).intersected(QRectF(rect()).adjusted(4, 4, -4, -4)), 2, 2);
}

void CanvasMap::mousePressEvent(QMouseEvent* event)
{
    if (event->buttons() & Qt::LeftButton)
        Q_EMIT centreRequested(toMap().inverted().map(event->position()));
}

void CanvasMap::mouseMoveEvent(QMouseEvent* event)
{
    mousePressEvent(event);
}

} // namespace stratoplan::widgets
