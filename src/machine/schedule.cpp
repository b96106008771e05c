// Latencies are round figures here, because they only order operations and predict no time. Large blocks stay in the
// order of the program, as assemblers schedule windows of them.
#include "machine/schedule.hpp"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace warpwright::machine {

namespace {

/// Larger blocks stay in the order of the program: assemblers schedule windows of them.
constexpr std::size_t kMostOps = 6000;

unsigned latency(const Op& op) {
    if (op.effect == Effect::load || op.effect == Effect::atomic) return op.space == simt::Space::shared ? 25 : 200;
    switch (op.pipe) {
        case Pipe::none:
            return 0;
        case Pipe::exchange:
            return 22 + op.chain;
        case Pipe::special:
        case Pipe::convert:
            return 16 + op.chain;
        case Pipe::fp64:
            return 8 + op.chain;
        case Pipe::tensor:
            return 30;
        default:
            return 4 + op.chain;
    }
}

class Scheduler {
public:
    Scheduler(std::vector<Op>& ops, unsigned room, Early which)
        : ops_(ops),
          room_(room),
          which_(which),
          after_(ops.size()),
          waits_(ops.size()),
          height_(ops.size()),
          readers_(ops.size()) {}

    void run() {
        connect();
        for (std::size_t k = ops_.size(); k-- > 0;) {
            height_[k] = latency(ops_[k]);
            for (auto next : after_[k]) height_[k] = std::max(height_[k], latency(ops_[k]) + height_[next]);
        }
        std::vector<Op> out;
        out.reserve(ops_.size());
        for (auto k : order()) out.push_back(std::move(ops_[k]));
        ops_ = std::move(out);
    }

private:
    void edge(std::size_t from, std::size_t to) {
        if (from == to) return;
        after_[from].push_back(to);
        ++waits_[to];
    }

    static bool fixed(const Op& op) {
        if (op.splits) return true;
        return op.effect != Effect::none && op.effect != Effect::load && op.effect != Effect::store &&
               op.effect != Effect::atomic && op.effect != Effect::copy;
    }

    void connect() {
        std::unordered_map<std::uint32_t, std::size_t> writer;
        // By memory: shared, and all else. What wrote last, and who has read since.
        std::size_t wrote[2] = {kNobody, kNobody}, all = kNobody;
        std::vector<std::size_t> read[2], since;
        for (std::size_t k = 0; k < ops_.size(); ++k) {
            const Op& op = ops_[k];
            for (auto v : op.in)
                if (auto w = writer.find(v); w != writer.end()) edge(w->second, k), read_by(w->second, k);
            for (auto v : op.out) writer[v] = k;
            if (fixed(op) || op.pipe == Pipe::branch) {
                for (auto s : since) edge(s, k);
                if (all != kNobody) edge(all, k);
                since.clear();
                all = k;
                wrote[0] = wrote[1] = kNobody;
                read[0].clear(), read[1].clear();
                continue;
            }
            since.push_back(k);
            if (all != kNobody && op.effect != Effect::none) edge(all, k);
            if (op.effect == Effect::none || op.spill >= 0) continue;
            for (int m = 0; m < 2; ++m) {
                const bool shared = op.space == simt::Space::shared || op.effect == Effect::copy;
                const bool other = op.space != simt::Space::shared || op.effect == Effect::copy;
                if (!(m == 0 ? shared : other)) continue;
                if (op.effect == Effect::load) {
                    if (wrote[m] != kNobody) edge(wrote[m], k);
                    read[m].push_back(k);
                } else {
                    for (auto r : read[m]) edge(r, k);
                    if (wrote[m] != kNobody) edge(wrote[m], k);
                    read[m].clear();
                    wrote[m] = k;
                }
            }
        }
    }

    void read_by(std::size_t from, std::size_t to) {
        if (!is_counted(ops_[from])) return;
        ++readers_[from];
        loads_[to].push_back(from);
    }
    bool is_counted(const Op& op) const {
        return op.effect == Effect::load && (which_ == Early::all || op.space != simt::Space::shared);
    }
    unsigned registers(std::size_t k) const { return std::max(1u, ops_[k].bytes / 4u); }
    bool fits(std::size_t k) const {
        return !is_counted(ops_[k]) || readers_[k] == 0 || used_ == 0 || registers(k) <= room_ - used_;
    }
    /// An operation is issued: its registers are in use, and those that it was the last to read are not.
    void count_registers(std::size_t k) {
        if (is_counted(ops_[k]) && readers_[k] > 0) used_ += registers(k);
        if (const auto read = loads_.find(k); read != loads_.end())
            for (auto from : read->second)
                if (--readers_[from] == 0) used_ -= registers(from);
    }

    /// Issues one operation per cycle: of those whose inputs are there the one with the longest way to go; where there
    /// is none, the one whose inputs come first.
    std::vector<std::size_t> order() {
        const auto later = [&](std::size_t a, std::size_t b) {
            return height_[a] != height_[b] ? height_[a] < height_[b] : a > b;
        };
        std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> ready(later);
        std::vector<std::uint64_t> at(ops_.size());
        const auto comes_later = [&](std::size_t a, std::size_t b) { return at[a] != at[b] ? at[a] > at[b] : a > b; };
        std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(comes_later)> coming(comes_later);
        for (std::size_t k = 0; k < ops_.size(); ++k)
            if (waits_[k] == 0) ready.push(k);
        std::vector<std::size_t> out;
        for (std::uint64_t now = 0; out.size() < ops_.size();) {
            while (!coming.empty() && at[coming.top()] <= now) ready.push(coming.top()), coming.pop();
            std::vector<std::size_t> aside;
            while (!ready.empty() && !fits(ready.top())) aside.push_back(ready.top()), ready.pop();
            const bool none = ready.empty() && !coming.empty();
            const auto k = !ready.empty() ? ready.top() : !aside.empty() ? aside.front() : 0;
            if (!ready.empty())
                ready.pop();
            else if (!none)
                aside.erase(aside.begin());
            for (auto load : aside) ready.push(load);
            if (none) {
                now = std::max(now + 1, at[coming.top()]);
                continue;
            }
            out.push_back(k);
            count_registers(k);
            now += std::max<unsigned>(1, ops_[k].issues);
            for (auto next : after_[k]) {
                at[next] = std::max(at[next], now - 1 + latency(ops_[k]));
                if (--waits_[next] == 0) coming.push(next);
            }
        }
        return out;
    }

    static constexpr std::size_t kNobody = ~std::size_t{0};
    std::vector<Op>& ops_;
    unsigned room_, used_ = 0;  ///< registers of loads
    Early which_;
    std::vector<std::vector<std::size_t>> after_;
    std::vector<unsigned> waits_;
    std::vector<unsigned> height_;
    std::vector<unsigned> readers_;  ///< of loads: how many operations have yet to read them
    std::unordered_map<std::size_t, std::vector<std::size_t>> loads_;  ///< that an operation reads
};

}  // namespace

void schedule(std::vector<Op>& ops, unsigned room, Early which) {
    if (ops.size() > 2 && ops.size() <= kMostOps) Scheduler(ops, room, which).run();
}

}  // namespace warpwright::machine
