// SPDX-License-Identifier: Apache-2.0
#include "core/pricing/best_partition.h"

#include "core/cluster/node_kinds.h"
#include "core/cost/memory.h"
#include "core/partition/context_exchange.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace stratoplan::pricing {
namespace {

/// Of one layer on a rank.
struct LayerBytes {
    double parameters = 0, kept = 0, beside = 0;
};

/// A division of layers that holds so much.
DividedLayers holding(const plan::Plan& plan, const LayerBytes& bytes, const workload::ContextBlocks& contextBlocks)
{
    DividedLayer layer;
    layer.priced.parameters = bytes.parameters;
    layer.priced.kept[std::size_t(workload::KeptTensor::NormInputs)] = Bytes(bytes.kept);
    layer.priced.working = Bytes(bytes.beside);
    DividedLayers layers{plan.strategy.recompute, {}, {}, contextBlocks};
    (plan.model.moe ? layers.moe : layers.dense) = std::move(layer);
    return layers;
}

/// What a stage holds by lifetime, and how that changes with what a layer of it does.
class StageForm {
public:
    StageForm(const plan::Plan& plan, const workload::MicroBatchWork& work, const workload::StageLayout& stage,
        const workload::ContextBlocks& contextBlocks, const LayerBytes& layer)
        : m_layer(layer)
    {
        const auto held = [&](const LayerBytes& bytes) {
            workload::MicroBatchWork divided = work;
            divideWork(holding(plan, bytes, contextBlocks), divided);
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

    [[nodiscard]] const cost::LifetimeBytes& held() const { return m_held; }

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
bool leavesNoLessRoom(const MemoryForms& forms, const MemoryForms& stricter)
{
    return std::ranges::all_of(forms, [&](const partition::MemoryForm& form) {
        return std::ranges::any_of(stricter, [&](const partition::MemoryForm& other) {
            return form.ofParameter <= other.ofParameter && form.ofKept <= other.ofKept
                && form.ofBeside <= other.ofBeside && form.fixed <= other.fixed;
        });
    });
}

/// What is asked for where a stop left nothing.
const partition::Division& orNone(const partition::Division* found)
{
    static constexpr partition::Division kNone;
    return found != nullptr ? *found : kNone;
}

/// Each of the forms by which a division may fit, alone.
std::vector<Terms> eachOf(const Terms& terms)
{
    std::vector<Terms> each{{terms.memory, terms.capacity, terms.ofParameter}};
    for (const MemoryForms& forms : terms.otherwise)
        each.push_back({forms, terms.capacity, terms.ofParameter});
    return each;
}

double costOf(const partition::Division& division, const Terms& terms)
{
    return division.seconds + terms.ofParameter * division.parameters;
}

/// What the cheapest costs at most where it is known that this one fits.
double noDearerThan(const partition::Division* fits, const Terms& terms)
{
    return fits == nullptr ? INFINITY : costOf(*fits, terms) * kSlightlyMore;
}

/// In one of the corners, if there are any.
bool isWithin(
    const partition::Division& division, const MemoryForms& memory, const std::vector<partition::Corner>& corners)
{
    return corners.empty() || std::ranges::any_of(corners, [&](const partition::Corner& corner) {
        return division.seconds < corner.seconds && peak(memory, division) < corner.peak;
    });
}

void addForm(const partition::MemoryForm& form, MemoryForms& forms)
{
    if (std::ranges::any_of(forms, [&](const auto& other) { return needsNoMore(form, other); }))
        return;
    std::erase_if(forms, [&](const auto& other) { return needsNoMore(other, form); });
    forms.push_back(form);
}

/// Like a form, but for about a hundredth less, so that many have the same.
partition::MemoryForm withRoom(const partition::MemoryForm& form, double capacity)
{
    constexpr double kStepsOfDoubling = 64, kStepsOfCapacity = 256;
    const auto less = [](double rate) {
        return rate > 0 ? std::exp2(std::floor(std::log2(rate) * kStepsOfDoubling) / kStepsOfDoubling) : rate;
    };
    const double step = capacity / kStepsOfCapacity;
    return {less(form.ofParameter), less(form.ofKept), std::floor(form.fixed / step) * step, less(form.ofBeside)};
}

/// The moments at which a stage may hold most (cost::peak()).
void addMoments(const StageForm& stage, double inFlight, const pipeline::LossesInFlight& losses, MemoryForms& forms)
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

/// The forms of all stages of a plan.
class StageForms {
public:
    explicit StageForms(const plan::Plan& asked)
        : m_plan(withDividedEnds(asked))
        , m_lowered(workload::lower(m_plan))
        , m_stages(fullestOfEachKind(m_plan, m_lowered))
    {
        const workload::LayerWork& layer = m_plan.model.moe ? m_lowered.moe : m_lowered.dense;
        m_usual = {layer.parameters, keptActivations(layer.activations, m_plan.strategy.recompute).value(),
            layer.activations.all().value()};
        if (m_plan.strategy.cp > 1)
            m_contextBlocks = leastContextBlocks(
                partition::block(m_plan, m_plan.model.moe.has_value(), m_plan.strategy.recompute).context,
                m_plan.strategy.tp);
        for (workload::LayerWork* const work : {&m_lowered.dense, &m_lowered.moe})
            work->forward = work->backward = {}; // they are copied often, and play no part in bytes
    }

    [[nodiscard]] std::vector<MemoryForms> all()
    {
        const Bytes buckets = m_plan.training.software.reduceBuckets;
        plan::Plan none = m_plan, few = m_plan, full = m_plan;
        none.training.software.reduceBuckets = {};
        few.training.software.reduceBuckets = Bytes(partition::kInfinity); // of fewer gradients than buckets hold
        full.training.software.reduceBuckets = {};
        full.training.software.reserve += buckets;
        if (buckets == Bytes{} || atOnce(few, m_stages.front()) == atOnce(none, m_stages.front()))
            return {forms(std::vector<const plan::Plan*>(m_stages.size(), &none))};
        // With more parameters a layer, the buckets of one stage after the other are full.
        std::vector<double> fullFrom;
        for (const HeldStage& stage : m_stages)
            fullFrom.push_back(fullBuckets(stage, none, few, buckets.value()));
        std::vector<double> limits = fullFrom;
        limits.push_back(partition::kInfinity);
        std::ranges::sort(limits);
        std::vector<MemoryForms> all;
        double from = 0;
        for (const double to : limits) {
            if (to > kFewest * m_usual.parameters && from < m_plan.strategy.tp * m_usual.parameters && from < to) {
                std::vector<const plan::Plan*> plans;
                for (const double stageFrom : fullFrom)
                    plans.push_back(stageFrom <= from ? &full : &few);
                all.push_back(forms(plans));
            }
            from = to;
        }
        return all;
    }

private:
    /// What layers begin and end with is divided like all else.
    [[nodiscard]] static plan::Plan withDividedEnds(plan::Plan plan)
    {
        parallel::Strategy& s = plan.strategy;
        s.sequenceParallel = true;
        if (s.schedule == parallel::Schedule::ZbAuto && s.inFlightLimit == 0)
            s.inFlightLimit = s.pp; // at the least
        return plan;
    }

    [[nodiscard]] StageForm form(const plan::Plan& plan, const HeldStage& stage, const LayerBytes& layer) const
    {
        return StageForm(plan, m_lowered, stage.layout, m_contextBlocks, layer);
    }

    /// All the time, where a layer has so many times its usual parameters.
    [[nodiscard]] double atOnce(const plan::Plan& plan, const HeldStage& stage, double parameters = 1) const
    {
        return form(plan, stage, {parameters * m_usual.parameters, m_usual.kept, m_usual.beside}).held().step.value();
    }

    /// Parameters of a layer with which gradients of the stage fill the buckets.
    [[nodiscard]] double fullBuckets(
        const HeldStage& stage, const plan::Plan& none, const plan::Plan& few, double buckets) const
    {
        const double once = atOnce(few, stage) - atOnce(none, stage);
        const double twice = atOnce(few, stage, 2) - atOnce(none, stage, 2);
        return std::max(0.0, (1 + (buckets - once) / (twice - once)) * m_usual.parameters);
    }

    /// A stage holds the sum of some things and the largest of others: of straight lines the highest.
    [[nodiscard]] MemoryForms forms(const std::vector<const plan::Plan*>& plans) const
    {
        const parallel::Strategy& s = m_plan.strategy;
        const pipeline::LossesInFlight losses = pipeline::lossesInFlight(s.schedule, m_lowered.microBatches);
        MemoryForms forms;
        for (const double parameters : {kFewest, 1.0, double(s.tp)})
            for (const double kept : {0.5, double(s.tp)})
                for (const double beside : {0.0625, 0.5, double(s.tp)})
                    for (std::size_t i = 0; i < m_stages.size(); ++i)
                        addMoments(form(*plans[i], m_stages[i],
                                       {parameters * m_usual.parameters, kept * m_usual.kept, beside * m_usual.beside}),
                            m_stages[i].inFlight, losses, forms);
        const auto usually = [&](const partition::MemoryForm& form) {
            return form.fixed + form.layers(m_usual.parameters, m_usual.kept, m_usual.beside);
        };
        std::ranges::sort(forms, std::greater(), usually);
        return forms;
    }

    static constexpr double kFewest = 0.5; ///< parameters of a layer, of the usual ones
    plan::Plan m_plan;
    workload::Workload m_lowered;
    std::vector<HeldStage> m_stages;
    workload::ContextBlocks m_contextBlocks;
    LayerBytes m_usual;
};

plan::ProblemCause causeOfPart(partition::OperatorKind kind)
{
    using enum partition::OperatorKind;
    switch (kind) {
    case Linear:
        return plan::ProblemCause::PartitionPartOfProduct;
    case FusedAttention:
    case Softmax:
        return plan::ProblemCause::PartitionPartOfHeads;
    case Scores:
    case Context:
        return plan::ProblemCause::PartitionPartOfKeys;
    case Experts:
        return plan::ProblemCause::PartitionPartOfExperts;
    case Residual:
    case Norm:
    case Activation:
        break;
    }
    return plan::ProblemCause::PartitionPartOfStream;
}

/// Of a way that cannot be.
void addReason(const partition::WayFault& fault, int tp, plan::Problem& problem)
{
    const partition::WayReason& reason = fault.reason;
    using enum partition::WayReason::Kind;
    problem.found = reason.found;
    problem.limit = reason.limit;
    if (reason.kind != Ranks && reason.kind != Other)
        problem.other = reason.part;
    switch (reason.kind) {
    case Part:
        problem.cause = causeOfPart(fault.operatorKind);
        return;
    case Ranks:
        problem.cause = plan::ProblemCause::PartitionRanks;
        problem.limit = tp;
        return;
    case Uneven:
        problem.cause =
            reason.part == "B" ? plan::ProblemCause::PartitionUnevenBatch : plan::ProblemCause::PartitionUneven;
        return;
    case Other:
        problem.cause = plan::ProblemCause::PartitionOperator;
        problem.found = tp;
    }
}

plan::Problem problemOf(const partition::WayFault& fault, const parallel::Strategy& s)
{
    plan::Problem problem;
    problem.code = plan::ProblemCode::NotEstimable;
    problem.where = "/strategy/operator_partitions";
    problem.detail = fault.op;
    problem.other = fault.way;
    using enum partition::WayFault::Kind;
    switch (fault.kind) {
    case Missing:
        problem.cause = plan::ProblemCause::PartitionOperatorMissing;
        return problem;
    case Twice:
        problem.cause = plan::ProblemCause::PartitionOperatorTwice;
        return problem;
    case Unknown:
        problem.cause = plan::ProblemCause::PartitionOperatorUnknown;
        return problem;
    case Impossible:
        break;
    }
    const auto named = std::ranges::find(s.operatorPartitions, fault.op, &parallel::OperatorPartition::op);
    problem.where += '/' + std::to_string(named - s.operatorPartitions.begin()) + "/sequence";
    addReason(fault, s.tp, problem);
    return problem;
}

} // namespace

std::vector<MemoryForms> memoryForms(const plan::Plan& plan)
{
    return StageForms(plan).all();
}

Terms termsOf(std::vector<MemoryForms> forms, double capacity, double ofParameter)
{
    Terms terms{std::move(forms.front()), capacity, ofParameter};
    terms.otherwise.assign(std::move_iterator(forms.begin() + 1), std::move_iterator(forms.end()));
    return terms;
}

double peak(const Terms& terms, const partition::Division& division)
{
    double least = partition::peak(terms.memory, division);
    for (const MemoryForms& forms : terms.otherwise)
        least = std::min(least, partition::peak(forms, division));
    return least;
}

Terms terms(const plan::Plan& plan, const cost::Machine& machine, double layer)
{
    const cost::Deployment deployment(plan, machine, parallel::GroupSpans(plan.strategy, machine.topology));
    const cluster::Cluster used = nodesOfRanks(plan.cluster, rankCount(plan.strategy));
    return termsOf(memoryForms(plan), smallestMemory(used).value(),
        secondsOfParameter(deployment, layer, plan::microBatches(plan)));
}

PlanProgramme::PlanProgramme(const plan::Plan& plan, const cost::Machine& machine, const cluster::Span& group,
    int microBatches, partition::KnownGroups* known, const std::stop_token& stop)
    : m_division(plan, machine, group, microBatches, known)
    , m_programme(m_division.block(), m_division.sequences(stop), m_division.pricing())
    , m_cheapest(m_programme)
    , m_microBatches(microBatches)
    , m_known{{microBatches, {}}}
{
}

std::vector<parallel::OperatorPartition> PlanProgramme::inWords(const partition::Division& division) const
{
    return waysOf(
        m_division.block(), m_programme.states(), m_division.sequences(), division, m_division.pricing().bits);
}

void PlanProgramme::spread(int microBatches)
{
    m_microBatches = microBatches;
    m_known.try_emplace(microBatches);
}

const partition::Division& PlanProgramme::cheapest(double ofParameter)
{
    return orNone(m_cheapest.at(m_microBatches, std::max(0.0, ofParameter)));
}

Seconds PlanProgramme::leastFastest()
{
    m_programme.spread(std::numeric_limits<int>::max());
    return Seconds(m_programme.leastSeconds());
}

partition::ProgrammeAnswer PlanProgramme::solve(const partition::ProgrammeGoal& goal)
{
    m_programme.spread(m_microBatches);
    return m_programme.solve(goal);
}

const PlanProgramme::Found* PlanProgramme::withoutRoom(const Terms& terms) const
{
    const std::deque<Found>& all = known().found;
    const auto found = std::ranges::find_if(all, [&](const Found& known) {
        return !known.fits && known.terms.capacity >= terms.capacity
            && leavesNoLessRoom(known.terms.memory, terms.memory);
    });
    return found == all.end() ? nullptr : &*found;
}

const partition::Division* PlanProgramme::fitting(const Terms& terms, const std::vector<partition::Corner>& within)
{
    if (!terms.otherwise.empty())
        return fittingOneOf(terms, within);
    m_programme.spread(m_microBatches);
    if (!within.empty()) { // before anything is looked for
        const partition::ProgrammeGoal goal{terms.memory, terms.capacity, false, within, terms.ofParameter};
        if (areEmpty(terms, within) || m_programme.isKnownEmpty(goal))
            return nullptr;
    }
    const partition::Division* const all = m_cheapest.at(m_microBatches, std::max(0.0, terms.ofParameter));
    if (all == nullptr || peak(terms.memory, *all) <= terms.capacity)
        return all;
    for (const Found& known : known().found)
        if (known.fits && known.terms == terms)
            return isWithin(known.division, terms.memory, within) ? &known.division : nullptr;
    if (withoutRoom(terms) != nullptr || !mayFit(terms))
        return nullptr;
    const partition::Division* const relaxed = cheapestRelaxed(terms);
    if (relaxed == nullptr)
        return nullptr;
    if (peak(terms.memory, *relaxed) <= terms.capacity)
        return isWithin(*relaxed, terms.memory, within) ? relaxed : nullptr;
    const partition::Division* const cheapest = cheapestKnown(terms);
    if (!within.empty())
        return fittingWithin(terms, within, cheapest);
    const auto fits =
        solve({terms.memory, terms.capacity, false, {}, terms.ofParameter, noDearerThan(cheapest, terms)}).best;
    if (fits.empty())
        return nullptr;
    known().cheap.push_back(fits.front());
    return &known().found.emplace_back(Found{terms, fits.front()}).division;
}

/// Many terms are alike but for little, and what is cheapest with a little more room mostly fits.
const partition::Division* PlanProgramme::cheapestRelaxed(const Terms& terms)
{
    MemoryForms relaxed;
    std::vector<double> key;
    for (const partition::MemoryForm& form : terms.memory)
        addForm(withRoom(form, terms.capacity), relaxed);
    for (const partition::MemoryForm& form : relaxed)
        key.insert(key.end(), {form.ofParameter, form.ofKept, form.ofBeside, form.fixed});
    key.push_back(terms.capacity);
    const auto known = m_relaxed.try_emplace(std::move(key), m_programme, std::move(relaxed), terms.capacity).first;
    return known->second.at(m_microBatches, terms.ofParameter);
}

const partition::Division* PlanProgramme::fittingWithin(
    const Terms& terms, const std::vector<partition::Corner>& within, const partition::Division* cheapest)
{
    const double most = noDearerThan(cheapest, terms);
    partition::ProgrammeGoal goal{terms.memory, terms.capacity, false, within, terms.ofParameter, most};
    for (partition::Corner& corner : goal.within)
        corner.seconds = std::min(corner.seconds, most); // passes take no more than all
    m_programme.spread(m_microBatches);
    if (areEmpty(terms, within) || m_programme.isKnownEmpty(goal))
        return nullptr;
    partition::ProgrammeAnswer answer = solve(goal);
    if (answer.isStopped)
        return nullptr;
    auto fits = std::move(answer.best); // no dearer than the cheapest in these corners
    if (fits.empty() || !isWithin(fits.front(), terms.memory, within)) {
        const partition::Division* const cheaper = fits.empty() ? cheapest : &fits.front();
        known().empty.push_back({terms, within, cheaper ? std::optional(*cheaper) : std::nullopt});
    }
    if (!fits.empty())
        known().cheap.push_back(fits.front()); // after which `cheapest` may be gone
    if (fits.empty() || !isWithin(fits.front(), terms.memory, within))
        return nullptr;
    goal.within.clear(); // one that is in none of them may be cheaper
    goal.most = goal.cost(fits.front()) * kSlightlyMore;
    fits = solve(goal).best;
    if (fits.empty() || !isWithin(fits.front(), terms.memory, within))
        return nullptr;
    return &known().found.emplace_back(Found{terms, fits.front()}).division;
}

/// What needs no less here needed no less there; and what was cheaper must fit here, too.
bool PlanProgramme::areEmpty(const Terms& terms, const std::vector<partition::Corner>& corners) const
{
    const auto isEmpty = [&](const partition::Corner& corner, const Empty& known) {
        return std::ranges::any_of(known.corners, [&](const partition::Corner& other) {
            return corner.seconds <= other.seconds && (corner.peak <= other.peak || terms.capacity < other.peak)
                && (corner.peak <= known.terms.capacity || terms.capacity <= known.terms.capacity);
        });
    };
    return std::ranges::any_of(known().empty, [&](const Empty& known) {
        return known.terms.ofParameter == terms.ofParameter
            && (!known.cheaper || peak(terms.memory, *known.cheaper) <= terms.capacity)
            && std::ranges::all_of(corners, [&](const partition::Corner& corner) { return isEmpty(corner, known); })
            && leavesNoLessRoom(known.terms.memory, terms.memory);
    });
}

const partition::Division* PlanProgramme::cheapestKnown(const Terms& terms) const
{
    const partition::Division* cheapest = nullptr;
    for (const partition::Division& division : known().cheap)
        if ((cheapest == nullptr || costOf(division, terms) < costOf(*cheapest, terms))
            && peak(terms.memory, division) <= terms.capacity)
            cheapest = &division;
    return cheapest;
}

const partition::Division* PlanProgramme::fittingOneOf(const Terms& terms, const std::vector<partition::Corner>& within)
{
    m_oneOf.reset();
    for (const Terms& single : eachOf(terms)) // all of them: the cheapest may be in no corner
        if (const partition::Division* const fits = fitting(single);
            fits && (!m_oneOf || costOf(*fits, terms) < costOf(*m_oneOf, terms)))
            m_oneOf = *fits;
    const auto isInCorner = [&](const Terms& single) { return isWithin(*m_oneOf, single.memory, within); };
    return m_oneOf && std::ranges::any_of(eachOf(terms), isInCorner) ? &*m_oneOf : nullptr;
}

const partition::Division& PlanProgramme::leanestOfAll(const Terms& terms)
{
    m_oneOf.reset();
    for (const Terms& single : eachOf(terms))
        if (const partition::Division& lean = best(single); !m_oneOf || peak(terms, lean) < peak(terms, *m_oneOf))
            m_oneOf = lean;
    return m_programme.isStopped() ? orNone(nullptr) : *m_oneOf;
}

const partition::Division& PlanProgramme::best(const Terms& terms)
{
    if (const partition::Division* const fits = fitting(terms))
        return *fits;
    if (!terms.otherwise.empty())
        return leanestOfAll(terms);
    if (const Found* const known = withoutRoom(terms))
        return known->division;
    if (m_programme.isStopped()) // something may fit
        return orNone(nullptr);
    const std::optional<partition::Division> least = leanest(terms);
    return least ? known().found.emplace_back(Found{terms, *least, false}).division : orNone(nullptr);
}

/// Of less and less room, half way in ratio to where nothing fits. The whole front would take many times as long.
std::optional<partition::Division> PlanProgramme::leanest(const Terms& terms)
{
    constexpr double kNear = 1.0 / 256;
    const partition::Division* const cheapest = m_cheapest.at(m_microBatches, std::max(0.0, terms.ofParameter));
    if (cheapest == nullptr)
        return std::nullopt;
    partition::Division found = *cheapest;
    double none = terms.capacity;
    const double all = std::log(peak(terms.memory, found) / none);
    for (double some = peak(terms.memory, found); some > none * (1 + kNear); some = peak(terms.memory, found)) {
        if (m_progress)
            m_progress(1 - std::log(some / none) / all);
        const double room = std::sqrt(none * some);
        const partition::ProgrammeAnswer answer = solve({terms.memory, room, false, {}, terms.ofParameter});
        if (answer.isStopped)
            return std::nullopt;
        if (answer.best.empty())
            none = room;
        else
            found = answer.best.front();
    }
    return found;
}

std::vector<partition::Division> PlanProgramme::front(const MemoryForms& memory)
{
    partition::ProgrammeGoal goal{memory};
    goal.front = true;
    return solve(goal).best; // none of one that is stopped
}

std::vector<partition::Division> PlanProgramme::someOfFront(const MemoryForms& memory)
{
    constexpr double kLess = 1.0 / 32;
    constexpr int kMost = 32;
    const partition::Division* const fastest = m_cheapest.at(m_microBatches, 0);
    if (fastest == nullptr)
        return {};
    std::vector<partition::Division> front{*fastest};
    const double most = peak(memory, *fastest), least = leastPeak(memory);
    const double step = std::min(1 - kLess, std::pow(least / most, 1.0 / kMost));
    for (double room = most * step;; room = peak(memory, front.back()) * step) {
        if (m_progress)
            m_progress(std::min(1.0, std::log(most / room) / std::log(most / least)));
        const partition::ProgrammeAnswer answer = solve({memory, room});
        if (answer.isStopped)
            return {};
        if (answer.best.empty())
            return front;
        front.push_back(answer.best.front());
    }
}

/// Each operator in the state that holds least, whatever its neighbours.
double PlanProgramme::leastPeak(const MemoryForms& memory) const
{
    double most = 0;
    for (const partition::MemoryForm& form : memory) {
        double least = form.fixed;
        for (const std::vector<partition::State>& states : m_programme.states()) {
            double ofOperator = INFINITY;
            for (const partition::State& state : states)
                ofOperator = std::min(ofOperator, form.layers(state.parameters, state.kept, state.remade));
            least += ofOperator;
        }
        most = std::max(most, least);
    }
    return most;
}

bool PlanProgramme::mayFit(const Terms& terms) const
{
    return leastPeak(terms.memory) <= terms.capacity;
}

tl::expected<plan::Plan, plan::Problem> withPartition(
    plan::Plan plan, const cost::Machine& machine, const std::stop_token& stop)
{
    parallel::Strategy& s = plan.strategy;
    if (s.operatorPartitions.empty()) {
        PlanProgramme layer(plan, machine, stop);
        const partition::Division& best = layer.best(terms(plan, machine, layer.fastest().seconds));
        if (stop.stop_requested())
            return tl::unexpected(plan::Problem());
        s.operatorPartitions = layer.inWords(best);
    }
    const auto divided = dividedLayers(plan, machine);
    if (!divided)
        return tl::unexpected(problemOf(divided.error(), s));
    s.sequenceParallel = divided->sharesStream();
    return plan;
}

} // namespace stratoplan::pricing
