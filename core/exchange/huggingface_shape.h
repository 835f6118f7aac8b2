// SPDX-License-Identifier: Apache-2.0
// From the fields of a configuration to the shape of its model.
#pragma once

#include "core/exchange/huggingface.h"
#include "core/exchange/huggingface_families.h"
#include "core/exchange/huggingface_fields.h"

namespace stratoplan::exchange::huggingface {

/// The whole shape. What is wrong stands in fields.errors(), what was not stated in fields.notes(), what a Transformer
/// cannot hold in result.simplified.
/// `standIn`: where not null, layers with a window stand in for its mixers.
void readShape(Fields& fields, const Family& family, const StandInFamily* standIn, ImportedModel& result);

/// Which layers attend to a window only. Reads layers of result.model.
void readWindow(Fields& fields, const Family& family, ImportedModel& result);
/// Places the layers that attend fully, as a list of all layers says, and a window in the others.
void placeWindow(const std::vector<bool>& full, int window, ImportedModel& result);
/// Which layers attend, of those with other mixers, whichever way they are stated.
[[nodiscard]] std::vector<bool> attentionLayers(Fields& fields, int layers);
/// Mamba-2 in all other layers. Reads all of result.model but its embeddings; sets it without mixers where all attend.
void readStateSpace(Fields& fields, ImportedModel& result);
/// Lets layers with a window stand in for those with another mixer. Reads all of result.model but its experts' places.
void readStandIn(Fields& fields, const StandInFamily& family, ImportedModel& result);
/// Which layers have experts; none of them leaves result.model without. Reads layers of result.model.
void placeExperts(Fields& fields, ImportedModel& result);

} // namespace stratoplan::exchange::huggingface
