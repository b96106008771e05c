// Counting accesses by where their first byte lies in a transaction: one addition, to a counter of that place. Which
// transactions that makes is known when the code is made, and added up when the launch has ended (SiteInfo::by_place).
#pragma once

#include "engine/codegen/access.hpp"

namespace warpwright::engine::codegen {

/// Transactions of one request, by the byte of a transaction in which the first one of its bytes lies; 0 where that is
/// no place for an access of its width.
using CostByPlace = std::vector<std::uint8_t>;
/// Of an affine access whose offsets are known: by the place of its lowest lane.
CostByPlace cost_by_place(FunctionState& fn, const Access& a);
/// Of lanes that follow each other, or are at one place: by the place of the first one.
CostByPlace cost_by_place(FunctionState& fn, const Access& a, const Run& run);
std::int64_t lowest_offset(const FunctionState& fn, const simt::Affine& form);
/// Whether it is the same everywhere.
bool is_same(const CostByPlace& cost);

/// By so many bits an address's transaction lies below it.
unsigned transaction_bits(const FunctionState& fn);

/// Counters of the places of addresses that are multiples of `unit`.
struct Places {
    std::uint32_t first = 0;
    unsigned unit = 1;
};
/// How many of them there are.
unsigned places_of(const FunctionState& fn, unsigned unit);
/// New ones.
Places add_places(FunctionState& fn, unsigned unit);
/// Adds one to the counter of the address's place.
void count_place(FunctionState& fn, const Places& places, V address);
/// For each request counted there the site has one whose first byte lies so far behind.
void cost_at(FunctionState& fn, const Places& places, unsigned site, const CostByPlace& cost, std::int64_t behind);

}  // namespace warpwright::engine::codegen
