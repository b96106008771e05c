// Clusters on host threads: the blocks of one are resident together on one thread and take turns until all have ended.
#include <algorithm>
#include <deque>

#include "engine/run/scheduler.hpp"
#include "engine/runtime/checked/checked_launch.hpp"

namespace warpwright::engine {

/// The blocks of a cluster that is under way, by rank.
struct Scheduler::ResidentCluster {
    explicit ResidentCluster(std::uint64_t size) {
        for (std::uint64_t r = 0; r < size; ++r) blocks.push_back(std::make_unique<ResidentBlock>());
    }

    ClusterState state;
    std::vector<std::unique_ptr<ResidentBlock>> blocks;
    std::vector<bool> done;
};

bool Scheduler::prepare_cluster(ResidentCluster& cluster, std::uint64_t index) {
    const auto& n = launch.cluster;
    const std::uint32_t clusters[3] = {launch.grid[0] / n[0], launch.grid[1] / n[1], launch.grid[2] / n[2]};
    std::uint32_t at[3];
    block_position(index, clusters, at);
    cluster.state = {};
    cluster.done.assign(cluster.blocks.size(), false);
    for (std::uint32_t r = 0; r < cluster.blocks.size(); ++r) {
        std::uint32_t inside[3];
        block_position(r, n, inside);
        std::uint64_t place = 0;
        for (int k = 2; k >= 0; --k) place = place * launch.grid[k] + std::uint64_t{at[k]} * n[k] + inside[k];
        auto& block = *cluster.blocks[r];
        if (!try_prepare(block, place)) return false;
        block.number = index;
        auto& c = block.context;
        for (int k = 0; k < 3; ++k) c.clusterid[k] = at[k], c.cluster_ctaid[k] = inside[k];
        c.cluster_rank = r;
        c.cluster = &cluster.state;
        cluster.state.members.push_back(&block);
    }
    return true;
}

/// Each block runs in turn until all have ended, or one of them looks at memory that another cluster may have to
/// change. Only where none of them can go on, and none has merely stepped aside, is it a deadlock.
Scheduler::Outcome Scheduler::take_turns(ResidentCluster& cluster) {
    while (true) {
        const auto before = ran_;
        bool spins = false, all = true;
        ResidentBlock* waits = nullptr;
        for (std::size_t r = 0; r < cluster.blocks.size(); ++r) {
            if (cluster.done[r]) continue;
            auto& block = *cluster.blocks[r];
            switch (step(block)) {
                case Outcome::finished:
                    cluster.done[r] = true;
                    if (block.check) check_ended(block);
                    run_work(block, true);
                    continue;
                case Outcome::parked:
                    spins = true;
                    run_work(block, false);
                    break;
                case Outcome::stuck:
                    waits = &block;
                    break;
                case Outcome::stopped:
                    return Outcome::stopped;
            }
            all = false;
        }
        if (all) return Outcome::finished;
        if (spins) return Outcome::parked;
        if (ran_ == before) {
            deadlock(*waits);
            return Outcome::stopped;
        }
    }
}

/// As run_blocks(), a cluster at a time.
void Scheduler::run_clusters(std::atomic<std::uint64_t>& next, std::uint64_t count) {
    std::deque<std::unique_ptr<ResidentCluster>> parked;
    std::vector<std::unique_ptr<ResidentCluster>> spare;
    const auto start = [&](std::uint64_t index) {
        if (spare.empty()) spare.push_back(std::make_unique<ResidentCluster>(launch.cluster_blocks()));
        auto cluster = std::move(spare.back());
        spare.pop_back();
        if (!prepare_cluster(*cluster, index)) cluster = nullptr;
        return cluster;
    };
    bool more = true, over = false;
    std::uint64_t turn = 0;
    while (!launch.stop && !over) {
        std::unique_ptr<ResidentCluster> cluster;
        // Clusters that wait for others and new ones take turns.
        const bool may_begin = parked.size() * launch.cluster_blocks() < launch.most_begun;
        if (more && (parked.empty() || (may_begin && turn++ % 2 == 0))) {
            const auto index = next.fetch_add(1, std::memory_order_relaxed);
            at.store(index, std::memory_order_relaxed);
            if (index >= count || index > launch.failed)
                more = false;
            else if (cluster = start(index); !cluster)
                break;
        }
        if (!cluster) {
            if (parked.empty()) {
                if (!more) return;
                continue;
            }
            cluster = std::move(parked.front());
            parked.pop_front();
        }
        const auto outcome = take_turns(*cluster);
        over = outcome == Outcome::stopped;
        if (outcome == Outcome::finished) {
            if (launch.order) launch.order->ended(cluster->blocks[0]->number);
            spare.push_back(std::move(cluster));
        } else
            parked.push_back(std::move(cluster));
    }
    settle();
    for (const auto& c : parked)
        for (const auto& b : c->blocks) name_loops(*b);
    for (const auto& c : parked)
        for (const auto& b : c->blocks) unwind(*b);
}

}  // namespace warpwright::engine
