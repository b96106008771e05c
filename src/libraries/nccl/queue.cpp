// Parts of all ranks that one thread queues together become one piece of work, for which the ranks' streams wait; so
// the modelled clock and the checkers see its order. Else each rank's parts are work of its own, which meets the others
// while it runs.
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cudart/memory/extents.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/state/exchange_times.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/capture_rules.hpp"
#include "cudart/work/graph/graph.hpp"
#include "cudart/work/program_observer.hpp"
#include "cudart/work/stream/operation.hpp"
#include "libraries/nccl/elements.hpp"
#include "libraries/nccl/exchange.hpp"

namespace warpwright::libraries::nccl {
namespace {

using cudart::By;
using cudart::Runtime;
using cudart::Scheduler;
using cudart::Ticket;

/// The name of an exchange in a profile.
const char* name_of(Kind kind) {
    constexpr const char* kNames[] = {"[NCCL AllReduce]", "[NCCL Reduce]",   "[NCCL ReduceScatter]", "[NCCL Broadcast]",
                                      "[NCCL AllGather]", "[NCCL SendRecv]", "[NCCL SendRecv]"};
    return kNames[static_cast<unsigned>(kind)];
}

ncclResult_t wrong(const std::string& what, ncclResult_t result = ncclInvalidArgument) {
    Runtime::get().say("NCCL: " + what);
    return result;
}

/// Whether all these bytes are of one allocation.
bool is_allocated(const void* pointer, std::size_t bytes) {
    if (bytes == 0) return true;
    const auto block = cudart::MemoryTable::get().find(pointer);
    return block && cudart::within(reinterpret_cast<std::uint64_t>(pointer) - block->address, bytes, block->bytes);
}

/// The multiprocessors that an exchange takes of a device, as a part of them: NCCL runs a block for each channel, 16 of
/// them between two devices with 18 NVLinks.
double share() {
    constexpr double kChannels = 16;
    const auto all = Runtime::get().model().sm.multiprocessors;
    return all > kChannels ? kChannels / all : 1;
}

/// The work of an exchange on the modelled clock and in the profile.
timeline::Work work_of(const Part& any, double seconds, std::uint64_t bytes) {
    timeline::Work work;
    work.kind = timeline::Kind::kernel;
    work.device = static_cast<std::uint8_t>(any.comm->device);
    work.seconds = seconds, work.share = share(), work.bytes = bytes;
    for (auto* observer : cudart::program_observers()) observer->copied(name_of(any.kind), work);
    return work;
}

/// Tells those who look on what is read and written, as copies from each rank's source to each target.
template <class Tell>
void each_copy(const std::vector<Part>& parts, Tell tell) {
    for (const Part& p : parts) {
        cudart::Copy copy;
        copy.kind = cudaMemcpyDeviceToDevice;
        copy.to.at = static_cast<std::byte*>(p.to_bytes() ? p.to : const_cast<void*>(p.from));
        copy.from.at = static_cast<std::byte*>(const_cast<void*>(p.from_bytes() ? p.from : p.to));
        copy.width =
            std::min(p.from_bytes() ? p.from_bytes() : p.to_bytes(), p.to_bytes() ? p.to_bytes() : p.from_bytes());
        if (p.to_bytes()) tell(copy);
    }
}

void begin(const std::vector<Part>& parts) {
    each_copy(parts, [](const cudart::Copy& copy) {
        for (auto* observer : cudart::program_observers()) observer->copying(copy);
    });
}

void end(const std::vector<Part>& parts) {
    auto* sharing = Runtime::get().device()->host_sharing();
    for (const Part& p : parts)
        if (p.to_bytes()) sharing->written(reinterpret_cast<std::uint64_t>(p.to), p.to_bytes());
    each_copy(parts, [](const cudart::Copy& copy) {
        for (auto* observer : cudart::program_observers()) observer->made(copy);
    });
}

timeline::Work nothing() { return {}; }

/// One piece of a group's work, and the stream that does it.
struct Step {
    std::shared_ptr<cudart::Stream> stream;
    std::function<timeline::Work()> run;
};

/// The same in streams that are captured into one graph: nodes that follow what each of them has last, and that all of
/// them follow.
void put_nodes(cudart::Capture& capture, const std::vector<std::shared_ptr<cudart::Stream>>& streams,
               std::vector<Step> steps) {
    const std::lock_guard graphs(cudart::graphs_in_use());
    auto& last = capture.last[streams.front().get()];
    for (std::size_t k = 1; k < streams.size(); ++k)
        for (auto* node : capture.last[streams[k].get()])
            if (std::find(last.begin(), last.end(), node) == last.end()) last.push_back(node);
    for (Step& step : steps) (void)capture.add({cudaGraphNodeTypeEmpty, std::move(step.run)}, streams.front());
    const auto now = last;
    for (std::size_t k = 1; k < streams.size(); ++k) capture.last[streams[k].get()] = now;
}

/// Queues steps, one after the other, for these parts of one clique: the first begins when all the parts' streams have
/// come there and what their communicators did before is done; all the streams go on behind the last.
void put_steps(const std::vector<Part>& parts, std::vector<Step> steps, By by) {
    auto& scheduler = Scheduler::get();
    std::vector<std::shared_ptr<cudart::Stream>> streams;
    std::vector<Communicator*> comms;
    for (const Part& p : parts) {
        if (std::find(streams.begin(), streams.end(), p.stream) == streams.end()) streams.push_back(p.stream);
        if (std::find(comms.begin(), comms.end(), p.comm.get()) == comms.end()) comms.push_back(p.comm.get());
    }
    if (const auto capture = streams.front()->capture.get()) return put_nodes(*capture, streams, std::move(steps));
    const std::lock_guard lock(parts.front().comm->clique->queueing);
    std::vector<Ticket> after;
    for (const auto* comm : comms)
        if (comm->last.stream) after.push_back(comm->last);
    if (streams.size() > 1)
        for (const auto& stream : streams) after.push_back(scheduler.put(stream, nothing, By::caller));
    Ticket done;
    for (Step& step : steps) {
        done =
            scheduler.put(step.stream, std::move(step.run), by, std::move(after), timeline::Timeline::Call::takes_time);
        after = {done};
    }
    for (const auto& stream : streams)
        if (stream != done.stream) scheduler.put(stream, nothing, By::caller, {done});
    for (auto* comm : comms) comm->last = done;
}

Step exchange_step(std::vector<Part> parts) {
    auto stream = parts.front().stream;
    return {std::move(stream), [parts = std::move(parts)] {
                begin(parts);
                exchange(parts);
                end(parts);
                return work_of(parts.front(), seconds_of(parts.front()), parts.front().bytes());
            }};
}

/// Of a part of a group, whose parts are one kernel.
double seconds_in_group(const Part& part, bool first) {
    return first ? seconds_of(part) : std::max(0.0, seconds_of(part) - cudart::exchange_times::kernel());
}

Step moves_step(std::vector<Part> sends, std::vector<Part> receives) {
    auto all = sends;
    all.insert(all.end(), receives.begin(), receives.end());
    auto stream = all.front().stream;
    return {std::move(stream), [all = std::move(all), sends = std::move(sends), receives = std::move(receives)] {
                begin(all);
                move(sends, receives);
                end(all);
                // Each rank sends over its own links: the one that sends most is the last.
                std::map<unsigned, double> busy;
                std::uint64_t bytes = 0;
                double most = 0;
                for (const Part& s : sends) {
                    bytes += s.bytes();
                    if (s.root == s.comm->rank) continue;
                    const bool first = !busy.contains(s.comm->rank);
                    most = std::max(most, busy[s.comm->rank] += seconds_in_group(s, first));
                }
                return work_of(all.front(), most, bytes);
            }};
}

/// One rank's parts in a row of work that meets the other ranks'.
void put_alone(const std::vector<Part>& parts) {
    // Nobody here sees the order of what other processes and threads do.
    Scheduler::get().lose_order();
    const auto run = [parts] {
        auto& comm = *parts.front().comm;
        if (comm.state != ncclSuccess) return timeline::Work{};
        if (!exchange_with_others(parts)) {
            if (!Runtime::get().ending() && !comm.aborted)
                comm.fail(ncclRemoteError, "another rank left, or its process ended, before the exchange did");
            return timeline::Work{};
        }
        std::vector<timeline::Work> all;
        auto* sharing = Runtime::get().device()->host_sharing();
        for (const Part& p : parts) {
            if (p.to_bytes()) sharing->written(reinterpret_cast<std::uint64_t>(p.to), p.to_bytes());
            all.push_back(work_of(p, seconds_in_group(p, all.empty()), p.bytes()));
        }
        return timeline::sequence(std::move(all));
    };
    put_steps(parts, {{parts.front().stream, run}}, By::stream);
}

/// The parts of a communicator by rank, where all ranks' are there and ask for the same.
bool are_together(const std::map<unsigned, std::vector<Part>>& of_rank, unsigned ranks) {
    if (of_rank.size() != ranks) return false;
    const auto& first = of_rank.begin()->second;
    for (const auto& [rank, parts] : of_rank) {
        if (parts.size() != first.size()) return false;
        for (std::size_t k = 0; k < parts.size(); ++k)
            if (parts[k].kind != first[k].kind || parts[k].count != first[k].count || parts[k].type != first[k].type ||
                parts[k].op != first[k].op || parts[k].root != first[k].root)
                return false;
    }
    return true;
}

/// Sends with the receive of each, in their order; false: one has none here.
bool match(std::map<unsigned, std::vector<Part>>& of_rank, std::vector<Part>& sends, std::vector<Part>& receives) {
    std::map<std::pair<unsigned, unsigned>, std::vector<Part>> waiting;  // receives, by from and to
    std::size_t count = 0;
    for (const auto& [rank, parts] : of_rank)
        for (const Part& p : parts)
            if (p.kind == Kind::receive) waiting[{p.root, rank}].push_back(p), ++count;
    std::map<std::pair<unsigned, unsigned>, std::size_t> next;
    for (const auto& [rank, parts] : of_rank)
        for (const Part& p : parts) {
            if (p.kind != Kind::send) continue;
            auto& there = waiting[{rank, p.root}];
            auto& k = next[{rank, p.root}];
            if (k == there.size() || there[k].bytes() != p.bytes()) return false;
            sends.push_back(p), receives.push_back(there[k++]);
        }
    return sends.size() == count;
}

/// What a group has of one communicator.
void queue_clique(std::map<unsigned, std::vector<Part>> of_rank, unsigned ranks) {
    std::map<unsigned, std::vector<Part>> of_all, singles;
    for (auto& [rank, parts] : of_rank)
        for (Part& p : parts) (p.moves_one() ? singles : of_all)[rank].push_back(std::move(p));
    std::vector<Part> sends, receives;
    const bool together = of_all.empty() || are_together(of_all, ranks);
    const bool matched = singles.empty() || match(singles, sends, receives);
    if (together && matched) {
        std::vector<Part> group;
        for (const auto* some : {&of_all, &singles})
            for (const auto& [rank, parts] : *some) group.insert(group.end(), parts.begin(), parts.end());
        std::vector<Step> steps;
        for (std::size_t k = 0; !of_all.empty() && k < of_all.begin()->second.size(); ++k) {
            std::vector<Part> parts;
            for (auto& [rank, all] : of_all) parts.push_back(all[k]);
            steps.push_back(exchange_step(std::move(parts)));
        }
        if (!sends.empty()) steps.push_back(moves_step(std::move(sends), std::move(receives)));
        put_steps(group, std::move(steps), By::waiter);
        return;
    }
    // All parts of a rank are one piece of work, for which all its streams wait: the exchanges of all ranks first.
    for (auto& [rank, parts] : singles) {
        auto& all = of_all[rank];
        all.insert(all.end(), parts.begin(), parts.end());
    }
    for (const auto& [rank, parts] : of_all) put_alone(parts);
}

}  // namespace

std::size_t Part::bytes() const { return count * bytes_of(type); }
std::size_t Part::from_bytes() const {
    if (kind == Kind::receive || (kind == Kind::broadcast && comm->rank != root)) return 0;
    return kind == Kind::reduce_scatter ? bytes() * comm->ranks() : bytes();
}
std::size_t Part::to_bytes() const {
    if (kind == Kind::send || (kind == Kind::reduce && comm->rank != root)) return 0;
    return kind == Kind::all_gather ? bytes() * comm->ranks() : bytes();
}

double seconds_of(const Part& part) {
    namespace times = cudart::exchange_times;
    const unsigned ranks = part.comm->ranks();
    const auto bytes = static_cast<double>(part.bytes());
    switch (part.kind) {
        case Kind::all_reduce:
            return times::sum(ranks, bytes);
        case Kind::all_gather:
        case Kind::reduce_scatter:
            return times::gather(ranks, bytes);
        case Kind::reduce:
        case Kind::broadcast:
            return times::pass(ranks, bytes);
        case Kind::send:
        case Kind::receive:
            return times::send(bytes);
    }
    return 0;
}

ncclResult_t check(const Part& p) {
    const std::size_t element = bytes_of(p.type);
    if (!p.comm) return wrong("the communicator does not exist");
    if (p.comm->state != ncclSuccess) return p.comm->state;
    if (!element) return wrong("there is no type of number " + std::to_string(static_cast<int>(p.type)));
    if (p.op < ncclSum || p.op > ncclAvg)
        return wrong("there is no operator of number " + std::to_string(static_cast<int>(p.op)) +
                     " (those that programs make are not supported)");
    const bool combines = p.kind == Kind::all_reduce || p.kind == Kind::reduce || p.kind == Kind::reduce_scatter;
    if (combines && !reduces(p.type)) return wrong("sums of FP8 are not supported");
    if (p.root >= p.comm->ranks()) return wrong("rank " + std::to_string(static_cast<int>(p.root)) + " does not exist");
    if (!p.stream || p.stream->device != p.comm->device)
        return wrong("the stream is none of device " + std::to_string(p.comm->device) + ", the communicator's");
    if (cudart::capture_rules::check(p.stream) != cudaSuccess)
        return wrong("the stream's capture is invalid, or it is the default stream while another is captured",
                     ncclInvalidUsage);
    if (p.count > ~std::size_t{0} / element / p.comm->ranks()) return wrong("a count beyond any memory");
    if (!is_allocated(p.from, p.from_bytes()) || !is_allocated(p.to, p.to_bytes()))
        return wrong("a buffer is no device memory, or not of the bytes that the exchange takes");
    return ncclSuccess;
}

ncclResult_t queue(std::vector<Part> parts) {
    // In the order in which the group names them.
    std::vector<std::pair<Clique*, std::map<unsigned, std::vector<Part>>>> cliques;
    const auto capture = parts.empty() ? nullptr : parts.front().stream->capture.get();
    for (Part& p : parts) {
        if (p.stream->capture.get() != capture)
            return wrong("a group's streams are not all captured into one graph", ncclInvalidUsage);
        if (p.bytes() == 0) continue;
        auto* clique = p.comm->clique.get();
        auto known = std::find_if(cliques.begin(), cliques.end(), [&](const auto& c) { return c.first == clique; });
        if (known == cliques.end()) known = cliques.insert(known, {clique, {}});
        known->second[p.comm->rank].push_back(std::move(p));
    }
    for (auto& [clique, of_rank] : cliques) queue_clique(std::move(of_rank), clique->ranks);
    if (!cliques.empty())
        Runtime::get().say(
            "NCCL: this machine moves and combines the data of exchanges, without kernels; their times follow from the "
            "model's links");
    return ncclSuccess;
}

}  // namespace warpwright::libraries::nccl
