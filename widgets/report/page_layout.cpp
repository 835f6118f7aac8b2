// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/report/page_layout.h"

#include "widgets/presentation/translate.h"
#include "widgets/report/picture_painter.h"
#include "widgets/report/table_layout.h"

#include <QPdfWriter>

#include <algorithm>

namespace stratoplan::widgets {

namespace {

// In points.
constexpr double kPageWidth = 595.28, kPageHeight = 841.89, kPageSide = 48, kPageTop = 62, kPageBottom = 54;
constexpr double kTextWidth = kPageWidth - 2 * kPageSide;
constexpr double kBlockGap = 9; ///< between blocks

const QColor kPageAccent(0x1d, 0x4f, 0x91), kPageInk(0x1f, 0x29, 0x33), kPageQuiet(0x5f, 0x6c, 0x7b),
    kPageLine(0xc9, 0xd1, 0xda), kPageTint(0xf4, 0xf7, 0xfb), kPageGood(0x1f, 0x6f, 0x43),
    kPageWarning(0xa3, 0x48, 0x0c), kPageBad(0xa6, 0x1b, 0x1b);

const TextStyle kBodyStyle{9.6, false, kPageInk, false}, kNoteStyle{8, false, kPageQuiet, false},
    kHeadingStyle{15, true, kPageInk, false}, kSubheadingStyle{10.5, true, kPageInk, false},
    kHeadlineStyle{16, true, kPageInk, false}, kTileStyle{7.8, false, kPageQuiet, false},
    kTileOther{7.8, true, kPageAccent, false}, kCodeStyle{6.8, false, kPageInk, true};

QColor colourOfTone(report::Tone tone)
{
    switch (tone) {
    case report::Tone::Good:
        return kPageGood;
    case report::Tone::Warning:
        return kPageWarning;
    case report::Tone::Bad:
        return kPageBad;
    case report::Tone::Plain:
        break;
    }
    return kPageAccent;
}

class PageLayout {
public:
    PageLayout(const report::Report& report, QPainter* painter, QPdfWriter* writer, int pages)
        : m_report(report)
        , m_painter(painter)
        , m_writer(writer)
        , m_pages(pages)
    {
    }

    int run(const std::stop_token& stop)
    {
        beginPage();
        drawTitle();
        for (const report::Section& section : m_report.sections) {
            if (stop.stop_requested())
                break;
            drawSection(section);
        }
        return m_page;
    }

private:
    void beginPage()
    {
        if (m_page > 0 && m_writer != nullptr)
            m_writer->newPage();
        ++m_page;
        m_y = m_page == 1 ? kPageSide : kPageTop;
        m_isFresh = true;
        if (m_painter == nullptr)
            return;
        if (m_page > 1) {
            drawReportLine(*m_painter, {kPageSide, kPageTop - 24}, QString::fromStdString(m_report.title), kNoteStyle);
            m_painter->setPen(QPen(kPageLine, 0.6));
            m_painter->drawLine(QPointF(kPageSide, kPageTop - 17), QPointF(kPageWidth - kPageSide, kPageTop - 17));
        }
        drawReportLine(*m_painter, {kPageSide, kPageHeight - 30}, QString::fromStdString(m_report.origin), kNoteStyle);
        drawReportLine(*m_painter, {kPageWidth - kPageSide, kPageHeight - 30},
            tr("Page %1 of %2").arg(m_page).arg(m_pages), kNoteStyle, Qt::AlignRight);
    }

    [[nodiscard]] double left() const { return kPageHeight - kPageBottom - m_y; }

    /// A new page where less is left.
    void ensure(double height)
    {
        if (height > left() && !m_isFresh)
            beginPage();
    }

    void take(double height)
    {
        m_y += height;
        m_isFresh = false;
    }

    void drawTitle()
    {
        const QString title = QString::fromStdString(m_report.title);
        TextStyle style{24, true, kPageInk, false};
        while (style.size > 15 && reportTextWidth(title, style) > kTextWidth)
            style.size -= 0.5;
        text(title, style);
        take(2);
        text(QString::fromStdString(m_report.subtitle), {10, false, kPageQuiet, false});
        take(7);
        if (m_painter != nullptr)
            m_painter->fillRect(QRectF(kPageSide, m_y, kTextWidth, 2.2), kPageAccent);
        take(15);
    }

    void text(const QString& words, const TextStyle& style, double indent = 0)
    {
        const double height = reportTextHeight(words, style, kTextWidth - indent);
        ensure(height);
        if (m_painter != nullptr)
            drawReportText(*m_painter, QRectF(kPageSide + indent, m_y, kTextWidth - indent, height), words, style);
        take(height);
    }

