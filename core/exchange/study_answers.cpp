// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/study_answers.h"

#include "core/catalog/embedded.h"
#include "core/exchange/json_text.h"
#include "core/exchange/recognise.h"
#include "core/units/reading.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace stratoplan::exchange {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostFaultsKept = 100;

/// The reader counts lines of what it was given, which is one.
std::string withoutLine(std::string text)
{
    constexpr std::string_view kLine = "line 1, ";
    if (const std::size_t found = text.find(kLine); found != std::string::npos)
        text.erase(found, kLine.size());
    return text;
}

/// The fields of a line; the first that is not as it should be is remembered, and reads as nothing.
class Fields {
public:
    Fields(const Json& object, std::string& wrong)
        : m_object(object)
        , m_wrong(wrong)
    {
        if (!object.is_object())
            blame(catalog::quoteJson(object));
    }

    [[nodiscard]] bool has(const char* name) const { return m_object.is_object() && m_object.contains(name); }
    [[nodiscard]] const Json& at(const char* name) const
    {
        static const Json nothing;
        if (has(name))
            return m_object[name];
        blame(std::string("no \"") + name + '"');
        return nothing;
    }
    [[nodiscard]] double number(const char* name) const
    {
        return is(at(name).is_number(), name, "a number") ? at(name).get<double>() : 0;
    }
    [[nodiscard]] std::optional<double> numberIf(const char* name) const
    {
        return has(name) ? std::optional(number(name)) : std::nullopt;
    }
    [[nodiscard]] bool truth(const char* name) const
    {
        return is(at(name).is_boolean(), name, reading::kBoolean) && at(name).get<bool>();
    }
    [[nodiscard]] std::int64_t count(const char* name) const
    {
        const bool good = at(name).is_number_integer() && at(name).get<std::int64_t>() >= 0;
        return is(good, name, "a count") ? at(name).get<std::int64_t>() : 0;
    }
    [[nodiscard]] std::string text(const char* name) const
    {
        return has(name) && at(name).is_string() ? at(name).get<std::string>() : std::string();
    }
    [[nodiscard]] const Json& object(const char* name) const
    {
        static const Json none = Json::object();
        return is(at(name).is_object(), name, reading::kObject) ? at(name) : none;
    }

private:
    void blame(std::string what) const
    {
        if (m_wrong.empty())
            m_wrong = std::move(what);
    }
    bool is(bool good, const char* name, const char* expected) const
    {
        if (!good && has(name))
            blame(std::string("\"") + name + "\" is " + catalog::quoteJson(at(name)) + ", expected " + expected);
        return good;
    }

    const Json& m_object;
    std::string& m_wrong;
};

parallel::Strategy strategyOf(const Fields& fields)
{
    parallel::Strategy s;
    const auto number = [&](const char* name, int& target) {
        if (fields.has(name))
            target = int(fields.count(name));
    };
    number("tp", s.tp);
    number("pp", s.pp);
    number("dp", s.dp);
    number("cp", s.cp);
    number("ep", s.ep);
    number("etp", s.etp);
    number("vpp", s.vpp);
    number("micro_batch", s.microBatch);
    number("zero_stage", s.zeroStage);
    s.sequenceParallel = fields.has("sequence_parallel") && fields.truth("sequence_parallel");
    s.recompute = parallel::recomputeFromKey(fields.text("recompute")).value_or(s.recompute);
    s.schedule = parallel::scheduleFromKey(fields.text("schedule")).value_or(s.schedule);
    return s;
}

void readFigures(StudyPoint& point, const Fields& best, std::string& wrong)
{
    point.step = point.stepLow = point.stepHigh = Seconds(best.number("step_s"));
    const Json range = best.has("step_range_s") ? best.at("step_range_s") : Json();
    if (range.is_array() && range.size() == 2 && range[0].is_number() && range[1].is_number()) {
        point.stepLow = Seconds(range[0].get<double>());
        point.stepHigh = Seconds(range[1].get<double>());
    }
    point.tokensPerSecond = best.number("tokens_per_s");
    point.mfu = best.number("mfu");
    point.peak = Bytes(best.number("peak_bytes"));
    point.accelerators = int(best.count("accelerators"));
    point.outcome = best.truth("fits") ? StudyPoint::Outcome::Fits : StudyPoint::Outcome::TooLarge;
    point.days = best.numberIf("days");
    point.acceleratorHours = best.numberIf("gpu_hours");
    point.energyKwh = best.numberIf("energy_kwh");
    point.cost = best.numberIf("cost");
    point.strategy = best.object("strategy").dump();
    point.found = strategyOf(Fields(best.object("strategy"), wrong));
    point.precision = best.text("precision");
}

