// Communicators: the ranks of one that are in this process, and where they meet the others.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cudart/work/stream/stream.hpp"
#include "libraries/nccl/meeting.hpp"
#include "nccl.h"

namespace warpwright::libraries::nccl {

struct Communicator;

/// All ranks of a communicator.
struct Clique {
    unsigned ranks = 0;
    std::shared_ptr<Meeting> meeting;
    std::mutex mutex;
    std::map<unsigned, std::weak_ptr<Communicator>> here;  ///< those of this process, by rank
    std::mutex queueing;  ///< held while work of its communicators is queued, which gets one order so
};

struct Communicator {
    std::shared_ptr<Clique> clique;
    unsigned rank = 0, device = 0;
    std::atomic<ncclResult_t> state{ncclSuccess};
    std::atomic<bool> aborted{false};
    cudart::Ticket last;  ///< its work queued last, under `queueing`: the next runs after it, whatever the stream
    ~Communicator();

    unsigned ranks() const { return clique->ranks; }
    /// It can do no more: later calls answer this, and so does ncclCommGetAsyncError.
    void fail(ncclResult_t why, const std::string& text);
};

/// A rank on the calling thread's device, of a communicator that this identifier stands for.
ncclResult_t join(const ncclUniqueId& id, int ranks, int rank, ncclComm_t& made);
/// An identifier; what it names lasts as long as this process.
ncclResult_t make_id(ncclUniqueId& id);
/// That of a handle; null: there is none.
std::shared_ptr<Communicator> find(ncclComm_t comm);
/// The handle stands for nothing any more. False: it did not before.
bool forget(ncclComm_t comm);

}  // namespace warpwright::libraries::nccl
