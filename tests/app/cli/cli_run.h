// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the real command line and looks at what it answers.
#pragma once

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include <nlohmann/json.hpp>

#include <cmath>
#include <initializer_list>

namespace stratoplan::clitest {

using Json = nlohmann::json;

struct Run {
    int exitCode = -1;
    QByteArray out;
    QByteArray error;
    [[nodiscard]] Json json() const { return Json::parse(out.toStdString(), nullptr, false); }
};

inline QTemporaryDir& folder()
{
    static QTemporaryDir temporary;
    return temporary;
}

inline QProcessEnvironment environment()
{
    QProcessEnvironment result = QProcessEnvironment::systemEnvironment();
    result.insert("XDG_STATE_HOME", folder().filePath("state"));
    return result;
}

inline Run finish(QProcess& process, const QByteArray& input)
{
    process.write(input);
    process.closeWriteChannel();
    if (!process.waitForFinished(240000) || process.exitStatus() != QProcess::NormalExit)
        return {-1, process.readAllStandardOutput(), "did not end by itself: " + process.readAllStandardError()};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

inline Run cli(
    const QStringList& arguments, const QByteArray& input = {}, const QProcessEnvironment& variables = environment())
{
    QProcess process;
    process.setProcessEnvironment(variables);
    process.start(STRATOPLAN_CLI, arguments);
    return finish(process, input);
}

inline Run shell(const QString& script)
{
    QProcess process;
    process.setProcessEnvironment(environment());
    process.start("/bin/sh", {"-c", QString(script).replace("CLI", STRATOPLAN_CLI)});
    return finish(process, {});
}

inline QByteArray example(const char* name)
{
    return cli({"examples", name}).out;
}

inline QByteArray edited(const QByteArray& plan, const char* pointer, const Json& value)
{
    Json json = Json::parse(plan.toStdString());
    json[Json::json_pointer(pointer)] = value;
    return QByteArray::fromStdString(json.dump());
}

inline QString saved(const QString& name, const QByteArray& content)
{
    QFile file(folder().filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("cannot write the test's own file");
    return file.fileName();
}

/// The shipped cases of one group, as a file of their own.
inline QByteArray someCases(const char* group)
{
    QFile file(STRATOPLAN_CASES);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read the shipped cases");
    const Json all = Json::parse(file.readAll().toStdString());
    Json some = Json::array();
    for (const Json& one : all.at("cases")) {
        if (one.at("group").get<std::string>().starts_with(group))
            some.push_back(one);
    }
    return QByteArray::fromStdString(some.dump());
}

/// True while the process has a handler of its own for the signal.
inline bool catches(qint64 process, int signal)
{
    QFile status(QString("/proc/%1/status").arg(process));
    if (!status.open(QIODevice::ReadOnly))
        return false;
    const QByteArray text = status.readAll();
    const qsizetype at = text.indexOf("SigCgt:");
    return at >= 0 && (text.mid(at + 7, 17).trimmed().toULongLong(nullptr, 16) >> (signal - 1) & 1) != 0;
}

inline bool hasKeys(const Json& object, std::initializer_list<const char*> keys)
{
    for (const char* key : keys) {
        if (!object.contains(key)) {
            qWarning("missing key: %s", key);
            return false;
        }
    }
    return object.is_object();
}

inline bool allFinite(const Json& value)
{
    if (value.is_null())
        return false; // what the library makes of a number that is none
    if (value.is_number())
        return std::isfinite(value.get<double>());
    return !value.is_structured() || std::all_of(value.begin(), value.end(), allFinite);
}

inline double sum(const Json& object)
{
    double total = 0;
    for (const Json& value : object)
        total += value.get<double>();
    return total;
}

inline bool close(double a, double b, double relative = 1e-9)
{
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

inline constexpr auto kStrategyKeys = {"tp", "pp", "dp", "cp", "ep", "etp", "vpp", "micro_batch", "zero_stage",
    "sequence_parallel", "recompute", "schedule", "timing_pass", "tensor_partition", "offload", "stage_layers",
    "rank_order"};
inline constexpr auto kStatisticsKeys = {
    "n", "mean_abs_error", "median_abs_error", "bias", "p90_abs_error", "worst", "mean_accuracy", "within_range"};
inline constexpr auto kCommands = {"examples", "estimate", "search", "sweep", "simulate", "trace", "capacity", "export",
    "report", "import", "validate", "calibrate"};
inline constexpr auto kFitKeys = {"n", "mean_abs_error", "bias", "worst", "worst_id"};

} // namespace stratoplan::clitest
