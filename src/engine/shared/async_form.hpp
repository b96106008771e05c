// The decoded form of an instruction new in sm_90 other than wgmma, of a texture, a surface or a tensor map: which
// operation it is, and which operand is what. runtime/async_op.hpp has what they do.
#pragma once

#include <cstdint>

#include "simt/details.hpp"
#include "support/result.hpp"

namespace warpwright::engine {

/// What such an instruction does; the runtime has a function for each.
enum class AsyncOp : std::uint8_t {
    nothing,  ///< what it would wait for, or commit, has had its effect already
    mbarrier,
    cluster_arrive,
    remote_store,
    bulk_copy,
    tensor_copy,
    prefetch_tensor_map,
    copy_tensor_map,
    replace_in_tensor_map,
    texture,
    texture_query,
    is_type,
    surface,
    surface_reduction,
    cache_policy,
};

struct AsyncForm {
    const simt::Details* ptx = nullptr;
    AsyncOp op = AsyncOp::nothing;
    unsigned inputs = 0;  ///< operands in the warp IR: an address counts as two
    bool shared = false;  ///< the first address is a 32-bit one of shared memory, else generic
    bool multicast = false;
    unsigned dimensions = 0;      ///< tensor copies
    bool im2col = false;          ///< tensor copies: columns of pixels and not boxes
    unsigned shifts = 0;          ///< im2col: how many offsets follow the mbarrier
    std::uint32_t operation = 0;  ///< reductions: AtomicOp
    unsigned element_bytes = 0;   ///< reductions and st.async
    bool typed = true;            ///< the instruction states the type of a reduction, else the tensor map does
    unsigned values = 1;          ///< surfaces: elements of element_bytes, from input first_value on
    unsigned first_value = 0;
    bool layered = false, cube = false;  ///< textures and surfaces: their geometry
    unsigned level_at = 0, across_at = 0, down_at = 0,
             shift_at = 0;   ///< textures: inputs with the level, gradients, offsets; 0: none
    bool resident = false;   ///< textures: a predicate follows the channels
    bool moves = false;      ///< reads or writes global memory
    std::uint32_t site = 0;  ///< the site that counts its reads; the next one counts its writes
    bool counted = false;
};

/// A located error if the instruction is not in the ISA or not executed here. `inputs`: operands in the warp IR.
Result<AsyncForm> decode_async(const simt::Details& instruction, unsigned inputs);

/// The decoders for textures and surfaces, and for tensor maps.
Result<AsyncForm> decode_texture(const simt::Details& instruction, unsigned inputs);
Result<AsyncForm> decode_tensor_map(const simt::Details& instruction, unsigned inputs);

}  // namespace warpwright::engine
