// wgmma.mma_async at run time: reads its operands from shared memory, checked to the byte.
#include <cstring>

#include "engine/runtime/async_op.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/texts.hpp"
#include "engine/tensor/wgmma.hpp"

namespace warpwright::engine {

namespace {

bool outside(BlockContext* c, const WgmmaForm& form, const char* which, std::uint32_t at) {
    auto& launch = c->executor->launch;
    launch.fail({ErrorKind::fault,
                 form.ptx->spelling() + ": the descriptor of " + which + " reaches shared offset " +
                     std::to_string(at) + ", the block has " + std::to_string(c->shared_size) + " bytes",
                 location(*launch.code->module, form.ptx), "", Cause::out_of_bounds});
    return false;
}

/// Reads `count` rows from `first` on, `bytes` along k each.
bool fetch(BlockContext* c, WarpFrame* f, const WgmmaForm& form, const char* which, std::uint64_t descriptor,
           bool transposed, unsigned first, unsigned count, unsigned bytes, shadow::Stamp leaves, std::uint8_t* out) {
    const MatrixDescriptor d(descriptor);
    // The four warps of the group read B together: each records a quarter for the checkers.
    const unsigned turn = first == 0 && count > 16 ? f->warp % 4 : 4;
    if (!transposed) {
        for (unsigned r = 0; r < count; ++r)
            for (unsigned part = 0; part < bytes / 16; ++part) {
                const auto at = d.place(false, first + r, part);
                if (!covers(0, c->shared_size, at, 16)) return outside(c, form, which, at);
                if (c->check && (turn == 4 || r % 4 == turn)) checked_proxy_read(c, f, form.site, at, 16, 0, leaves);
                std::memcpy(out + r * bytes + part * 16, c->shared + at, 16);
            }
        return true;
    }
    for (unsigned k = 0; k < bytes / 2; ++k)
        for (unsigned part = 0; part < count / 8; ++part) {
            const auto at = d.place(true, k, first / 8 + part);
            if (!covers(0, c->shared_size, at, 16)) return outside(c, form, which, at);
            if (c->check && (turn == 4 || k % 4 == turn)) checked_proxy_read(c, f, form.site, at, 16, 0, leaves);
            for (unsigned e = 0; e < 8; ++e)
                std::memcpy(out + (part * 8 + e) * bytes + k * 2, c->shared + at + 2 * e, 2);
        }
    return true;
}

}  // namespace

extern "C" std::uint32_t ww_rt_wgmma(BlockContext* c, WarpFrame* f, std::uint32_t index, std::uint64_t a_descriptor,
                                     std::uint64_t b_descriptor, std::uint32_t accumulate,
                                     const std::uint32_t* registers, const std::uint32_t* metadata, std::uint32_t* d) {
    const auto& form = *static_cast<const WgmmaForm*>(c->executor->launch.code->forms[index].get());
    std::uint8_t a[16 * 32], b[256 * 64];
    const auto leaves = c->check ? product_stamp(c, f) : 0;
    if (form.a_registers) {
        for (unsigned w = 0; w < 4; ++w)
            for (unsigned l = 0; l < 32; ++l)
                std::memcpy(a + (l / 4 + w % 2 * 8) * 32 + l % 4 * 4 + w / 2 * 16, registers + w * 32 + l, 4);
    } else if (!fetch(c, f, form, "A", a_descriptor, form.a_transposed, f->warp % 4 * 16, 16, 32, leaves, a)) {
        return 0;
    }
    if (!fetch(c, f, form, "B", b_descriptor, form.b_transposed, 0, form.n, form.b_bytes(), leaves, b)) return 0;
    run_wgmma(form, a, b, accumulate != 0, d, metadata);
    return 1;
}

}  // namespace warpwright::engine
