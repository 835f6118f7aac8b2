// SPDX-License-Identifier: Apache-2.0
// What is told by other names what Megatron-LM is told by its arguments: Megatron-Bridge, MindSpeed.
#include "core/launch/draft.h"

#include <algorithm>

namespace stratoplan::launch {
namespace {

void addLeft(Draft& draft, const Settings& left)
{
    for (const Setting& setting : left)
        draft.remark(Gap::NoSetting, argumentText(setting));
}

/// Of the blanks of Megatron-LM those that have a name in the table, by it; the first where there are several.
void rename(std::vector<BlankSetting>& blanks, const FlagTable& table)
{
    for (BlankSetting& blank : blanks)
        for (const FlagEntry& entry : table.entries)
            if (entry.megatron == "--" + blank.setting) {
                blank.setting = entry.name;
                break;
            }
}

/// DualPipe-V of MindSpeed goes without chunks, layouts, CP, tied tables and overlap of gradients.
bool runsDualPipe(const plan::Plan& plan)
{
    const parallel::Strategy& s = plan.strategy;
    return s.schedule == parallel::Schedule::DualPipeV && s.pp > 1 && s.cp == 1 && !plan.model.tiedEmbeddings
        && plan.model.layers % (2 * s.pp) == 0 && evenMicroBatches(plan) >= 2 * s.pp - 1;
}

void takeDualPipe(Draft& draft)
{
    for (const char* name : {"--overlap-grad-reduce", "--overlap-param-gather", "--pipeline-model-parallel-layout",
             "--num-layers-per-virtual-pipeline-stage"})
        if (const Setting* setting = find(draft.settings, name)) {
            draft.remark(Gap::NoSetting, argumentText(*setting));
            remove(draft.settings, name);
        }
    std::erase_if(draft.remarks, [](const Remark& remark) {
        return remark.objection && remark.objection->rule == catalog::FrameworkRule::Schedule;
    });
    draft.text("--schedules-method", "dualpipev");
}

/// Narrow moments, which an optimizer that is swapped does not have.
void addMoments(Draft& draft)
{
    if (!find(draft.settings, "--exp-avg-dtype"))
        return;
    if (!find(draft.settings, "--swap-optimizer"))
        return draft.flag("--use-precision-aware-optimizer");
    for (const char* name : {"--exp-avg-dtype", "--exp-avg-sq-dtype"}) {
        draft.remark(Gap::NoSetting, argumentText(*find(draft.settings, name)));
        remove(draft.settings, name);
    }
}

} // namespace

LaunchFile megatronBridge(const plan::Project& project)
{
    const FlagTable& table = shippedTable("megatron-bridge");
    Draft draft = megatron(project);
    Derived recipe = derived(draft.settings, table);
    addLeft(draft, recipe.left);
    const plan::Plan& plan = project.plan;
    if (evenChunk(plan) > 0 && find(draft.settings, "--num-layers-per-virtual-pipeline-stage"))
        recipe.settings.push_back({"model.virtual_pipeline_model_parallel_size", std::int64_t{plan.strategy.vpp}});
    rename(draft.blanks, table);
    const std::string provider = plan.model.mla ? "MLAModelProvider" : "GPTModelProvider";
    const auto isModel = [](const Setting& s) { return s.name.starts_with("model."); };
    std::string shape;
    Settings others;
    for (const Setting& setting : recipe.settings)
        if (isModel(setting))
            shape +=
                "        " + setting.name.substr(setting.name.find('.') + 1) + '=' + pythonText(setting.value) + ",\n";
        else
            others.push_back(setting);
    const std::string body = filledTemplate("megatron_bridge.py",
        {{"@PROVIDER@", provider}, {"@MODULE@", plan.model.mla ? "mla_provider" : "gpt_provider"}, {"@SHAPE@", shape},
            {"@SETTINGS@", pythonAssignments(others, "cfg", "    ")}});
    return {Format::MegatronBridge, body, {}, recipe.settings, "megatron-bridge", {}, draft.remarks, draft.blanks};
}

LaunchFile mindSpeed(const plan::Project& project)
{
    const FlagTable& table = shippedTable("mindspeed");
    Draft draft = megatron(project);
    Derived arguments = derived(draft.settings, table);
    addLeft(draft, arguments.left);
    draft.settings = std::move(arguments.settings);
    addMoments(draft);
    if (runsDualPipe(project.plan))
        takeDualPipe(draft);
    return {Format::MindSpeed, argumentLines(draft.settings), {}, draft.settings, "mindspeed", {}, draft.remarks,
        draft.blanks};
}

LaunchFile fitting(const plan::Project& project)
{
    return vendor(project.plan.cluster) == "Huawei" ? mindSpeed(project) : megatronLm(project);
}

} // namespace stratoplan::launch
