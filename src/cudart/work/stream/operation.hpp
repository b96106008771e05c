// Work for a stream: done there in its turn, or made a node of the graph into which the stream is captured. Copies and
// fills all have one form, planes of rows of bytes.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "cudart/memory/memory_table.hpp"
#include "cudart/work/stream/stream.hpp"
#include "driver_types.h"

namespace warpwright::cudart {

struct NodeParameters;

struct Operation {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    /// Does the work, and returns it for the modelled clock.
    std::function<timeline::Work()> run;
    std::shared_ptr<const NodeParameters>
        given{};  ///< for programs that read a graph node's parameters; null: there are none
};

enum class Wait { no, yes };
/// Whether queuing such work costs the host time on the modelled clock.
timeline::Timeline::Call call_of(cudaGraphNodeType type);
/// Hands the operation to the stream. `light`: the caller may do it at once if nothing is queued before it.
/// `queued`: where it went, if it was queued.
cudaError_t submit(const std::shared_ptr<Stream>& stream, Operation operation, Wait wait, bool light,
                   Ticket* queued = nullptr);

/// One side of a copy.
struct Place {
    std::byte* at = nullptr;
    std::size_t pitch = 0, slice = 0;  ///< bytes from row to row, from plane to plane
};

struct Copy {
    Place to, from;
    std::size_t width = 0, height = 1, depth = 1;  ///< bytes, rows, planes
    cudaMemcpyKind kind = cudaMemcpyDefault;
    bool pageable = false;  ///< the host's side is not page-locked
    /// Of device memory: whose it is; of memory that all devices reach, nothing.
    std::optional<unsigned> to_device{}, from_device{};
    bool between() const { return to_device && from_device && *to_device != *from_device; }
    std::shared_ptr<const cudaMemcpy3DParms> given{};  ///< the parameters from which it was made, if these
    std::shared_ptr<const CallStack> call{};           ///< of the program, where copies to the host are checked
    std::uint64_t bytes() const { return std::uint64_t{width} * height * depth; }
    bool linear() const;
};

/// cudaErrorInvalidValue if a side is not in memory of the required kind; makes the kind a definite one. `absent`:
/// Absent::found for nodes of graphs.
cudaError_t check(Copy& copy, Absent absent = Absent::hidden);
Operation operation(const Copy& copy);
/// Checks the copy and queues it, with the runtime's rules for host memory that is not page-locked.
cudaError_t queue(Copy copy, cudaStream_t stream, Wait wait);
/// The same from the runtime's own parameters.
cudaError_t copy_of(Copy& copy, const cudaMemcpy3DParms& p);

struct Fill {
    Place to;
    unsigned value = 0, element = 1;               ///< element: bytes of the value, 1, 2 or 4
    std::size_t width = 0, height = 1, depth = 1;  ///< elements, rows, planes
    unsigned device = current_device();            ///< on which it is done
};
cudaError_t check(const Fill& fill, Absent absent = Absent::hidden);
Operation operation(const Fill& fill);
cudaError_t queue(Fill fill, cudaStream_t stream);
/// The parameters from which a node was made, for its one type.
struct NodeParameters {
    cudaMemcpy3DParms copy{};
    cudaMemsetParams fill{};
    cudaHostNodeParams host{};
    cudaEvent_t event = nullptr;
};

}  // namespace warpwright::cudart
