// SPDX-License-Identifier: GPL-3.0-or-later
// Facts of a shipped plan, searched quickly, for tests of reports.
#pragma once

#include "core/report/compose.h"

#include <QTest>

namespace stratoplan::test {

/// Its search is in closed form, over the plan's own degrees of tensor parallelism.
inline exchange::Document quickDocument(const char* example)
{
    auto document = exchange::parseDocument(exchange::findExample(example)->text, catalog::shippedCatalog());
    if (!document)
        qFatal("no such example");
    document->project.search.mode = plan::SearchMode::ClosedForm;
    document->project.search.locks = {
        plan::Dimension::Tp, plan::Dimension::OrderOfRanks, plan::Dimension::TensorPartition};
    return std::move(*document);
}

inline report::Facts factsOf(const exchange::Document& document)
{
    auto facts = report::gather(document, "test");
    if (!facts)
        qFatal("no facts");
    return std::move(*facts);
}

/// The row of a table that begins so; null where there is none.
inline const report::Row* findRow(const report::Report& report, std::string_view sheet, std::string_view name)
{
    for (const auto& [section, table] : tablesOf(report))
        for (const report::Row& row : table->rows)
            if (table->sheet == sheet && row.cells.front().text == name)
                return &row;
    return nullptr;
}

} // namespace stratoplan::test