StudyPoint pointOf(const Fields& line, std::string& wrong)
{
    StudyPoint point;
    point.number = line.count("number");
    if (line.has("best")) {
        point.outcome = StudyPoint::Outcome::NothingFits;
        if (!line.at("best").is_null())
            readFigures(point, Fields(line.at("best"), wrong), wrong);
        return point;
    }
    const Json& problems = line.at("problems");
    if (problems.is_array() && !problems.empty())
        point.reason = Fields(problems.front(), wrong).text("message");
    return point;
}

/// Lines become points here, one after the other; then the axes are put in order.
class Reader {
public:
    explicit Reader(StudyReading& reading)
        : m_reading(reading)
        , m_answers(reading.answers)
    {
    }

    void addStudy(const StudyText& text)
    {
        const auto study = parseStudy(text.text, text.file);
        if (!study)
            return fault({StudyFault::Code::NoAnswer, text.file, 0, describe(study.error().front())});
        m_answers.name = study->name;
        m_answers.size = study->size();
        m_answers.base = study->base().dump();
        m_hasStudy = true;
    }

    void addAnswers(const StudyText& text, const std::stop_token& stop)
    {
        std::int64_t line = 0;
        for (std::size_t begin = 0; begin < text.text.size() && !stop.stop_requested();) {
            const std::size_t end = text.text.find('\n', begin);
            const std::string_view all =
                std::string_view(text.text).substr(begin, end - begin); // without an end: the rest
            ++line;
            if (all.find_first_not_of(" \t\r") != std::string_view::npos)
                addLine(all, end != std::string::npos, text.file, line);
            if (end == std::string::npos)
                break;
            begin = end + 1;
        }
    }

    void finish()
    {
        for (std::size_t axis = 0; axis < m_answers.axes.size(); ++axis)
            putInOrder(axis);
        std::sort(m_answers.points.begin(), m_answers.points.end(),
            [](const StudyPoint& a, const StudyPoint& b) { return a.number < b.number; });
    }

private:
    void fault(StudyFault found)
    {
        ++m_reading.faulty;
        if (m_reading.faults.size() < kMostFaultsKept)
            m_reading.faults.push_back(std::move(found));
    }

    void addLine(std::string_view text, bool whole, const std::string& file, std::int64_t line)
    {
        const auto json = parseJson(text);
        if (!json) {
            const auto code = whole ? StudyFault::Code::NoJson : StudyFault::Code::CutShort;
            return fault({code, file, line, whole ? withoutLine(json.error().found) : std::string()});
        }
        std::string wrong;
        const Fields fields(*json, wrong);
        StudyPoint point = pointOf(fields, wrong);
        const Json& values = fields.object("values");
        if (!wrong.empty())
            return fault({StudyFault::Code::NoAnswer, file, line, std::move(wrong)});
        if (!isOfThisStudy(values, fields.text("plan")))
            return fault({StudyFault::Code::OtherStudy, file, line, {}});
        place(point, values);
        takeBase(*json, file);
        if (point.isPriced() && m_answers.currency.empty())
            m_answers.currency = Fields(fields.at("best"), wrong).text("currency");
        keep(std::move(point), file, line);
    }

    /// All lines of a study vary the same, and change the same plan.
    bool isOfThisStudy(const Json& values, const std::string& plan)
    {
        if (m_answers.points.empty()) {
            for (const auto& [pointer, value] : values.items())
                m_answers.axes.push_back({pointer, {}, {}});
            m_places.resize(m_answers.axes.size());
            m_plan = plan;
            return true;
        }
        return plan == m_plan && values.size() == m_answers.axes.size()
            && std::all_of(m_answers.axes.begin(), m_answers.axes.end(),
                [&](const StudyAxis& axis) { return values.contains(axis.pointer); });
    }

    void place(StudyPoint& point, const Json& values)
    {
        for (std::size_t i = 0; i < m_answers.axes.size(); ++i) {
            StudyAxis& axis = m_answers.axes[i];
            const std::string value = values[axis.pointer].dump();
            const auto [found, isNew] = m_places[i].try_emplace(value, axis.values.size());
            if (isNew)
                axis.values.push_back(value);
            point.values.push_back(found->second);
        }
    }