    /// Its heading stays with what follows.
    void drawSection(const report::Section& section)
    {
        if (section.startsPage && !m_isFresh)
            beginPage();
        const bool isFirst = &section == &m_report.sections.front();
        if (!isFirst) {
            const double gap = m_isFresh ? 0 : 16;
            double needed = gap + lineHeight(kHeadingStyle) + 8;
            for (std::size_t i = 0; i < std::min<std::size_t>(section.blocks.size(), 2); ++i)
                needed += std::visit([](const auto& value) { return startOf(value); }, section.blocks[i]) + kBlockGap;
            ensure(needed);
            if (!m_isFresh)
                take(gap);
            text(QString::fromStdString(section.title), kHeadingStyle);
            take(7);
        }
        for (const report::Block& block : section.blocks) {
            std::visit([this](const auto& value) { draw(value); }, block);
            if (!m_isFresh)
                take(kBlockGap);
        }
    }

    // How much of a block has to stand with its heading.

    static double startOf(const report::Verdict&) { return 60; }
    static double startOf(const report::Tiles&) { return 60; }
    static double startOf(const report::Paragraph& paragraph)
    {
        return reportTextHeight(QString::fromStdString(paragraph.text), kBodyStyle, kTextWidth);
    }
    static double startOf(const report::Bullets&) { return 3 * lineHeight(kBodyStyle); }
    static double startOf(const report::Table& table)
    {
        const TableLayout layout(table, kTextWidth);
        double height = layout.headingHeight() + (table.title.empty() ? 0 : lineHeight(kSubheadingStyle) + 4);
        for (std::size_t row = 0; row < std::min<std::size_t>(layout.rows(), 3); ++row)
            height += layout.rowHeight(row);
        return height;
    }
    static double startOf(const report::Figure& figure) { return heightOf(figure); }
    static double startOf(const report::Code&) { return 60; }

    static double heightOf(const report::Figure& figure)
    {
        const double picture = figure.picture.height * kTextWidth / report::kPictureWidth;
        const QString caption = QString::fromStdString(figure.caption);
        return picture + (caption.isEmpty() ? 0 : 3 + reportTextHeight(caption, kNoteStyle, kTextWidth));
    }

    void draw(const report::Verdict& verdict)
    {
        constexpr double kPad = 10;
        const QString headline = QString::fromStdString(verdict.headline), words = QString::fromStdString(verdict.text);
        const double width = kTextWidth - 2 * kPad - 5;
        const double first = reportTextHeight(headline, kHeadlineStyle, width) + 3;
        const double height = first + reportTextHeight(words, kBodyStyle, width) + 2 * kPad - 2;
        ensure(height);
        if (m_painter != nullptr) {
            m_painter->fillRect(QRectF(kPageSide, m_y, kTextWidth, height), kPageTint);
            m_painter->fillRect(QRectF(kPageSide, m_y, 5, height), colourOfTone(verdict.tone));
            const double x = kPageSide + kPad + 5;
            drawReportText(*m_painter, QRectF(x, m_y + kPad, width, first), headline, kHeadlineStyle);
            drawReportText(*m_painter, QRectF(x, m_y + kPad + first, width, height), words, kBodyStyle);
        }
        take(height);
    }

    void draw(const report::Tiles& tiles)
    {
        constexpr int kColumns = 4;
        constexpr double kTileGap = 7, kPad = 8;
        const double width = (kTextWidth - (kColumns - 1) * kTileGap) / kColumns;
        for (std::size_t row = 0; row < tiles.tiles.size(); row += kColumns) {
            const std::size_t end = std::min(tiles.tiles.size(), row + kColumns);
            double notes = 0;
            for (std::size_t i = row; i < end; ++i)
                notes = std::max(notes, notesHeight(tiles.tiles[i], width - 2 * kPad));
            const double height = 2 * kPad + lineHeight(kTileStyle) + 22 + notes;
            ensure(height);
            for (std::size_t i = row; i < end && m_painter != nullptr; ++i)
                drawTile(tiles.tiles[i], QRectF(kPageSide + double(i - row) * (width + kTileGap), m_y, width, height));
            take(height + (end < tiles.tiles.size() ? kTileGap : 0));
        }
    }

    static double notesHeight(const report::Tile& tile, double width)
    {
        const double note = reportTextHeight(QString::fromStdString(tile.note), kTileStyle, width);
        return tile.other.empty() ? note
                                  : note + 2 + reportTextHeight(QString::fromStdString(tile.other), kTileOther, width);
    }

