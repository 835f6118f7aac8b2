// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/best_partition.h"

#include "core/cost/memory.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace stratoplan::pricing {
namespace {

constexpr double kSlightlyMore = 1 + 1e-9; ///< so that what is as fast is found

/// Of one layer on a rank.
struct LayerBytes {
    double parameters = 0, kept = 0, beside = 0;
};

/// A division of layers that holds so much.
DividedLayers holding(const plan::Plan& plan, const LayerBytes& bytes)
{
    DividedLayer layer;
    layer.priced.parameters = bytes.parameters;
    layer.priced.kept[std::size_t(workload::KeptTensor::NormInputs)] = Bytes(bytes.kept);
    layer.priced.working = Bytes(bytes.beside);
    DividedLayers layers{plan.strategy.recompute, {}, {}};
    (plan.model.moe ? layers.moe : layers.dense) = std::move(layer);
    return layers;
}

/// What a stage holds by lifetime, and how that changes with what a layer of it does.
class StageForm {
public:
    StageForm(const plan::Plan& plan, const workload::MicroBatchWork& work, const workload::StageLayout& stage,
        const LayerBytes& layer)
        : m_layer(layer)
    {
        const auto held = [&](const LayerBytes& bytes) {
            workload::MicroBatchWork divided = work;
            divideWork(holding(plan, bytes), divided);
            workload::StageLayout layout = stage;
            countParameters(plan, divided, layout);
            cost::LifetimeBytes all = cost::passBytes(plan, divided, layout);
            all += cost::parameterBytes(plan, divided, layout);
            return all;
        };
        m_held = held(layer);
        m_ofParameters = held({(1 + kStep) * layer.parameters, layer.kept, layer.beside});
        m_ofKept = held({layer.parameters, (1 + kStep) * layer.kept, layer.beside});
        m_ofBeside = held({layer.parameters, layer.kept, (1 + kStep) * layer.beside});
    }

    /// Of a sum over lifetimes.
    template <class Sum>
    [[nodiscard]] partition::MemoryForm form(Sum sum) const
    {
        const double held = sum(m_held).value();
        const auto slope = [&](const cost::LifetimeBytes& more, double by) {
            return (sum(more).value() - held) / (kStep * by);
        };
        partition::MemoryForm form;
        form.ofParameter = slope(m_ofParameters, m_layer.parameters);
        form.ofKept = slope(m_ofKept, m_layer.kept);
        form.ofBeside = slope(m_ofBeside, m_layer.beside);
        form.fixed = held - form.layers(m_layer.parameters, m_layer.kept, m_layer.beside);
        return form;
    }

private:
    static constexpr double kStep = 1.0 / 1024;
    LayerBytes m_layer;
    cost::LifetimeBytes m_held, m_ofParameters, m_ofKept, m_ofBeside;
};

/// But for rounding.
bool needsNoMore(const partition::MemoryForm& a, const partition::MemoryForm& b)
{
    const auto isNoMore = [](double x, double y) { return x <= y + 1e-6 * (std::abs(y) + 1); };
    return isNoMore(a.ofParameter, b.ofParameter) && isNoMore(a.ofKept, b.ofKept) && isNoMore(a.ofBeside, b.ofBeside)
        && isNoMore(a.fixed, b.fixed);
}

/// Whether whatever fits by the stricter forms fits by these.
bool leavesNoLessRoom(
    const std::vector<partition::MemoryForm>& forms, const std::vector<partition::MemoryForm>& stricter)
{
    return std::ranges::all_of(forms, [&](const partition::MemoryForm& form) {
        return std::ranges::any_of(stricter, [&](const partition::MemoryForm& other) {
            return form.ofParameter <= other.ofParameter && form.ofKept <= other.ofKept
                && form.ofBeside <= other.ofBeside && form.fixed <= other.fixed;
        });
    });
}

/// In one of the corners, if there are any.
bool isWithin(const partition::Division& division, const std::vector<partition::MemoryForm>& memory,
    const std::vector<partition::Corner>& corners)
{
    return corners.empty() || std::ranges::any_of(corners, [&](const partition::Corner& corner) {
        return division.seconds < corner.seconds && peak(memory, division) < corner.peak;
    });
}

void addForm(const partition::MemoryForm& form, std::vector<partition::MemoryForm>& forms)
{
    if (std::ranges::any_of(forms, [&](const auto& other) { return needsNoMore(form, other); }))
        return;
    std::erase_if(forms, [&](const auto& other) { return needsNoMore(other, form); });
    forms.push_back(form);
}

/// The moments at which a stage may hold most (cost::peak()).
void addMoments(const StageForm& stage, double inFlight, const pipeline::LossesInFlight& losses,
    std::vector<partition::MemoryForm>& forms)
{
    using Held = cost::LifetimeBytes;
    addForm(stage.form([&](const Held& h) {
        return h.step + h.microBatch * inFlight + h.pass + h.loss + h.prediction * losses.atLoss;
    }),
        forms);
    addForm(stage.form([&](const Held& h) {
        return h.step + h.microBatch * inFlight + h.pass + h.backward + h.prediction * losses.inBackward;
    }),
        forms);
    addForm(stage.form([](const Held& h) { return h.step + h.optimizer; }), forms);
}

/// Of stages that are alike, the one with the most micro-batches in flight.
struct HeldStage {
    workload::StageLayout layout;
    double inFlight = 0;
};
std::vector<HeldStage> fullestOfEachKind(const plan::Plan& plan, const workload::Workload& lowered)
{
    const auto chunks = workload::placeChunks(plan);
    std::vector<HeldStage> kinds;
    for (std::size_t stage = 0; stage < lowered.stages.size(); ++stage) {
        const double share = cost::firstChunkShare(plan, lowered, chunks[stage]);
        const double held = cost::inFlight(plan.strategy, lowered.microBatches, int(stage), share);
        const auto known = std::ranges::find(kinds, lowered.stages[stage], &HeldStage::layout);
        if (known == kinds.end())
            kinds.push_back({lowered.stages[stage], held});
        else
            known->inFlight = std::max(known->inFlight, held);
    }
    return kinds;
}

plan::ProblemCause causeOf(partition::WayFault::Kind kind)
{
    using enum partition::WayFault::Kind;
    switch (kind) {
    case Missing:
        return plan::ProblemCause::PartitionOperatorMissing;
    case Twice:
        return plan::ProblemCause::PartitionOperatorTwice;
    case Unknown:
        return plan::ProblemCause::PartitionOperatorUnknown;
    case Impossible:
        break;
    }
    return plan::ProblemCause::PartitionOperator;
}

} // namespace

