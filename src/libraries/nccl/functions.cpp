// Calls between ncclGroupStart and ncclGroupEnd are kept by the calling thread, and queued together at the end.
#include "libraries/nccl/functions.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "cudart/api/api.hpp"
#include "cudart/state/runtime.hpp"
#include "libraries/nccl/communicator.hpp"
#include "libraries/nccl/elements.hpp"
#include "libraries/nccl/exchange.hpp"

namespace warpwright::libraries::nccl_impl {
namespace {

using nccl::Kind;
using nccl::Part;

struct Group {
    unsigned depth = 0;
    std::vector<Part> parts;
    ncclResult_t result = ncclSuccess;  ///< the first that was not success
};
Group& group() {
    thread_local Group of_thread;
    return of_thread;
}

/// Keeps it for the group's end, or queues it now.
ncclResult_t ask(Part part, ncclComm_t comm, cudaStream_t stream) {
    auto& g = group();
    part.comm = nccl::find(comm);
    if (part.comm) {
        const cudart::OnDevice on(static_cast<int>(part.comm->device));
        part.stream = cudart::Scheduler::get().find(stream);
    }
    const auto result = nccl::check(part);
    if (result != ncclSuccess) {
        if (g.depth && g.result == ncclSuccess) g.result = result;
        return result;
    }
    if (!g.depth) return nccl::queue({std::move(part)});
    g.parts.push_back(std::move(part));
    return ncclSuccess;
}

Part part_of(Kind kind, const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op = ncclSum,
             int root = 0) {
    Part p;
    p.kind = kind, p.from = from, p.to = to, p.count = count, p.type = type, p.op = op;
    p.root = static_cast<unsigned>(root);
    return p;
}

/// The ranks of a communicator; 1 where there is none, so that the one call says so.
int ranks_of(const std::shared_ptr<nccl::Communicator>& comm) { return comm ? static_cast<int>(comm->ranks()) : 1; }
bool is_root(const std::shared_ptr<nccl::Communicator>& comm, int root) {
    return comm && comm->rank == static_cast<unsigned>(root);
}
/// The part of a buffer that belongs to a rank. (A count beyond any memory is refused before anything is read there.)
const void* part_of_buffer(const void* buffer, int rank, std::size_t count, ncclDataType_t type) {
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(buffer) +
                                         static_cast<std::uintptr_t>(rank) * count * nccl::bytes_of(type));
}

}  // namespace

