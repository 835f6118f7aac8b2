// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/icons.h"

#include "core/catalog/embedded.h"
#include "widgets/style/theme.h"

#include <QIconEngine>
#include <QPixmapCache>
#include <QSvgRenderer>
#include <algorithm>

namespace stratoplan::catalog::embedded {
[[nodiscard]] std::span<const EmbeddedFile> icons();
}

namespace stratoplan::widgets {

namespace {

// The two colours the SVG files are drawn in; each stands for a role of the theme.
constexpr const char* kPrimaryInFile = "#1B2430";
constexpr const char* kAccentInFile = "#4C78A8";

QByteArray source(const QString& name)
{
    const std::string file = name.toStdString() + ".svg";
    for (const catalog::EmbeddedFile& f : catalog::embedded::icons()) {
        if (f.name == file)
            return QByteArray(f.content.data(), static_cast<qsizetype>(f.content.size()));
    }
    return {};
}

class ThemedIconEngine final : public QIconEngine {
public:
    explicit ThemedIconEngine(QString name)
        : m_name(std::move(name))
        , m_source(source(m_name))
    {
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        render(painter, QRectF(rect), mode);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        return scaledPixmap(size, mode, state, 1.0);
    }

    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal scale) override
    {
        const QString cacheKey = QStringLiteral("stratoplan-icon/%1/%2/%3/%4x%5@%6")
                                     .arg(m_name)
                                     .arg(static_cast<int>(currentTheme()))
                                     .arg(static_cast<int>(mode))
                                     .arg(size.width())
                                     .arg(size.height())
                                     .arg(scale);
        QPixmap pixmap;
        if (size.isEmpty())
            return pixmap;
        if (QPixmapCache::find(cacheKey, &pixmap))
            return pixmap;
        pixmap = QPixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        render(&painter, QRectF(QPointF(), size), mode);
        painter.end();
        QPixmapCache::insert(cacheKey, pixmap);
        return pixmap;
    }

    QIconEngine* clone() const override { return new ThemedIconEngine(m_name); }
    QString key() const override { return QStringLiteral("stratoplan"); }
    QString iconName() override { return m_name; }
    bool isNull() override { return m_source.isEmpty(); }
    QList<QSize> availableSizes(QIcon::Mode, QIcon::State) override
    {
        return {QSize(16, 16), QSize(24, 24), QSize(48, 48)};
    }

private:
    void render(QPainter* painter, const QRectF& rect, QIcon::Mode mode) const
    {
        const Tokens& t = currentTokens();
        const bool disabled = mode == QIcon::Disabled;
        const bool onAccent = mode == QIcon::Selected;
        QByteArray svg = m_source;
        svg.replace(kPrimaryInFile, (disabled ? t.disabledText : onAccent ? t.onAccent : t.text).name().toLatin1());
        svg.replace(kAccentInFile, (disabled ? t.disabledText : onAccent ? t.onAccent : t.accent).name().toLatin1());
        QSvgRenderer renderer(svg);
        const double side = std::min(rect.width(), rect.height());
        renderer.render(painter, QRectF(rect.center().x() - side / 2, rect.center().y() - side / 2, side, side));
    }

    QString m_name;
    QByteArray m_source;
};

} // namespace

QIcon icon(const QString& name)
{
    auto* engine = new ThemedIconEngine(name);
    Q_ASSERT_X(!engine->isNull(), "icon", qPrintable(name));
    return QIcon(engine);
}

QStringList iconNames()
{
    QStringList names;
    for (const catalog::EmbeddedFile& f : catalog::embedded::icons())
        names << QString::fromUtf8(f.name.data(), static_cast<qsizetype>(f.name.size())).chopped(4);
    names.sort();
    return names;
}

} // namespace stratoplan::widgets
