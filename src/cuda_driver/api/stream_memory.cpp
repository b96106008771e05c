// Operations on single words of memory in a stream: it writes one, or waits until one has a value. They are carried out
// by the stream's own thread, in order with its other work.
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "cuda_driver/api/api.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/stream.hpp"

namespace warpwright::cuda_driver::impl {
namespace {

struct WordOperation {
    CUdeviceptr address = 0;
    cuuint64_t value = 0;
    unsigned flags = 0;
    bool wide = false, waits = false;
};

template <class T>
T load(CUdeviceptr address) {
    return std::atomic_ref<T>(*static_cast<T*>(at(address))).load(std::memory_order_acquire);
}

template <class T>
bool holds(CUdeviceptr address, T wanted, unsigned how) {
    const T now = load<T>(address);
    switch (how) {
        case CU_STREAM_WAIT_VALUE_GEQ:
            return static_cast<std::make_signed_t<T>>(now - wanted) >= 0;
        case CU_STREAM_WAIT_VALUE_EQ:
            return now == wanted;
        case CU_STREAM_WAIT_VALUE_AND:
            return (now & wanted) != 0;
        default:
            return ~(now | wanted) != 0;
    }
}

bool holds(const WordOperation& w) {
    const unsigned how = w.flags & ~static_cast<unsigned>(CU_STREAM_WAIT_VALUE_FLUSH);
    return w.wide ? holds<cuuint64_t>(w.address, w.value, how)
                  : holds<cuuint32_t>(w.address, static_cast<cuuint32_t>(w.value), how);
}

/// Kernels of other streams and the host change the word; a short sleep between looks leaves them the processor.
void carry_out(void* data) {
    const std::unique_ptr<WordOperation> w(static_cast<WordOperation*>(data));
    if (!w->waits) {
        if (w->wide)
            std::atomic_ref<cuuint64_t>(*static_cast<cuuint64_t*>(at(w->address))).store(w->value);
        else
            std::atomic_ref<cuuint32_t>(*static_cast<cuuint32_t*>(at(w->address)))
                .store(static_cast<cuuint32_t>(w->value));
        return;
    }
    auto& runtime = cudart::Runtime::get();
    while (!holds(*w) && !runtime.ending() && runtime.sticky() == cudaSuccess)
        std::this_thread::sleep_for(std::chrono::microseconds(20));
}

CUresult check(const WordOperation& w) {
    const unsigned bytes = w.wide ? 8 : 4;
    if (w.address == 0 || w.address % bytes) return CUDA_ERROR_INVALID_VALUE;
    const auto block = cudart::MemoryTable::get().find(at(w.address));
    if (!block || block->bytes - (w.address - block->address) < bytes) return CUDA_ERROR_INVALID_VALUE;
    const unsigned how = w.flags & ~static_cast<unsigned>(CU_STREAM_WAIT_VALUE_FLUSH);
    return w.waits && how > CU_STREAM_WAIT_VALUE_NOR ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult submit(CUstream stream, const WordOperation& w) {
    if (auto e = check(w); e != CUDA_SUCCESS) return e;
    CUstreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (auto e = rt::cudaStreamIsCapturing(stream, &status); e != cudaSuccess) return code_of(e);
    // A graph runs its nodes more than once, so the node would need the operation for as long as the graph lives.
    if (status != cudaStreamCaptureStatusNone) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    // A stream that waits for a word is ordered behind whoever writes it, which the checkers do not see.
    if (w.waits) cudart::Scheduler::get().lose_order();
    auto own = std::make_unique<WordOperation>(w);
    const auto e = rt::cudaLaunchHostFunc(stream, &carry_out, own.get());
    if (e == cudaSuccess) own.release();
    return code_of(e);
}

/// The operation of a batch's entry; false: it is none of a word.
bool word_of(const CUstreamBatchMemOpParams& p, WordOperation& w) {
    switch (p.operation) {
        case CU_STREAM_MEM_OP_WAIT_VALUE_32:
            w = {p.waitValue.address, p.waitValue.value, p.waitValue.flags, false, true};
            return true;
        case CU_STREAM_MEM_OP_WAIT_VALUE_64:
            w = {p.waitValue.address, p.waitValue.value64, p.waitValue.flags, true, true};
            return true;
        case CU_STREAM_MEM_OP_WRITE_VALUE_32:
            w = {p.writeValue.address, p.writeValue.value, p.writeValue.flags, false, false};
            return true;
        case CU_STREAM_MEM_OP_WRITE_VALUE_64:
            w = {p.writeValue.address, p.writeValue.value64, p.writeValue.flags, true, false};
            return true;
        default:
            return false;
    }
}

}  // namespace

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
    return submit(stream, {address, value, flags, false, true});
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
    return submit(stream, {address, value, flags, true, true});
}
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
    return submit(stream, {address, value, flags, false, false});
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
    return submit(stream, {address, value, flags, true, false});
}
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
    return cuStreamWaitValue32_v2(stream, address, value, flags);
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
    return cuStreamWaitValue64_v2(stream, address, value, flags);
}
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
    return cuStreamWriteValue32_v2(stream, address, value, flags);
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
    return cuStreamWriteValue64_v2(stream, address, value, flags);
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned count, CUstreamBatchMemOpParams* all, unsigned flags) {
    constexpr unsigned kMost = 256;
    if (flags != 0 || !all || count == 0 || count > kMost) return CUDA_ERROR_INVALID_VALUE;
    const auto orders_alone = [](const CUstreamBatchMemOpParams& p) {
        return p.operation == CU_STREAM_MEM_OP_BARRIER || p.operation == CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
    };
    WordOperation w;
    for (unsigned k = 0; k < count; ++k) {
        if (orders_alone(all[k])) continue;  // the operations are carried out one after the other anyway
        if (!word_of(all[k], w)) return CUDA_ERROR_NOT_SUPPORTED;
        if (auto e = check(w); e != CUDA_SUCCESS) return e;
    }
    for (unsigned k = 0; k < count; ++k)
        if (word_of(all[k], w))
            if (auto e = submit(stream, w); e != CUDA_SUCCESS) return e;
    return CUDA_SUCCESS;
}
CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams* all, unsigned flags) {
    return cuStreamBatchMemOp_v2(stream, count, all, flags);
}

}  // namespace warpwright::cuda_driver::impl
