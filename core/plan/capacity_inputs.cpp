// SPDX-License-Identifier: Apache-2.0
#include "core/plan/capacity_inputs.h"

#include "core/units/named.h"

namespace stratoplan::plan {
namespace {

constexpr NameTable<Purchase, 3> kPurchaseNames{
    {{Purchase::OnDemand, "on_demand"}, {Purchase::Reserved, "reserved"}, {Purchase::Owned, "owned"}}};

} // namespace

std::string_view key(Purchase purchase)
{
    return nameIn(kPurchaseNames, purchase);
}

std::optional<Purchase> purchaseFromKey(std::string_view key)
{
    return valueIn(kPurchaseNames, key);
}

} // namespace stratoplan::plan