std::vector<partition::MemoryForm> memoryForms(const plan::Plan& asked)
{
    plan::Plan plan = asked;
    parallel::Strategy& s = plan.strategy;
    s.sequenceParallel = true; // what layers begin and end with is divided like all else
    if (s.schedule == parallel::Schedule::ZbAuto && s.inFlightLimit == 0)
        s.inFlightLimit = s.pp; // at the least
    workload::Workload lowered = workload::lower(plan);
    const std::vector<HeldStage> stages = fullestOfEachKind(plan, lowered);
    const pipeline::LossesInFlight losses = pipeline::lossesInFlight(s.schedule, lowered.microBatches);
    const workload::LayerWork& layer = plan.model.moe ? lowered.moe : lowered.dense;
    const double all = layer.activations.all().value();
    const LayerBytes usual{layer.parameters, keptActivations(layer.activations, s.recompute).value(), all};
    for (workload::LayerWork* const work : {&lowered.dense, &lowered.moe})
        work->forward = work->backward = {}; // they are copied often, and play no part in bytes
    std::vector<partition::MemoryForm> forms;
    // A stage holds the sum of some things and the largest of others: of straight lines the highest.
    for (const double parameters : {0.5, 1.0, double(s.tp)})
        for (const double kept : {0.5, double(s.tp)})
            for (const double beside : {0.0625, 0.5, double(s.tp)})
                for (const HeldStage& stage : stages)
                    addMoments(StageForm(plan, lowered, stage.layout,
                                   {parameters * usual.parameters, kept * usual.kept, beside * usual.beside}),
                        stage.inFlight, losses, forms);
    const auto usually = [&](const partition::MemoryForm& form) {
        return form.fixed + form.layers(usual.parameters, usual.kept, usual.beside);
    };
    std::ranges::sort(forms, std::greater(), usually);
    return forms;
}

PlanProgramme::PlanProgramme(
    const plan::Plan& plan, const cost::Machine& machine, const cluster::Span& group, int microBatches)
    : m_division(plan, machine, group, microBatches)
    , m_sequences(m_division.pricing().bits, m_division.layouts())
    , m_programme(m_division.block(), m_sequences, m_division.pricing())
{
}

std::vector<parallel::OperatorPartition> PlanProgramme::inWords(const partition::Division& division) const
{
    return waysOf(m_division.block(), m_programme.states(), m_sequences, division, m_division.pricing().bits);
}

const partition::Division& PlanProgramme::fastest()
{
    if (m_found.empty())
        m_found.push_back({{}, INFINITY, m_programme.solve({}).best.front()});
    return m_found.front().division;
}

const PlanProgramme::Found* PlanProgramme::withoutRoom(
    const std::vector<partition::MemoryForm>& memory, double capacity) const
{
    const auto found = std::ranges::find_if(m_found, [&](const Found& known) {
        return !known.fits && known.capacity >= capacity && leavesNoLessRoom(known.memory, memory);
    });
    return found == m_found.end() ? nullptr : &*found;
}

