// The fields of a tensor map that tensormap.replace can change.
#pragma once

#include <cstdint>

#include "simt/details.hpp"

namespace warpwright::engine {

/// A field of a map. The instruction gives bytes for strides, the number minus one for the rank, and a code of the ISA
/// for the `coded` fields.
struct TensorMapField {
    simt::Mod mod;
    bool wide, indexed, coded;
};

/// The field that the instruction names; null: none.
const TensorMapField* tensor_map_field(const simt::Details& i);

/// The type of elements with the ISA's code; Type::none: no such code, or not executed here.
simt::Type tensor_map_element(std::uint64_t code);

}  // namespace warpwright::engine
