// SPDX-License-Identifier: Apache-2.0
#include "core/plan/slides.h"

#include "core/units/named.h"

namespace stratoplan::plan {
namespace {

constexpr NameTable<SlideView, kSlideViews.size()> kSlideViewNames{
    {{SlideView::Decision, "decision"}, {SlideView::Cluster, "cluster"}, {SlideView::Alternatives, "alternatives"},
        {SlideView::Time, "time"}, {SlideView::Memory, "memory"}, {SlideView::Pipeline, "pipeline"},
        {SlideView::Risks, "risks"}, {SlideView::Evidence, "evidence"}, {SlideView::Overview, "overview"}}};

} // namespace

std::string_view key(SlideView view)
{
    return nameIn(kSlideViewNames, view);
}

std::optional<SlideView> slideViewFromKey(std::string_view key)
{
    return valueIn(kSlideViewNames, key);
}

} // namespace stratoplan::plan
