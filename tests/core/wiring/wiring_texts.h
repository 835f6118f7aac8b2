// SPDX-License-Identifier: GPL-3.0-or-later
// Topologies as the tests read them, and what is said of them.
#pragma once

#include "core/reporting/topologies.h"
#include "core/wiring/wiring.h"

#include <QFile>
#include <QString>

#include <string>

namespace stratoplan::test {

/// A file of tests/core/wiring/data.
inline std::string topologyFile(const char* name)
{
    QFile file(QStringLiteral(STRATOPLAN_TOPOLOGIES "/") + name);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read %s", name);
    return file.readAll().toStdString();
}

/// As what it is recognised; fails the test where it cannot be read.
inline wiring::ImportedCluster imported(const std::string& text, const wiring::Options& options = {})
{
    const auto format = wiring::recognise(text);
    if (!format)
        qFatal("no format recognised");
    auto result = wiring::importCluster(text, *format, "site", options, catalog::shippedCatalog());
    if (!result)
        qFatal("%s", describe(reporting::documentError(result.error())).c_str());
    return *std::move(result);
}

/// "line 3, column 7: found …, expected …"; what was read of a text that has no fault.
inline QString faultOf(const std::string& text, const wiring::Options& options = {})
{
    const auto format = wiring::recognise(text);
    if (!format)
        return QStringLiteral("no format");
    const auto result = wiring::importCluster(text, *format, "site", options, catalog::shippedCatalog());
    return QString::fromStdString(
        result ? "read: " + reporting::describe(result->cluster) : describe(reporting::documentError(result.error())));
}

inline QStringList lines(const std::vector<std::string>& texts)
{
    QStringList list;
    for (const std::string& text : texts)
        list << QString::fromStdString(text);
    return list;
}

/// What is filled in, as "field=value".
inline QStringList filledOf(const wiring::ImportedCluster& cluster)
{
    QStringList list;
    for (const wiring::Filled& filled : cluster.filled)
        list << QString::fromStdString(filled.field + '=' + filled.value);
    return list;
}

} // namespace stratoplan::test
