// The work that a grid and its blocks have queued: grids, copies and fills in streams, each with the work it waits for.
// It runs when the block that queued it has ended, or yields because it waits for memory to change; a grid is complete
// when all its work is. This is one of the orders that CUDA allows, the same with any number of host threads.
#pragma once

#include <atomic>
#include <chrono>
#include <compare>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/shared/grid_engine.hpp"
#include "engine/shared/nested.hpp"

namespace warpwright::engine {

struct LaunchShared;

/// Rows of bytes that are copied or filled.
struct Rows {
    std::uint64_t to = 0, from = 0, width = 0, height = 1, depth = 1;
    std::uint64_t to_pitch = 0, to_slice = 0, from_pitch = 0, from_slice = 0;
    std::uint8_t value = 0;
};

/// A number that is the same with any number of host threads: the block that queued it, and its position in that
/// block's work.
struct WorkNumber {
    std::uint64_t block = 0, index = 0;
    auto operator<=>(const WorkNumber&) const = default;
};

struct WorkItem {
    enum class Kind : std::uint8_t { grid, copy, fill, nothing } kind = Kind::nothing;
    enum class State : std::uint8_t { waits, runs, done } state = State::waits;
    ChildGrid grid;
    ParameterBlock parameters;
    Rows rows;
    Location where;  ///< of the call that queued it
    std::vector<std::shared_ptr<WorkItem>> after;
    WorkNumber number;                  ///< its position in what the grid has queued
    std::vector<WorkNumber> waits_for;  ///< like `after`, which is cleared when it begins
};

/// A stream or event of a grid: the last item in it.
struct WorkPlace {
    bool event = false, destroyed = false;
    std::shared_ptr<WorkItem> last;
};

/// The work of one block.
struct BlockWork {
    ~BlockWork();
    std::uint64_t block = 0, queued = 0;            ///< its position in the grid; the number of items it has queued so
                                                    ///< far
    std::vector<std::shared_ptr<WorkItem>> items;   ///< those that have not begun
    WorkPlace stream;                               ///< the default stream
    std::map<std::uint64_t, NestedLaunch> buffers;  ///< parameters that threads are filling in, by address
    std::vector<std::uint32_t> errors;              ///< the last one of each thread
};

/// The work of one grid.
class GridWork {
public:
    /// `time`: by the clock, for the grid and all that it launches; 0 = no limit.
    GridWork(GridEngine& engine, Program& program, const LaunchRequest& request, LaunchShared& launch,
             std::chrono::milliseconds time);

    const LaunchRequest& request() const { return request_; }
    GridEngine& engine() { return engine_; }
    Program& program() { return program_; }

    /// A new stream or event; returns its handle.
    std::uint64_t make(bool event);
    /// nullptr if the handle is not one of this grid's.
    WorkPlace* find(std::uint64_t handle, bool event);

    /// Queues an item after what the place has; it becomes the place's last item. Without a place it runs at once.
    void queue(BlockWork& block, std::shared_ptr<WorkItem> item, WorkPlace* place);
    void wait_event(BlockWork& block, WorkPlace& stream, const WorkPlace& event);
    void record_event(WorkPlace& event, const WorkPlace& stream);
    /// False if the tail has the most launches allowed.
    bool queue_tail(NestedLaunch tail, std::uint64_t most);

    /// Runs all that the block has queued, and waits for it.
    void run(BlockWork& block);

    std::vector<NestedLaunch> take_tails() { return std::move(tails_); }
    /// The work done for the grid, for the modelled clock: from the end of the grid's own part on, without its tail.
    std::vector<timeline::Work> take_done();

private:
    void perform(const std::shared_ptr<WorkItem>& item);
    void wait_for(WorkItem& item, const std::shared_ptr<WorkItem>& earlier);
    timeline::Work run_item(WorkItem& item);
    bool move(const WorkItem& item);

    GridEngine& engine_;
    Program& program_;
    const LaunchRequest& request_;
    LaunchShared& launch_;
    std::optional<Deadline> deadline_;  ///< for the grid and all that it launches
    std::mutex mutex_;
    std::condition_variable ended_;
    std::vector<std::unique_ptr<WorkPlace>> places_;
    std::vector<NestedLaunch> tails_;
    struct Done {
        WorkNumber number;
        std::vector<WorkNumber> waits_for;
        timeline::Work work;
    };
    std::vector<Done> done_;
};

}  // namespace warpwright::engine
