// The kernel is a text of PTX, which the driver compiles as it does any other. Memory and launch belong to one context,
// so that they are prepared again after a fault.
#include "device/cuda/flush.hpp"

#include <cstring>

#include "device/cuda/memory.hpp"

namespace warpwright::device::cuda {

const char* flush_ptx() {
    // The memory read is zeros, so that nothing is ever stored; without the store the compiler could drop the reads.
    return R"(.version 7.0
.target sm_50
.address_size 64
.visible .entry warpwright_flush(.param .u64 base, .param .u64 pieces)
{
	.reg .pred %p<3>;
	.reg .b32 %r<11>;
	.reg .b64 %rd<6>;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r4, %r1, %r2, %r3;
	cvt.u64.u32 %rd1, %r4;
	mov.u32 %r5, %nctaid.x;
	mul.lo.u32 %r5, %r5, %r2;
	cvt.u64.u32 %rd2, %r5;
	ld.param.u64 %rd3, [base];
	ld.param.u64 %rd4, [pieces];
	mov.u32 %r10, 0;
READ:
	setp.ge.u64 %p1, %rd1, %rd4;
	@%p1 bra DONE;
	shl.b64 %rd5, %rd1, 4;
	add.u64 %rd5, %rd5, %rd3;
	ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd5];
	or.b32 %r6, %r6, %r7;
	or.b32 %r8, %r8, %r9;
	or.b32 %r6, %r6, %r8;
	or.b32 %r10, %r10, %r6;
	add.u64 %rd1, %rd1, %rd2;
	bra READ;
DONE:
	setp.ne.u32 %p2, %r10, 0;
	@%p2 st.global.u32 [%rd3], %r10;
	ret;
}
)";
}

Result<void> CacheFlush::prepare() {
    if (auto ok = context_->use(); !ok) return ok;
    if (launch_ && generation_ == context_->generation()) return {};
    const CudaDeviceInfo& info = context_->info();
    if (info.l2 == 0)
        return Error{ErrorKind::limit, info.device() + " does not report the size of its cache", {}, "--cache warm"};
    if (!module_) {
        auto module = CudaModule::load(context_, cache_, "cache flush", flush_ptx());
        if (!module) return std::move(module).error();
        module_ = std::move(*module);
    }
    const std::uint64_t pieces = 2 * info.l2 / 16;
    auto memory = allocate(*context_, 16 * pieces);
    if (!memory) return std::move(memory).error();
    memory_ = *memory;
    generation_ = context_->generation();
    if (auto ok = fill(*context_, memory_, 0, 16 * pieces); !ok) return ok;
    std::byte parameters[16];
    std::memcpy(parameters, &memory_, 8);
    std::memcpy(parameters + 8, &pieces, 8);
    auto launch =
        make_ready(*module_, "warpwright_flush", {{4 * info.limits.multiprocessors, 1, 1}, {512, 1, 1}}, parameters);
    if (!launch) return std::move(launch).error();
    launch_.emplace(std::move(*launch));
    return {};
}

Result<void> CacheFlush::enqueue() { return cuda::enqueue(*context_, context_->stream(), *launch_); }

}  // namespace warpwright::device::cuda
