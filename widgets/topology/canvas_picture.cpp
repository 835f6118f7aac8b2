// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/canvas_picture.h"

#include "widgets/presentation/text.h"
#include "widgets/style/theme.h"
#include "widgets/topology/topology_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QSignalBlocker>

#include <algorithm>

namespace stratoplan::widgets {

namespace {

constexpr double kPictureMargin = 24;
constexpr double kLongestSide = 4000; ///< of a picture at a scale of 1; larger scenes are made smaller

/// While there is one, nothing is marked as selected, and nobody hears of it.
class Unselected {
public:
    explicit Unselected(TopologyScene& scene)
        : m_blocker(&scene)
        , m_scene(scene)
        , m_keys(scene.selectedKeys())
        , m_current(scene.current())
    {
        m_scene.clearSelection();
        m_scene.setCurrent({});
        m_scene.showSelection();
    }
    ~Unselected()
    {
        for (const QString& key : m_keys)
            if (QGraphicsItem* item = m_scene.item(key))
                item->setSelected(true);
        m_scene.setCurrent(m_current);
        m_scene.showSelection();
    }
    Unselected(const Unselected&) = delete;
    Unselected& operator=(const Unselected&) = delete;

private:
    QSignalBlocker m_blocker;
    TopologyScene& m_scene;
    QStringList m_keys;
    QString m_current;
};

} // namespace

Picture canvasPicture(TopologyScene& scene)
{
    const QRectF content =
        scene.contentRect().adjusted(-kPictureMargin, -kPictureMargin, kPictureMargin, kPictureMargin);
    const double shrink = std::min(1.0, kLongestSide / std::max(content.width(), content.height()));
    const QSize size = (content.size() * shrink).toSize();
    const QString title = text(scene.value().cluster.name);
    return {size, title.isEmpty() ? TopologyView::tr("Cluster") : title,
        TopologyView::tr("The nodes, switches and links of the cluster."),
        [&scene, content, size](QPaintDevice& device, double scale, bool) {
            const PrintLook look;
            const Unselected unselected(scene);
            QPainter painter(&device);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.scale(scale, scale);
            painter.fillRect(QRect(QPoint(), size), currentTokens().surface);
            scene.render(&painter, QRectF(QPointF(), size), content);
        }};
}

void copyCanvas(TopologyView& view)
{
    QGuiApplication::clipboard()->setImage(imageOf(canvasPicture(*view.topologyScene())));
    Q_EMIT view.noticed(TopologyView::tr("Copied the picture of the cluster."));
}

void exportCanvas(TopologyView& view)
{
    askForPicture(view,
        {.title = TopologyView::tr("Export the picture of the cluster"),
            .name = QStringLiteral("cluster"),
            .hasTable = false,
            .write =
                [&view](const QString& path, double pngScale) {
                    return writePicture(canvasPicture(*view.topologyScene()), path, pngScale);
                },
            .report =
                [&view](bool good, const QString& text) {
                    if (good)
                        Q_EMIT view.noticed(text);
                    else
                        Q_EMIT view.refused(text);
                }});
}

} // namespace stratoplan::widgets
