// SPDX-License-Identifier: Apache-2.0
#include "core/report/xlsx.h"

#include "core/units/text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <unistd.h>
#include <xlsxwriter.h>

namespace stratoplan::report {
namespace {

constexpr std::string_view kFirstSheet = "Decision";
constexpr std::size_t kMostLetters = 32767; ///< of a cell

/// "#,##0.00", "0.0%", "+0.0%;-0.0%"
std::string formatOf(const Cell& cell)
{
    const std::string decimals = cell.decimals > 0 ? '.' + std::string(std::size_t(cell.decimals), '0') : std::string();
    if (!cell.isShare)
        return "#,##0" + decimals;
    const std::string share = '0' + decimals + '%';
    return cell.isSigned ? '+' + share + ";-" + share + ";0%" : share;
}

/// Where TMPDIR names none, /tmp.
std::filesystem::path temporaryFolder()
{
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    return error ? std::filesystem::path("/tmp") : folder;
}

/// A file of its own that goes when this does.
class TemporaryFile {
public:
    TemporaryFile()
        : m_path((temporaryFolder() / "stratoplan-").string() + std::string(6, 'X'))
    {
        m_descriptor = ::mkstemp(m_path.data());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile()
    {
        if (m_descriptor < 0)
            return;
        ::close(m_descriptor);
        ::unlink(m_path.c_str());
    }
    [[nodiscard]] bool isOpen() const { return m_descriptor >= 0; }
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    std::string m_path;
    int m_descriptor = -1;
};

class Workbook {
public:
    explicit Workbook(const std::string& path)
        : m_book(workbook_new(path.c_str()))
        , m_bold(addFormat())
        , m_title(addFormat())
        , m_heading(addFormat())
        , m_wrapped(addFormat())
    {
        format_set_bold(m_bold);
        format_set_bold(m_title);
        format_set_font_size(m_title, 14);
        format_set_bold(m_heading);
        format_set_bottom(m_heading, LXW_BORDER_THIN);
        format_set_text_wrap(m_heading);
        format_set_align(m_heading, LXW_ALIGN_VERTICAL_BOTTOM);
        format_set_text_wrap(m_wrapped);
        format_set_align(m_wrapped, LXW_ALIGN_VERTICAL_TOP);
    }
    Workbook(const Workbook&) = delete;
    Workbook& operator=(const Workbook&) = delete;
    ~Workbook() = default;

    void write(const Report& report)
    {
        lxw_doc_properties properties{};
        properties.title = const_cast<char*>(report.title.c_str()); // NOLINT: the library copies it
        properties.author = const_cast<char*>(report.origin.c_str()); // NOLINT
        constexpr time_t kNoDay = 315532800; // 1980-01-01, as in its archive: a report knows no clock
        properties.created = kNoDay;
        workbook_set_properties(m_book, &properties);
        writeHead(report);
        std::vector<PlacedTable> tables = tablesOf(report);
        std::stable_partition(
            tables.begin(), tables.end(), [](const PlacedTable& t) { return t.table->sheet == kFirstSheet; });
        for (const auto& [section, table] : tables)
            writeTable(*table, table->title.empty() ? section->title : table->title);
    }

    [[nodiscard]] bool close() { return workbook_close(m_book) == LXW_NO_ERROR; }

private:
    struct Sheet {
        lxw_worksheet* sheet = nullptr;
        lxw_row_t row = 0;
        std::vector<double> widths; ///< of its columns, in letters
    };

    lxw_format* addFormat() { return workbook_add_format(m_book); }

    Sheet& sheetNamed(const std::string& name)
    {
        Sheet& sheet = m_sheets[name];
        if (sheet.sheet == nullptr)
            sheet.sheet = workbook_add_worksheet(m_book, name.c_str());
        return sheet;
    }

    /// What to do, above the figures of it.
    void writeHead(const Report& report)
    {
        Sheet& sheet = sheetNamed(std::string(kFirstSheet));
        text(sheet, 0, report.title, m_title);
        ++sheet.row;
        text(sheet, 0, report.subtitle, nullptr);
        ++sheet.row;
        for (const Section& section : report.sections)
            for (const Block& block : section.blocks)
                if (const auto* const verdict = std::get_if<Verdict>(&block)) {
                    text(sheet, 0, verdict->headline, m_bold);
                    ++sheet.row;
                    text(sheet, 0, verdict->text, nullptr);
                    ++sheet.row;
                }
        ++sheet.row;
    }

    static void text(Sheet& sheet, std::size_t column, const std::string& value, lxw_format* format)
    {
        constexpr std::size_t kEllipsis = 3; // bytes
        const std::string cut = value.size() > kMostLetters ? shortened(value, kMostLetters - kEllipsis) : value;
        worksheet_write_string(sheet.sheet, sheet.row, lxw_col_t(column), cut.c_str(), format);
    }

    lxw_format* formatFor(const Cell& cell, bool isStrong)
    {
        lxw_format*& format = m_formats[{formatOf(cell), isStrong}];
        if (format == nullptr) {
            format = addFormat();
            format_set_num_format(format, formatOf(cell).c_str());
            format_set_align(format, LXW_ALIGN_VERTICAL_TOP);
            if (isStrong)
                format_set_bold(format);
        }
        return format;
    }

    static void widen(Sheet& sheet, std::size_t column, const std::string& value)
    {
        constexpr double kLeast = 10, kMost = 60;
        if (sheet.widths.size() <= column)
            sheet.widths.resize(column + 1, kLeast);
        double& width = sheet.widths[column];
        width = std::clamp(double(value.size()) + 2, width, kMost);
        worksheet_set_column(sheet.sheet, lxw_col_t(column), lxw_col_t(column), width, nullptr);
    }

    void writeTable(const Table& table, const std::string& title)
    {
        Sheet& sheet = sheetNamed(table.sheet);
        text(sheet, 0, title, m_bold);
        ++sheet.row;
        for (std::size_t i = 0; i < table.headings.size(); ++i)
            text(sheet, i, table.headings[i] == "±" ? table.headings[i - 1] + " ±" : table.headings[i], m_heading);
        ++sheet.row;
        for (const Row& row : table.rows) {
            for (std::size_t i = 0; i < row.cells.size(); ++i) {
                const Cell& cell = row.cells[i];
                widen(sheet, i, cell.text);
                if (cell.number)
                    worksheet_write_number(
                        sheet.sheet, sheet.row, lxw_col_t(i), *cell.number, formatFor(cell, row.isStrong));
                else if (!cell.text.empty())
                    text(sheet, i, cell.text, row.isStrong ? m_bold : m_wrapped);
            }
            ++sheet.row;
        }
        ++sheet.row;
    }

    lxw_workbook* m_book;
    lxw_format *m_bold, *m_title, *m_heading, *m_wrapped;
    std::map<std::string, Sheet> m_sheets;
    std::map<std::pair<std::string, bool>, lxw_format*> m_formats;
};

} // namespace

tl::expected<std::string, exchange::DocumentError> xlsx(const Report& report)
{
    const TemporaryFile file;
    const exchange::DocumentError unwritable{
        exchange::DocumentError::Code::Unwritable, file.path(), {}, "a file that cannot be written", "room in it", {}};
    if (!file.isOpen())
        return tl::unexpected(unwritable);
    Workbook book(file.path());
    book.write(report);
    if (!book.close())
        return tl::unexpected(unwritable);
    return exchange::readFile(file.path());
}

} // namespace stratoplan::report
