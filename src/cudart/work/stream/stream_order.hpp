// What the program's calls say of the order of its work: for each piece, what certainly precedes it. Only checked
// programs keep this. The order is that of streams, events, the legacy default stream and the host's waits, as the
// calls ask for it, so that it does not depend on when work runs here.
//
// The host counts as one: what one of its threads has waited for, all know. What a host function in a stream tells the
// host nobody sees, so the host knows what precedes one from the call on that queues it. Either may miss a defect, and
// makes none up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cudart/state/call_stack.hpp"

namespace warpwright::cudart {

/// For each stream, the number of the last of its work that precedes something.
class Preceding {
public:
    bool has(std::uint64_t stream, std::uint64_t number) const {
        const auto at = place(stream);
        return at != last_.end() && at->first == stream && at->second >= number;
    }
    void add(std::uint64_t stream, std::uint64_t number) {
        const auto at = last_.begin() + (place(stream) - last_.cbegin());
        if (at == last_.end() || at->first != stream)
            last_.insert(at, {stream, number});
        else
            at->second = std::max(at->second, number);
    }
    void add(const Preceding& other) {
        for (const auto& [stream, number] : other.last_) add(stream, number);
    }

private:
    using Last = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
    Last::const_iterator place(std::uint64_t stream) const {
        return std::lower_bound(last_.begin(), last_.end(), stream,
                                [](const auto& entry, std::uint64_t s) { return entry.first < s; });
    }
    Last last_;  ///< by stream
};

/// Work as it was queued.
struct Issued {
    std::uint64_t stream = 0, number = 0;
    bool on_legacy = false;
    unsigned device = 0;         ///< of the stream
    std::uint64_t sequence = 0;  ///< in the order of the calls
    Preceding before;            ///< with itself
    std::shared_ptr<const CallStack> call;
    bool in_stub = false;  ///< the call came from a kernel's stub

    bool precedes(const Issued& later) const { return later.before.has(stream, number); }
};
using IssuedWork = std::shared_ptr<const Issued>;

/// The work that the calling thread does at the moment; null: none, or no order is kept.
const IssuedWork& current_work();
/// Whether there is one. It takes no lock and allocates nothing once a thread has asked, so that a signal's handler
/// may.
bool does_work();

/// The nodes of a graph's launch that precede the one which runs, by their numbers in the launch.
struct GraphPart {
    std::uint32_t number = 0;
    std::shared_ptr<const std::vector<bool>> before;  ///< null: the work is no part of a graph
};
GraphPart current_part();

/// Numbers the nodes of a graph that runs; one within a node continues the numbers of that.
class GraphOrder {
public:
    GraphOrder();
    ~GraphOrder();
    GraphOrder(const GraphOrder&) = delete;
    /// A node begins, after those of these indices (the order of begin()); and ends.
    void begin(const std::vector<std::uint32_t>& after);
    void end();
    static GraphPart part();

private:
    struct Running;
    static Running& running();
    struct Range {
        std::uint32_t first = 0, last = 0;
    };
    const bool on_;
    static thread_local IssuedWork launch_;  ///< the work whose nodes were numbered last
    GraphPart outer_;
    std::uint32_t outer_inside_ = 0;
    std::vector<bool> base_;
    std::vector<Range> own_;                               ///< of each node: itself and what runs within
    std::vector<std::shared_ptr<std::vector<bool>>> all_;  ///< what precedes each
};

}  // namespace warpwright::cudart
