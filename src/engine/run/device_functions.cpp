// The functions are texts of PTX, so that they run and are counted as the kernel's own code is. The barrier of a grid
// is a word whose highest bit turns when all of its blocks have arrived.
#include "engine/run/device_functions.hpp"

#include <algorithm>
#include <string_view>

namespace warpwright::engine {

namespace {

/// The handle of a cooperative grid is the address of its barrier (%envreg1 and %envreg2 have its halves), which is
/// also what cooperative groups of later compilers use; of any other grid it is 0.
constexpr std::string_view kHandle = R"(
.visible .func (.param .b64 result) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u32 %r1, [scope];
    mov.u32 %r2, %envreg2;
    mov.u32 %r3, %envreg1;
    mov.b64 %rd1, {%r2, %r3};
    setp.eq.u32 %p1, %r1, 1;
    selp.b64 %rd1, %rd1, 0, %p1;
    st.param.b64 [result], %rd1;
    ret;
}
)";

/// One thread of each block adds 1 to the barrier's word, the first block's so much that all together turn its highest
/// bit, and waits until it has turned.
constexpr std::string_view kSynchronizeBody = R"((.param .b64 handle, .param .b32 flags)
{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [handle];
    mov.u32 %r1, 1;
    setp.eq.u64 %p1, %rd1, 0;
    @%p1 bra DONE;
    bar.sync 0;
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %tid.y;
    mov.u32 %r4, %tid.z;
    or.b32 %r2, %r2, %r3;
    or.b32 %r2, %r2, %r4;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra MEET;
    mov.u32 %r2, %nctaid.x;
    mov.u32 %r3, %nctaid.y;
    mov.u32 %r4, %nctaid.z;
    mul.lo.u32 %r2, %r2, %r3;
    mul.lo.u32 %r2, %r2, %r4;
    sub.u32 %r2, 0x80000001, %r2;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ctaid.y;
    mov.u32 %r5, %ctaid.z;
    or.b32 %r3, %r3, %r4;
    or.b32 %r3, %r3, %r5;
    setp.eq.u32 %p2, %r3, 0;
    selp.b32 %r6, %r2, 1, %p2;
    membar.gl;
    atom.add.u32 %r7, [%rd1+4], %r6;
TURN:
    ld.volatile.u32 %r8, [%rd1+4];
    xor.b32 %r9, %r8, %r7;
    setp.ge.s32 %p3, %r9, 0;
    @%p3 bra TURN;
    membar.gl;
MEET:
    bar.sync 0;
    mov.u32 %r1, 0;
DONE:
    st.param.b32 [result], %r1;
    ret;
}
)";

constexpr std::string_view kSizeBody = R"((.param .b64 threads, .param .b64 grids, .param .b64 handle)
{
    .reg .pred %p<3>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [threads];
    ld.param.u64 %rd2, [grids];
    mov.u32 %r1, %nctaid.x;
    mov.u32 %r2, %nctaid.y;
    mov.u32 %r3, %nctaid.z;
    mul.lo.u32 %r1, %r1, %r2;
    mul.lo.u32 %r1, %r1, %r3;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %ntid.y;
    mov.u32 %r6, %ntid.z;
    mul.lo.u32 %r4, %r4, %r5;
    mul.lo.u32 %r4, %r4, %r6;
    mul.lo.u32 %r1, %r1, %r4;
    setp.ne.u64 %p1, %rd1, 0;
    setp.ne.u64 %p2, %rd2, 0;
    @%p1 st.u32 [%rd1], %r1;
    @%p2 st.u32 [%rd2], 1;
    st.param.b32 [result], 0;
    ret;
}
)";

constexpr std::string_view kRankBody = R"((.param .b64 thread, .param .b64 grid, .param .b64 handle)
{
    .reg .pred %p<3>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [thread];
    ld.param.u64 %rd2, [grid];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ctaid.y;
    mov.u32 %r3, %ctaid.z;
    mov.u32 %r4, %nctaid.x;
    mov.u32 %r5, %nctaid.y;
    mad.lo.u32 %r2, %r3, %r5, %r2;
    mad.lo.u32 %r1, %r2, %r4, %r1;
    mov.u32 %r6, %tid.x;
    mov.u32 %r7, %tid.y;
    mov.u32 %r8, %tid.z;
    mov.u32 %r9, %ntid.x;
    mov.u32 %r10, %ntid.y;
    mov.u32 %r11, %ntid.z;
    mad.lo.u32 %r1, %r1, %r11, %r8;
    mad.lo.u32 %r1, %r1, %r10, %r7;
    mad.lo.u32 %r1, %r1, %r9, %r6;
    setp.ne.u64 %p1, %rd1, 0;
    setp.ne.u64 %p2, %rd2, 0;
    @%p1 st.u32 [%rd1], %r1;
    @%p2 st.u32 [%rd2], 0;
    st.param.b32 [result], 0;
    ret;
}
)";

struct DeviceFunction {
    std::string_view name, text;  ///< the whole function, or what follows its name
    bool whole = false;
};
constexpr DeviceFunction kFunctions[] = {
    {"cudaCGGetIntrinsicHandle", kHandle, true},
    {"cudaCGSynchronize", kSynchronizeBody},
    {"cudaCGSynchronizeGrid", kSynchronizeBody},
    {"cudaCGGetSize", kSizeBody},
    {"cudaCGGetRank", kRankBody},
};

}  // namespace

std::string missing_device_functions(const ptx::Module& module) {
    std::string out;
    for (const auto& f : kFunctions) {
        const bool missing = std::any_of(module.functions.begin(), module.functions.end(),
                                         [&](const auto& g) { return g.name == f.name && !g.defined; });
        if (!missing) continue;
        if (!f.whole) out += ".visible .func (.param .b32 result) " + std::string(f.name);
        out += f.text;
    }
    return out;
}

}  // namespace warpwright::engine
