// Handles are numbers that stand for nothing once they are destroyed; work that is queued keeps its communicator.
#include "libraries/nccl/communicator.hpp"

#include <cstring>
#include <vector>

#include "cudart/state/runtime.hpp"
#include "support/handle_table.hpp"

namespace warpwright::libraries::nccl {
namespace {

/// Made at its first use and never destroyed: a program's exit handlers may still call.
struct All {
    std::mutex mutex;
    std::map<ncclComm_t, std::shared_ptr<Communicator>> communicators;
    std::map<std::string, std::weak_ptr<Clique>> cliques;  ///< by identifier
    std::vector<std::shared_ptr<Meeting>> made;            ///< for identifiers of this process
};
All& all() {
    static auto* made = new All;
    return *made;
}

/// Closes the files of identifiers whose ranks have all come, each of which has mapped it, and forgets cliques that are
/// gone.
void tidy(All& known) {
    std::erase_if(known.made, [](const auto& meeting) { return meeting->complete(); });
    std::erase_if(known.cliques, [](const auto& clique) { return clique.second.expired(); });
}

std::string text_of(const ncclUniqueId& id) { return {id.internal, sizeof id.internal}; }

ncclResult_t wrong(const std::string& what) {
    cudart::Runtime::get().say("NCCL: " + what);
    return ncclInvalidArgument;
}

}  // namespace

Communicator::~Communicator() {
    if (clique && clique->meeting) clique->meeting->leave(rank);
}

void Communicator::fail(ncclResult_t why, const std::string& text) {
    ncclResult_t none = ncclSuccess;
    if (state.compare_exchange_strong(none, why)) cudart::Runtime::get().say("NCCL: " + text);
}

ncclResult_t make_id(ncclUniqueId& id) {
    auto made = Meeting::make(id);
    if (!made) return ncclSystemError;
    const std::lock_guard lock(all().mutex);
    tidy(all());
    all().made.push_back(std::move(made));
    return ncclSuccess;
}

ncclResult_t join(const ncclUniqueId& id, int ranks, int rank, ncclComm_t& made) {
    if (ranks < 1 || rank < 0 || rank >= ranks)
        return wrong("rank " + std::to_string(rank) + " of " + std::to_string(ranks) + " does not exist");
    if (static_cast<unsigned>(ranks) > Meeting::kMostRanks)
        return wrong("a communicator of " + std::to_string(ranks) + " ranks: there are " +
                     std::to_string(Meeting::kMostRanks) + " at most");
    const std::lock_guard lock(all().mutex);
    auto& known = all().cliques[text_of(id)];
    auto clique = known.lock();
    if (!clique) {
        clique = std::make_shared<Clique>();
        clique->ranks = static_cast<unsigned>(ranks);
        if (!(clique->meeting = Meeting::open(id)))
            return wrong("the identifier is none of a process of this machine that runs (ncclGetUniqueId)");
        known = clique;
    }
    if (clique->ranks != static_cast<unsigned>(ranks) ||
        !clique->meeting->join(clique->ranks, static_cast<unsigned>(rank)))
        return wrong("rank " + std::to_string(rank) +
                     " is or was there already, or another has come with another number of ranks");
    auto communicator = std::make_shared<Communicator>();
    communicator->clique = clique;
    communicator->rank = static_cast<unsigned>(rank);
    communicator->device = cudart::current_device();
    {
        const std::lock_guard members(clique->mutex);
        clique->here[communicator->rank] = communicator;
    }
    made = fresh_handle<ncclComm_t>();
    all().communicators[made] = std::move(communicator);
    tidy(all());
    return ncclSuccess;
}

std::shared_ptr<Communicator> find(ncclComm_t comm) {
    const std::lock_guard lock(all().mutex);
    const auto found = all().communicators.find(comm);
    return found == all().communicators.end() ? nullptr : found->second;
}

bool forget(ncclComm_t comm) {
    std::shared_ptr<Communicator> gone;  // ends without the lock
    const std::lock_guard lock(all().mutex);
    const auto found = all().communicators.find(comm);
    if (found == all().communicators.end()) return false;
    gone = std::move(found->second);
    all().communicators.erase(found);
    return true;
}

}  // namespace warpwright::libraries::nccl
