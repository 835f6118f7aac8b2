// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/study.h"

#include "core/exchange/json_text.h"
#include "core/exchange/schema.h"
#include "core/exchange/search_space.h"
#include "core/plan/dimensions.h"
#include "core/units/reading.h"

namespace stratoplan::exchange {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostPlans = 10'000'000;

DocumentError fault(std::string pointer, std::string found, std::string expected)
{
    return {DocumentError::Code::Schema, {}, std::move(pointer), std::move(found), std::move(expected)};
}

/// Whether the text is a pointer into some document, "/a/b".
bool isPointer(const std::string& text)
{
    if (text.empty() || text.front() != '/')
        return false;
    for (std::size_t i = text.find('~'); i != std::string::npos; i = text.find('~', i + 1))
        if (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1'))
            return false;
    return true;
}

/// Follows a pointer as far as there are values to be passed through: a plain one has no members to set.
bool canSet(const Json& document, const Json::json_pointer& pointer)
{
    for (Json::json_pointer above = pointer.parent_pointer();; above = above.parent_pointer()) {
        if (document.contains(above)) {
            const Json& there = document.at(above);
            return there.is_object() || (there.is_array() && document.contains(pointer));
        }
        if (above.empty())
            return true;
    }
}

} // namespace

tl::expected<Json, DocumentError> readBasePlan(const Json& plan, const std::filesystem::path& file)
{
    if (plan.is_object())
        return plan;
    const auto wrong = [&] {
        return tl::unexpected(
            fault("/plan", catalog::quoteJson(plan), "the name of a shipped example, or a plan file beside the study"));
    };
    if (!plan.is_string())
        return wrong();
    const auto name = plan.get<std::string>();
    if (const Example* example = findExample(name))
        return parseJson(example->text, name);
    const auto text = readFile(file.parent_path() / name);
    if (!text)
        return wrong();
    return parseJson(*text, name);
}

tl::expected<Document, DocumentErrors> planWith(Json plan, const Json& values, const catalog::Catalog& catalog)
{
    for (const auto& [pointer, value] : values.items()) {
        const Json::json_pointer place(pointer);
        if (!canSet(plan, place))
            return tl::unexpected(DocumentErrors{
                fault(pointer, "a plain value above it", "a place in the plan, such as /training/global_batch")});
        plan[place] = value;
    }
    return parseDocument(plan.dump(), catalog);
}

std::set<plan::Dimension> Study::projectLocks(const plan::Project& project, bool ignoreLocks) const
{
    return ignoreLocks || !m_space.empty() ? std::set<plan::Dimension>() : project.search.locks;
}

plan::SearchSpace Study::space(const plan::Project& project, bool ignoreLocks) const
{
    const plan::Plan& plan = project.plan;
    plan::SearchSpace space = m_space.empty()
        ? spaceOf(search, plan)
        : spaceFor(search, *parseSearchSpace(m_space, plan, {}), plan); // its faults are the study's
    if (space.framework == plan::TargetFramework::Any)
        space.framework = project.search.framework;
    return withLocks(std::move(space), projectLocks(project, ignoreLocks), plan);
}

std::int64_t Study::size() const
{
    std::int64_t count = 1;
    for (const Json& values : m_grid)
        count = std::min(count * std::int64_t(values.size()), kMostPlans + 1);
    return count;
}

Json Study::values(std::int64_t number) const
{
    Json result = Json::object();
    std::int64_t each = size();
    for (const auto& [pointer, values] : m_grid.items()) {
        each /= std::int64_t(values.size());
        result[pointer] = values.at(std::size_t(number / each) % values.size());
    }
    return result;
}

DocumentErrors Study::unknownPointers(const catalog::Catalog& catalog) const
{
    const auto isAbove = [](const std::string& above, const std::string& pointer) {
        return pointer.starts_with(above) && (pointer.size() == above.size() || pointer[above.size()] == '/');
    };
    DocumentErrors unknown;
    for (const auto& [pointer, values] : m_grid.items()) {
        for (const Json& value : values) {
            const auto document = planWith(m_plan, Json{{pointer, value}}, catalog);
            if (!document)
                continue;
            for (const DocumentError& warning : document->warnings)
                if (isAbove(warning.pointer, pointer) || isAbove(pointer, warning.pointer))
                    unknown.push_back(
                        {warning.code, {}, childPointer("/grid", pointer), warning.found, warning.expected});
            break; // the others are at the same place
        }
    }
    return unknown;
}

tl::expected<Document, DocumentErrors> Study::document(std::int64_t number, const catalog::Catalog& catalog) const
{
    return planWith(m_plan, values(number), catalog);
}

/// What is searched for, and where. The space may be of a file beside the study.
void Study::readSearch(const Json& root, const std::filesystem::path& file, DocumentErrors& faults)
{
    search.objective = *plan::objectiveFromKey(root.value("objective", std::string(key(search.objective))));
    search.mode = root.value("simulate", false) ? plan::SearchMode::Simulated : plan::SearchMode::ClosedForm;
    search.headroom = root.value("headroom", search.headroom);
    search.longestStep = Seconds(root.value("longest_step_s", 0.0));
    search.framework = *plan::targetFrameworkFromKey(root.value("framework", std::string(key(search.framework))));
    for (const Json& lock : root.value("locks", Json::array()))
        search.locks.insert(*plan::lockableFromKey(lock.get<std::string>()));
    const bool deadline = search.objective == plan::Objective::Deadline;
    if (deadline != (search.longestStep > Seconds{}))
        faults.push_back(deadline
                ? fault("/longest_step_s", "nothing", "with the objective deadline the seconds a step may take")
                : fault("/objective", catalog::quoteJson(root.value("objective", Json())),
                    "\"deadline\", of which /longest_step_s is"));
    const Json space = root.value("space", Json("default"));
    if (space.is_string() && namedSpace(space.get<std::string>(), plan::Plan())) {
        search.space = space.get<std::string>();
        return;
    }
    if (space.is_string()) {
        const auto text = readFile(file.parent_path() / space.get<std::string>());
        if (!text) {
            faults.push_back(fault("/space", catalog::quoteJson(space),
                "default, calculon, whole, a file beside the study, or a search space"));
            return;
        }
        m_space = *text;
    } else {
        m_space = space.dump();
    }
    if (const auto parsed =
            parseSearchSpace(m_space, plan::Plan(), space.is_string() ? space.get<std::string>() : std::string());
        !parsed)
        for (DocumentError error : parsed.error()) {
            error.pointer = space.is_string() ? error.pointer : "/space" + error.pointer;
            faults.push_back(std::move(error));
        }
}

tl::expected<Study, DocumentErrors> parseStudy(std::string_view text, const std::filesystem::path& file)
{
    const auto parsed = parseJson(text, file.string());
    if (!parsed)
        return tl::unexpected(DocumentErrors{parsed.error()});
    DocumentErrors faults = checkSchema(*parsed, DocumentFormat::Study);
    if (faults.empty())
        faults = unknownFields(*parsed, DocumentFormat::Study);
    Study study;
    if (faults.empty()) {
        study.name = parsed->value("name", std::string());
        study.answer = parsed->value("answer", std::string("search")) == "estimate" ? Study::Answer::Estimate
                                                                                    : Study::Answer::Search;
        study.readSearch(*parsed, file, faults);
        study.m_grid = parsed->at("grid");
        for (const auto& [pointer, values] : study.m_grid.items())
            if (!isPointer(pointer))
                faults.push_back(fault(childPointer("/grid", pointer), '"' + pointer + '"',
                    "a JSON pointer into the plan, such as \"/training/global_batch\""));
        if (study.size() > kMostPlans)
            faults.push_back(fault("/grid", reading::moreThan(kMostPlans, "combinations"), "fewer values"));
        if (parsed->at("plan").is_string())
            study.m_name = parsed->at("plan");
        if (auto plan = readBasePlan(parsed->at("plan"), file))
            study.m_plan = std::move(*plan);
        else
            faults.push_back(plan.error());
    }
    if (faults.empty())
        return study;
    for (DocumentError& fault : faults)
        if (fault.file.empty())
            fault.file = file.string();
    return tl::unexpected(std::move(faults));
}

} // namespace stratoplan::exchange
