// The load/store unit of a multiprocessor and the two queues before it.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

namespace warpwright::timing {

/// Requests of shared memory wait in one queue, those of local and global memory in another, of which each scheduler has
/// its part; the unit takes from both in turn. Whoever has issued a request waits for its result from then on.
class LoadStore {
public:
    enum Queue : unsigned { shared, global };

    /// `requests`: of global memory that a scheduler's part holds; `ahead`: cycles of work of shared memory that wait.
    LoadStore(unsigned schedulers, unsigned requests, double ahead)
        : begins_(schedulers, std::vector<double>(std::max(1u, requests))), oldest_(schedulers), ahead_(ahead) {}

    /// When the unit is done with a request of so many cycles that is issued now.
    double take(Queue queue, unsigned scheduler, double now, double cycles) {
        Lane &own = lanes_[queue], &other = lanes_[1 - queue];
        double begin = std::max(own.free, now);
        if (other.free > begin) begin = std::min(begin + other.cycles, std::max(free_, now));
        if (other.free > begin) other.free += cycles;
        free_ = std::max(free_, now) + cycles;
        own.free = begin + cycles, own.cycles = cycles;
        own.work = std::max(own.work, now) + cycles;
        if (queue == global) {
            begins_[scheduler][oldest_[scheduler]] = begin;
            oldest_[scheduler] = (oldest_[scheduler] + 1) % begins_[scheduler].size();
        }
        return own.free;
    }

    /// From when on a scheduler's next request finds room.
    double room(Queue queue, unsigned scheduler) const {
        return queue == shared ? lanes_[shared].work - ahead_ : begins_[scheduler][oldest_[scheduler]];
    }

private:
    struct Lane {
        double free = 0;    ///< when its last request is done
        double cycles = 0;  ///< of the last one
        double work = 0;    ///< the same as `free` if the unit had nothing else to do
    };
    std::array<Lane, 2> lanes_{};
    double free_ = 0;  ///< when all requests are done
    std::vector<std::vector<double>> begins_;  ///< by scheduler: of its last requests of global memory
    std::vector<std::size_t> oldest_;          ///< of these
    double ahead_;
};

}  // namespace warpwright::timing