ncclResult_t ncclGetVersion(int* version) {
    if (!version) return ncclInvalidArgument;
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) { return id ? nccl::make_id(*id) : ncclInvalidArgument; }

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int count, const int* devices) {
    auto& runtime = cudart::Runtime::get();
    if (!comms || count < 1) return ncclInvalidArgument;
    std::vector<int> chosen;
    for (int k = 0; k < count; ++k) {
        const int device = devices ? devices[k] : k;
        if (runtime.no_device(device) || std::find(chosen.begin(), chosen.end(), device) != chosen.end()) {
            runtime.say("ncclCommInitAll: device " + std::to_string(device) +
                        " is named twice, or is not there: run --devices N gives the machine N");
            return runtime.no_device(device) ? ncclUnhandledCudaError : ncclInvalidUsage;
        }
        chosen.push_back(device);
    }
    ncclUniqueId id;
    if (auto e = nccl::make_id(id); e != ncclSuccess) return e;
    for (int k = 0; k < count; ++k) {
        const cudart::OnDevice on(chosen[static_cast<std::size_t>(k)]);
        if (auto e = nccl::join(id, count, k, comms[k]); e != ncclSuccess) return e;
    }
    return ncclSuccess;
}
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
    return comm ? nccl::join(id, ranks, rank, *comm) : ncclInvalidArgument;
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t*) {
    return nccl_impl::ncclCommInitRank(comm, ranks, id, rank);
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
    const auto known = nccl::find(comm);
    if (!known) return ncclInvalidArgument;
    cudart::Scheduler::get().wait_device(known->device);
    return known->state;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    if (auto e = nccl_impl::ncclCommFinalize(comm); e != ncclSuccess) {
        (void)nccl::forget(comm);
        return e;
    }
    return nccl::forget(comm) ? ncclSuccess : ncclInvalidArgument;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
    const auto known = nccl::find(comm);
    if (!known) return ncclInvalidArgument;
    known->aborted = true;
    (void)nccl::forget(comm);
    return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
    const auto known = nccl::find(comm);
    if (!known || !state) return ncclInvalidArgument;
    *state = known->state;
    return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
    const auto known = nccl::find(comm);
    if (!known || !count) return ncclInvalidArgument;
    *count = static_cast<int>(known->ranks());
    return ncclSuccess;
}
ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int* device) {
    const auto known = nccl::find(comm);
    if (!known || !device) return ncclInvalidArgument;
    *device = static_cast<int>(known->device);
    return ncclSuccess;
}
ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
    const auto known = nccl::find(comm);
    if (!known || !rank) return ncclInvalidArgument;
    *rank = static_cast<int>(known->rank);
    return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
    ++group().depth;
    return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
    auto& g = group();
    if (g.depth == 0) return ncclInvalidUsage;
    if (--g.depth) return ncclSuccess;
    const auto result = std::exchange(g.result, ncclSuccess);
    auto parts = std::exchange(g.parts, {});
    return result == ncclSuccess ? nccl::queue(std::move(parts)) : result;
}

ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream) {
    return ask(part_of(Kind::all_reduce, from, to, count, type, op), comm, stream);
}
ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t stream) {
    return ask(part_of(Kind::reduce, from, to, count, type, op, root), comm, stream);
}
ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t stream) {
    return ask(part_of(Kind::reduce_scatter, from, to, count, type, op), comm, stream);
}
ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
    return ask(part_of(Kind::broadcast, from, to, count, type, ncclSum, root), comm, stream);
}
ncclResult_t ncclBcast(void* buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream) {
    return nccl_impl::ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}
ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
    return ask(part_of(Kind::all_gather, from, to, count, type), comm, stream);
}
ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
    return ask(part_of(Kind::send, from, nullptr, count, type, ncclSum, peer), comm, stream);
}
ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream) {
    return ask(part_of(Kind::receive, nullptr, to, count, type, ncclSum, peer), comm, stream);
}

// What is between each rank and others is sends and receives of one group, as documented: `from` and `to` have a part
// of `count` elements for each rank.
ncclResult_t ncclAlltoAll(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                          cudaStream_t stream) {
    const auto known = nccl::find(comm);
    nccl_impl::ncclGroupStart();
    for (int rank = 0; rank < ranks_of(known); ++rank) {
        nccl_impl::ncclSend(part_of_buffer(from, rank, count, type), count, type, rank, comm, stream);
        nccl_impl::ncclRecv(const_cast<void*>(part_of_buffer(to, rank, count, type)), count, type, rank, comm, stream);
    }
    return nccl_impl::ncclGroupEnd();
}
ncclResult_t ncclGather(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                        cudaStream_t stream) {
    const auto known = nccl::find(comm);
    nccl_impl::ncclGroupStart();
    nccl_impl::ncclSend(from, count, type, root, comm, stream);
    for (int rank = 0; is_root(known, root) && rank < ranks_of(known); ++rank)
        nccl_impl::ncclRecv(const_cast<void*>(part_of_buffer(to, rank, count, type)), count, type, rank, comm, stream);
    return nccl_impl::ncclGroupEnd();
}
ncclResult_t ncclScatter(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                         cudaStream_t stream) {
    const auto known = nccl::find(comm);
    nccl_impl::ncclGroupStart();
    for (int rank = 0; is_root(known, root) && rank < ranks_of(known); ++rank)
        nccl_impl::ncclSend(part_of_buffer(from, rank, count, type), count, type, rank, comm, stream);
    nccl_impl::ncclRecv(to, count, type, root, comm, stream);
    return nccl_impl::ncclGroupEnd();
}

ncclResult_t ncclMemAlloc(void** pointer, size_t bytes) {
    return cudart::impl::cudaMalloc(pointer, bytes) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
ncclResult_t ncclMemFree(void* pointer) {
    return cudart::impl::cudaFree(pointer) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

}  // namespace warpwright::libraries::nccl_impl
