// SPDX-License-Identifier: Apache-2.0
// Inside of the search: closed forms of pipelines, one for all schedules that have the same.
#pragma once

#include "core/pricing/priced_pipeline.h"
#include "core/space/space_tree.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace stratoplan::search {

/// The schedule whose closed form is the same in as many chunks and that holds no more micro-batches and predictions.
///
/// pipelineSeconds() sees of a schedule its chunks, whether it splits the backward pass and whether it staggers steps:
/// GPipe, 1F1B and eager 1F1B agree in all three, and so do interleaved and breadth-first. A stage of 1F1B holds min(m,
/// p - i) micro-batches, of eager 1F1B min(m, 2 (p - i) - 1), of GPipe m; interleaved ones hold at most m,
/// breadth-first ones m. GPipe and breadth-first keep the predictions of all micro-batches, the others of one. A peak
/// rises with both.
[[nodiscard]] std::optional<parallel::Schedule> leaner(parallel::Schedule schedule);

/// Of strategies that differ in nothing but the pipeline.
class ClosedForms {
public:
    [[nodiscard]] std::optional<Seconds> find(const space::PipelinePick& pick) const;
    /// That of the pipeline, which runs as the pick says; and of those of `alike` that run as a loop in as many chunks,
    /// whose passes cost the same.
    void add(
        const space::PipelinePick& pick, pricing::PricedPipeline pipeline, std::span<const space::PipelinePick> alike);
    void clear() { m_forms.clear(); }

private:
    std::vector<std::pair<space::PipelinePick, Seconds>> m_forms;
};

} // namespace stratoplan::search
