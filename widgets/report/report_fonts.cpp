// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/report/report_fonts.h"

#include <QFontMetricsF>
#include <QTextLayout>

namespace stratoplan::widgets {

namespace {

constexpr double kLeading = 1.28; ///< of lines, over the size of their letters
constexpr double kAscent = 0.96; ///< of the first base line below the top of its line, over the size

/// A text broken into lines; in units of the font.
class BrokenText {
public:
    BrokenText(const QString& text, const TextStyle& style, double width)
        : m_layout(QString(text).replace(u'\n', QChar::LineSeparator), reportFont(style))
    {
        QTextOption option;
        option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
        m_layout.setTextOption(option);
        m_layout.beginLayout();
        for (QTextLine line = m_layout.createLine(); line.isValid(); line = m_layout.createLine())
            line.setLineWidth(std::max(1.0, width * kFontScale));
        m_layout.endLayout();
    }
    [[nodiscard]] int lines() const { return m_layout.lineCount(); }
    [[nodiscard]] QString line(int i) const
    {
        const QTextLine line = m_layout.lineAt(i);
        return m_layout.text().mid(line.textStart(), line.textLength()).trimmed();
    }

private:
    QTextLayout m_layout;
};

} // namespace

QFont reportFont(const TextStyle& style)
{
    QFont font;
    font.setFamilies(style.mono
            ? QStringList{QStringLiteral("DejaVu Sans Mono"), QStringLiteral("monospace")}
            : QStringList{QStringLiteral("Inter"), QStringLiteral("DejaVu Sans"), QStringLiteral("sans-serif")});
    font.setPixelSize(std::max(1, qRound(style.size * kFontScale)));
    font.setWeight(style.bold ? QFont::DemiBold : QFont::Normal);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

double reportTextWidth(const QString& text, const TextStyle& style)
{
    return QFontMetricsF(reportFont(style)).horizontalAdvance(text) / kFontScale;
}

double lineHeight(const TextStyle& style)
{
    return style.size * kLeading;
}

double reportTextHeight(const QString& text, const TextStyle& style, double width)
{
    return BrokenText(text, style, width).lines() * lineHeight(style);
}

void drawReportText(
    QPainter& painter, const QRectF& area, const QString& text, const TextStyle& style, Qt::Alignment alignment)
{
    const BrokenText broken(text, style, area.width());
    const double x = alignment.testFlag(Qt::AlignRight) ? area.right()
        : alignment.testFlag(Qt::AlignHCenter)          ? area.center().x()
                                                        : area.left();
    for (int i = 0; i < broken.lines(); ++i)
        drawReportLine(
            painter, {x, area.top() + i * lineHeight(style) + style.size * kAscent}, broken.line(i), style, alignment);
}

void drawReportLine(QPainter& painter, QPointF at, const QString& text, const TextStyle& style, Qt::Alignment alignment)
{
    const QFont font = reportFont(style);
    const double width = QFontMetricsF(font).horizontalAdvance(text);
    const double shift = alignment.testFlag(Qt::AlignRight) ? width
        : alignment.testFlag(Qt::AlignHCenter)              ? width / 2
                                                            : 0;
    painter.save();
    painter.translate(at);
    painter.scale(1 / kFontScale, 1 / kFontScale);
    painter.setFont(font);
    painter.setPen(style.colour);
    painter.drawText(QPointF(-shift, 0), text);
    painter.restore();
}

} // namespace stratoplan::widgets