const partition::Division* PlanProgramme::fitting(
    const std::vector<partition::MemoryForm>& memory, double capacity, std::vector<partition::Corner> within)
{
    if (peak(memory, fastest()) <= capacity)
        return &fastest();
    for (const Found& known : m_found)
        if (known.fits && known.capacity == capacity && known.memory == memory)
            return isWithin(known.division, memory, within) ? &known.division : nullptr;
    if (withoutRoom(memory, capacity) != nullptr || !mayFit(memory, capacity))
        return nullptr;
    const double most = fastestKnown(memory, capacity) * kSlightlyMore; // the fastest takes no longer
    for (partition::Corner& corner : within)
        corner.seconds = std::min(corner.seconds, most);
    if (!within.empty() && (areEmpty(memory, within) || m_programme.isKnownEmpty({memory, capacity, false, within})))
        return nullptr;
    auto fits =
        m_programme.solve({memory, capacity, false, within}).best; // no slower than the fastest in these corners
    if (!fits.empty())
        m_known.push_back(fits.front());
    if (fits.empty() || !isWithin(fits.front(), memory, within)) {
        for (partition::Corner& corner : within)
            corner.seconds = std::min(corner.seconds, fits.empty() ? INFINITY : fits.front().seconds);
        m_empty.push_back({memory, std::move(within)});
        return nullptr;
    }
    if (within.size() > 1) { // one that is in none of them may be faster
        fits = m_programme.solve({memory, capacity, false, {{fits.front().seconds * kSlightlyMore}}}).best;
        if (!isWithin(fits.front(), memory, within))
            return nullptr;
    }
    return &m_found.emplace_back(Found{memory, capacity, fits.front()}).division;
}

/// What needs no less here needed no less there.
bool PlanProgramme::areEmpty(
    const std::vector<partition::MemoryForm>& memory, const std::vector<partition::Corner>& corners) const
{
    const auto isEmpty = [&](const partition::Corner& corner, const Empty& known) {
        return std::ranges::any_of(known.corners, [&](const partition::Corner& other) {
            return corner.seconds <= other.seconds && corner.peak <= other.peak;
        });
    };
    return std::ranges::any_of(m_empty, [&](const Empty& known) {
        return std::ranges::all_of(corners, [&](const partition::Corner& corner) { return isEmpty(corner, known); })
            && leavesNoLessRoom(known.memory, memory);
    });
}

double PlanProgramme::fastestKnown(const std::vector<partition::MemoryForm>& memory, double capacity) const
{
    double least = INFINITY;
    for (const partition::Division& division : m_known)
        if (division.seconds < least && peak(memory, division) <= capacity)
            least = division.seconds;
    return least;
}

const partition::Division& PlanProgramme::best(const std::vector<partition::MemoryForm>& memory, double capacity)
{
    if (const partition::Division* const fits = fitting(memory, capacity))
        return *fits;
    if (const Found* const known = withoutRoom(memory, capacity))
        return known->division;
    partition::ProgrammeGoal front{memory};
    front.front = true;
    return m_found.emplace_back(Found{memory, capacity, m_programme.solve(front).best.back(), false}).division;
}

/// Each operator in the state that holds least, whatever its neighbours.
bool PlanProgramme::mayFit(const std::vector<partition::MemoryForm>& memory, double capacity) const
{
    return std::ranges::all_of(memory, [&](const partition::MemoryForm& form) {
        double least = form.fixed;
        for (const std::vector<partition::State>& states : m_programme.states()) {
            double ofOperator = INFINITY;
            for (const partition::State& state : states)
                ofOperator = std::min(ofOperator, form.layers(state.parameters, state.kept, state.remade));
            least += ofOperator;
        }
        return least <= capacity;
    });
}

tl::expected<plan::Plan, plan::Problem> withPartition(plan::Plan plan, const cost::Machine& machine)
{
    plan::Problem problem;
    problem.code = plan::ProblemCode::NotEstimable;
    problem.where = "/strategy/operator_partitions";
    parallel::Strategy& s = plan.strategy;
    if (s.operatorPartitions.empty()) {
        PlanProgramme layer(plan, machine);
        s.operatorPartitions = layer.inWords(layer.best(memoryForms(plan), smallestMemory(plan.cluster).value()));
    }
    const auto divided = dividedLayers(plan, machine);
    if (!divided) {
        problem.detail = divided.error().op;
        problem.other = divided.error().way;
        problem.found = s.tp;
        problem.cause = causeOf(divided.error().kind);
        return tl::unexpected(std::move(problem));
    }
    s.sequenceParallel = divided->sharesStream();
    return plan;
}

} // namespace stratoplan::pricing
