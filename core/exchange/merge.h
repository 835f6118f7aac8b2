// SPDX-License-Identifier: Apache-2.0
// Saving without loss: the value to write is laid over the document that was read, so that fields this version does
// not know, remarks and the order of the keys stay as they were.
#pragma once

#include "core/exchange/schema.h"

namespace stratoplan::exchange {

/// `fresh` with what `original` holds beyond it. `whole` is `fresh` with every catalogue reference spelt out; it takes
/// the place of a reference where the original holds fields that an id could not carry. `node` tells which fields are
/// known. Elements of arrays are matched by "id", by "name", by "from" and "to", else by position if the lengths agree.
[[nodiscard]] nlohmann::ordered_json mergeDocument(const nlohmann::ordered_json& original,
    const nlohmann::ordered_json& fresh, const nlohmann::ordered_json& whole, const SchemaNode& node);

} // namespace stratoplan::exchange
