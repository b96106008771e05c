// How the functions of cuSPARSE reach kernels and the program's memory.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "libraries/common/factor.hpp"
#include "libraries/cusparse/functions.hpp"

namespace warpwright::libraries::sparse {

Status status_of(cudaError_t error);
/// The answer to a handle that is none: NVIDIA's library tells null, which is a wrong argument, from others.
inline Status no_context(Handle h) { return h ? CUSPARSE_STATUS_NOT_INITIALIZED : CUSPARSE_STATUS_INVALID_VALUE; }
/// Says once what is not supported.
Status not_supported(const std::string& what);

/// Queues a kernel of kernels/sparse on this many blocks of 256 threads.
Status launch_blocks(const Context& context, const std::string& kernel, std::int64_t blocks, unsigned batches,
                     void** arguments);
/// The same for `work` threads; kernels loop where there is more than a grid has.
template <class... A>
Status launch(const Context& context, const std::string& kernel, std::int64_t work, unsigned batches, A... arguments) {
    void* all[] = {&arguments...};
    constexpr std::int64_t kMostBlocks = 1 << 16;
    const std::int64_t blocks =
        std::clamp<std::int64_t>((work + ww_sparse::kThreads - 1) / ww_sparse::kThreads, 1, kMostBlocks);
    return launch_blocks(context, kernel, blocks, batches, all);
}

/// The kernels' name for the arithmetic of a type; null: there are none.
const char* name_of(int compute);
/// Whether a number of `type` is computed with in `compute`.
bool goes(int type, int compute);
/// The same of what is written, which bytes are not.
inline bool is_result(int type, int compute) { return goes(type, compute) && type != CUDA_R_8I; }
ww_lt::Factor factor(const Context& context, const void* at, int type);

/// A part of the program's memory for the work, or, without any, the count of its bytes.
class Room {
public:
    explicit Room(void* at) : at_(static_cast<char*>(at)) {}
    template <class T>
    T* take(std::int64_t count) {
        char* const here = at_ ? at_ + bytes_ : nullptr;
        bytes_ += (static_cast<std::size_t>(count) * sizeof(T) + 15) / 16 * 16;
        return reinterpret_cast<T*>(here);
    }
    /// At least something, since programs take no bytes for a question.
    std::size_t bytes() const { return std::max<std::size_t>(bytes_, 16); }

private:
    char* at_;
    std::size_t bytes_ = 0;
};

/// A matrix as kernels take it.
ww_sparse::Matrix matrix_of(const SpMat& m);
/// One of rows of 32-bit numbers.
ww_sparse::Matrix matrix_of(const Rows& rows, int m, int n, int base, int type);
ww_sparse::Indices indices_of(const void* at, bool wide = false, int base = 0);
/// Whether what has entries has the memory of them.
bool has_memory(const SpMat& m);
ww_lt::Matrix dense_of(const DnMat& m, cusparseOperation_t op);
ww_lt::Matrix dense_of(const DnVec& v);
inline bool is_operation(cusparseOperation_t op) {
    return op >= CUSPARSE_OPERATION_NON_TRANSPOSE && op <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}

/// Numbers of 64 bits on the host, after what is queued. The copy is waited for.
Status read(const Context& context, const std::int64_t* device, std::int64_t& value);
/// Puts a count where the program wants it: in host memory, or by the handle's pointer mode in the device's.
Status give(const Context& context, std::int64_t value, int* to);

/// Running sums of `count` numbers, each that of those before it. `Room` has what they need.
struct Scan {
    std::int64_t count;
    std::vector<std::int64_t*> sums;
    Scan(Room& room, std::int64_t count);
    Status run(const Context& context, std::int64_t* numbers) const;
};

/// A sort of keys with the numbers of what they belong to.
struct Sort {
    std::int64_t count;
    int bits;
    std::int64_t *keys, *other_keys, *counts;
    unsigned *order, *other_order;
    Scan scan;
    /// Of keys with this many bits.
    Sort(Room& room, std::int64_t count, int bits);
    /// Sorts `keys` and `order`, which a kernel has filled.
    Status run(const Context& context);
};
/// Bits of numbers that are less than n.
int bits_of(std::int64_t n);

/// Evaluates to the status of a step that fails.
#define WW_STEP(step) \
    if (const auto ww_status = (step); ww_status != CUSPARSE_STATUS_SUCCESS) return ww_status

}  // namespace warpwright::libraries::sparse