    void drawTile(const report::Tile& tile, const QRectF& frame)
    {
        constexpr double kPad = 8;
        m_painter->setPen(QPen(kPageLine, 0.8));
        m_painter->setBrush(Qt::white);
        m_painter->drawRoundedRect(frame, 4, 4);
        if (tile.tone == report::Tone::Warning || tile.tone == report::Tone::Bad)
            m_painter->fillRect(QRectF(frame.left(), frame.top() + 4, 3, frame.height() - 8), colourOfTone(tile.tone));
        const QRectF inner = frame.adjusted(kPad, kPad, -kPad, -kPad);
        drawReportText(*m_painter, inner, QString::fromStdString(tile.label), kTileStyle);
        const QString value = QString::fromStdString(tile.value);
        TextStyle style{16, true, kPageInk, false};
        while (style.size > 8 && reportTextWidth(value, style) > inner.width())
            style.size -= 0.5;
        const double base = inner.top() + lineHeight(kTileStyle) + 16;
        drawReportLine(*m_painter, {inner.left(), base}, value, style);
        const QString note = QString::fromStdString(tile.note);
        QRectF below(inner.left(), base + 6, inner.width(), inner.height());
        drawReportText(*m_painter, below, note, kTileStyle);
        below.translate(0, reportTextHeight(note, kTileStyle, inner.width()) + 2);
        if (!tile.other.empty())
            drawReportText(*m_painter, below, QString::fromStdString(tile.other), kTileOther);
    }

    void draw(const report::Paragraph& paragraph)
    {
        text(QString::fromStdString(paragraph.text), paragraph.isNote ? kNoteStyle : kBodyStyle);
    }

    void draw(const report::Bullets& bullets)
    {
        constexpr double kIndent = 11;
        for (const std::string& item : bullets.items) {
            const QString words = QString::fromStdString(item);
            ensure(reportTextHeight(words, kBodyStyle, kTextWidth - kIndent));
            if (m_painter != nullptr)
                m_painter->fillRect(QRectF(kPageSide + 2, m_y + 5, 3, 3), kPageAccent);
            text(words, kBodyStyle, kIndent);
            take(1.5);
        }
    }

    void draw(const report::Table& table)
    {
        ensure(startOf(table));
        if (!table.title.empty()) {
            text(QString::fromStdString(table.title), kSubheadingStyle);
            take(2);
        }
        const TableLayout layout(table, kTextWidth);
        drawHeading(layout);
        for (std::size_t row = 0; row < layout.rows(); ++row) {
            // A heading of rows stays with the first of them.
            const bool isHeading = table.rows[row].isStrong && row + 1 < layout.rows();
            const double needed = layout.rowHeight(row) + (isHeading ? layout.rowHeight(row + 1) : 0);
            if (needed > left() && !m_isFresh) {
                beginPage();
                drawHeading(layout);
            }
            if (m_painter != nullptr)
                layout.drawRow(*m_painter, {kPageSide, m_y}, row);
            take(layout.rowHeight(row));
        }
    }

    void drawHeading(const TableLayout& layout)
    {
        if (m_painter != nullptr)
            layout.drawHeading(*m_painter, {kPageSide, m_y});
        take(layout.headingHeight());
    }

    void draw(const report::Figure& figure)
    {
        ensure(heightOf(figure));
        const double scale = kTextWidth / report::kPictureWidth;
        if (m_painter != nullptr) {
            m_painter->save();
            m_painter->translate(kPageSide, m_y);
            m_painter->scale(scale, scale);
            paintPicture(*m_painter, figure.picture);
            m_painter->restore();
        }
        take(figure.picture.height * scale);
        if (!figure.caption.empty()) {
            take(3);
            text(QString::fromStdString(figure.caption), kNoteStyle);
        }
    }

    void draw(const report::Code& code)
    {
        for (const QString& line : QString::fromStdString(code.text).split(u'\n')) {
            const double indent = double(line.size() - line.trimmed().size()) * kCodeStyle.size * 0.45;
            if (!line.isEmpty())
                text(line.trimmed(), kCodeStyle, indent);
        }
    }

    const report::Report& m_report;
    QPainter* m_painter;
    QPdfWriter* m_writer;
    int m_pages;
    int m_page = 0;
    double m_y = 0;
    bool m_isFresh = true;
};

} // namespace

int layOut(const report::Report& report, QPainter* painter, QPdfWriter* writer, int pages, const std::stop_token& stop)
{
    return PageLayout(report, painter, writer, pages).run(stop);
}

} // namespace stratoplan::widgets