    /// A plan that the study names is a shipped one, or lies beside it: there the answers may lie too.
    void takeBase(const Json& line, const std::string& file)
    {
        if (m_answers.name.empty())
            m_answers.name = m_plan;
        if (m_hasStudy || m_baseSought || !line.contains("plan"))
            return;
        m_baseSought = true;
        if (const auto base = readBasePlan(line["plan"], file))
            m_answers.base = base->dump();
    }

    /// Answers that are there twice, as where parts overlap, count once.
    void keep(StudyPoint point, const std::string& file, std::int64_t line)
    {
        const auto [found, isNew] = m_numbers.try_emplace(point.number, m_answers.points.size());
        if (isNew) {
            m_answers.points.push_back(std::move(point));
            return;
        }
        const StudyPoint& before = m_answers.points[found->second];
        if (before.values != point.values || before.outcome != point.outcome || before.step != point.step
            || before.strategy != point.strategy)
            fault({StudyFault::Code::Contradiction, file, line, std::to_string(point.number)});
    }

    /// Numbers rise; the points' places follow.
    void putInOrder(std::size_t index)
    {
        StudyAxis& axis = m_answers.axes[index];
        std::vector<double> numbers;
        for (const std::string& value : axis.values)
            if (const Json json = Json::parse(value, nullptr, false); json.is_number())
                numbers.push_back(json.get<double>());
        if (numbers.size() != axis.values.size())
            return;
        std::vector<std::size_t> order(numbers.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(
            order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
        std::vector<std::size_t> placeOf(order.size());
        StudyAxis sorted{axis.pointer, {}, {}};
        for (std::size_t i = 0; i < order.size(); ++i) {
            placeOf[order[i]] = i;
            sorted.values.push_back(axis.values[order[i]]);
            sorted.numbers.push_back(numbers[order[i]]);
        }
        axis = std::move(sorted);
        for (StudyPoint& point : m_answers.points)
            point.values[index] = placeOf[point.values[index]];
    }

    StudyReading& m_reading;
    StudyAnswers& m_answers;
    std::vector<std::unordered_map<std::string, std::size_t>> m_places;
    std::unordered_map<std::int64_t, std::size_t> m_numbers;
    std::string m_plan; ///< as the lines name it
    bool m_hasStudy = false;
    bool m_baseSought = false;
};

} // namespace

StudyReading readStudyAnswers(const std::vector<StudyText>& texts, const std::stop_token& stop)
{
    StudyReading reading;
    Reader reader(reading);
    // Studies first: what their answers say of them need not be sought then.
    std::vector<const StudyText*> answers;
    for (const StudyText& text : texts) {
        if (recogniseFile(text.text) == FileKind::Study)
            reader.addStudy(text);
        else
            answers.push_back(&text);
    }
    for (const StudyText* text : answers)
        reader.addAnswers(*text, stop);
    reader.finish();
    return reading;
}

const StudyText& shippedStudyAnswers()
{
    static const StudyText shipped{std::string(catalog::embedded::studies().front().name),
        std::string(catalog::embedded::studies().front().content)};
    return shipped;
}

tl::expected<Document, DocumentErrors> planOf(
    const StudyAnswers& answers, const StudyPoint& point, const catalog::Catalog& catalog)
{
    const Json base = Json::parse(answers.base, nullptr, false);
    if (!base.is_object())
        return tl::unexpected(
            DocumentErrors{{DocumentError::Code::Schema, {}, {}, "no plan", "the study that the answers belong to",
                "The answers do not say which plan they change: open the study itself with them."}});
    Json values = Json::object();
    for (std::size_t i = 0; i < answers.axes.size(); ++i)
        values[answers.axes[i].pointer] = Json::parse(answers.axes[i].values[point.values[i]]);
    auto document = planWith(base, values, catalog);
    if (!document || point.strategy.empty())
        return document;
    Json plan = Json::parse(writePlan(document->project.plan, catalog));
    plan["strategy"] = Json::parse(point.strategy);
    if (!point.precision.empty())
        plan["training"]["precision"] = point.precision;
    auto answered = parseDocument(plan.dump(), catalog);
    if (!answered)
        return answered;
    document->project.plan = std::move(answered->project.plan);
    document->original.clear();
    return document;
}

} // namespace stratoplan::exchange
