// Exchanges between the ranks of a communicator: what a call asks for, and how it becomes work of the ranks' streams.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cudart/work/stream/stream.hpp"
#include "libraries/nccl/communicator.hpp"

namespace warpwright::libraries::nccl {

enum class Kind : std::uint8_t { all_reduce, reduce, reduce_scatter, broadcast, all_gather, send, receive };

/// What one rank asks for.
struct Part {
    Kind kind = Kind::all_reduce;
    const void* from = nullptr;
    void* to = nullptr;
    std::size_t count = 0;  ///< elements, as the call has them
    ncclDataType_t type = ncclFloat32;
    ncclRedOp_t op = ncclSum;
    unsigned root = 0;  ///< of sends and receives: the peer
    std::shared_ptr<Communicator> comm;
    std::shared_ptr<cudart::Stream> stream;

    bool moves_one() const { return kind == Kind::send || kind == Kind::receive; }
    std::size_t bytes() const;       ///< of `count` elements
    std::size_t from_bytes() const;  ///< that it reads of `from`, and writes to `to`; 0: none
    std::size_t to_bytes() const;
};

/// ncclSuccess, or why nothing of it can be done; a line then says why.
ncclResult_t check(const Part& part);
/// Queues what a thread has asked for between ncclGroupStart and ncclGroupEnd, or in one call.
ncclResult_t queue(std::vector<Part> parts);

/// What it takes on the modelled links, in seconds: for all ranks by a ring, from one to another at once.
double seconds_of(const Part& part);

/// Does it: all ranks' parts of one exchange, by rank; sends and receives of a group.
void exchange(const std::vector<Part>& parts);
void move(const std::vector<Part>& sends, const std::vector<Part>& receives);
/// Does one rank's parts, which meets the others for each. False: they did not come.
bool exchange_with_others(const std::vector<Part>& parts);

}  // namespace warpwright::libraries::nccl
