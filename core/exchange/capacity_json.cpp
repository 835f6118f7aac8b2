// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/capacity_json.h"

#include <nlohmann/json.hpp>

namespace stratoplan::exchange {
namespace {

using nlohmann::ordered_json;

/// Every member with its key, those of a group in an object of its own: one list to read and to write.
template <class Visitor>
void visitOwnership(Visitor& v, auto& owned)
{
    v("owned", "price_per_accelerator", owned.pricePerAccelerator);
    v("owned", "years", owned.years);
    v("owned", "residual_share", owned.residualShare);
    v("owned", "electricity_per_kwh", owned.electricityPerKwh);
    v("owned", "operations_share", owned.operationsShare);
}

template <class Visitor>
void visitFailures(Visitor& v, auto& failures)
{
    v("failures", "accelerator_mtbf_h", failures.acceleratorMtbf);
    v("failures", "node_mtbf_h", failures.nodeMtbf);
    v("failures", "nic_mtbf_h", failures.nicMtbf);
    v("failures", "restart_s", failures.restart);
    v("failures", "repair_h", failures.repair);
    v("failures", "spare_nodes", failures.spareNodes);
}

template <class Visitor>
void visitInputs(Visitor& v, auto& c)
{
    v("", "tokens", c.tokens);
    v("", "steps", c.steps);
    v("", "compute_flops", c.computeFlops);
    v("batch_ramp", "start", c.ramp.start);
    v("batch_ramp", "increment", c.ramp.increment);
    v("batch_ramp", "tokens", c.ramp.tokens);
    v("", "price_per_accelerator_hour", c.pricePerAcceleratorHour);
    v("", "prices", c.prices);
    v("", "currency", c.currency);
    v("", "purchase", c.purchase);
    v("", "pays_for_idle", c.paysForIdle);
    v("", "term_days", c.termDays);
    visitOwnership(v, c.owned);
    v("", "goodput", c.goodput);
    visitFailures(v, c.failures);
    v("checkpoints", "bandwidth_bytes_per_s", c.checkpoints.bandwidth);
    v("checkpoints", "interval_s", c.checkpoints.interval);
    v("checkpoints", "blocking_share", c.checkpoints.blockingShare);
    v("", "evaluation_share", c.evaluationShare);
    v("", "data_stall_share", c.dataStallShare);
    v("", "pue", c.pue);
    v("", "power_share", c.powerShare);
    v("", "grid_g_per_kwh", c.gridIntensity);
    v("", "start", c.start);
}

class InputsReader {
public:
    explicit InputsReader(const nlohmann::json& inputs)
        : m_inputs(inputs)
    {
    }

    template <class T>
    void operator()(const char* group, const char* key, T& member)
    {
        const nlohmann::json* place = &m_inputs;
        if (*group != 0) {
            const auto it = m_inputs.find(group);
            if (it == m_inputs.end())
                return;
            place = &*it;
        }
        if (const auto it = place->find(key); it != place->end())
            get(*it, member);
    }

private:
    template <class T>
    static void get(const nlohmann::json& value, T& member)
    {
        member = value.get<T>();
    }
    template <class T>
    static void get(const nlohmann::json& value, std::optional<T>& member)
    {
        member = value.get<T>();
    }
    static void get(const nlohmann::json& value, plan::Purchase& member)
    {
        member = plan::purchaseFromKey(value.get<std::string>()).value_or(member);
    }

    const nlohmann::json& m_inputs;
};

class InputsWriter {
public:
    template <class T>
    void operator()(const char* group, const char* key, const T& member)
    {
        if (const ordered_json value = valueOf(member); !value.is_null())
            (*group != 0 ? m_json[group] : m_json)[key] = value;
    }
    [[nodiscard]] ordered_json take() { return std::move(m_json); }

private:
    template <class T>
    static ordered_json valueOf(const T& member)
    {
        return member;
    }
    template <class T>
    static ordered_json valueOf(const std::optional<T>& member)
    {
        return member ? ordered_json(*member) : ordered_json();
    }
    static ordered_json valueOf(plan::Purchase member) { return std::string(key(member)); }

    ordered_json m_json = ordered_json::object();
};

ordered_json whole(const plan::CapacityInputs& inputs)
{
    InputsWriter writer;
    visitInputs(writer, inputs);
    return writer.take();
}

/// Members that the other one has alike are taken away, and objects that nothing is left of.
void removeAlike(ordered_json& object, const ordered_json& other)
{
    for (auto it = object.begin(); it != object.end();) {
        const auto same = other.find(it.key());
        if (same != other.end() && it->is_object() && same->is_object())
            removeAlike(*it, *same);
        const bool isNothing = same != other.end() && (*it == *same || (it->is_object() && it->empty()));
        it = isNothing ? object.erase(it) : std::next(it);
    }
}

} // namespace

plan::CapacityInputs parseCapacity(const nlohmann::json& document)
{
    plan::CapacityInputs inputs;
    InputsReader reader(document);
    visitInputs(reader, inputs);
    return inputs;
}

ordered_json toJson(const plan::CapacityInputs& inputs)
{
    ordered_json result = whole(inputs);
    removeAlike(result, whole({}));
    return result;
}

} // namespace stratoplan::exchange
