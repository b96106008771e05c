// What a grid and its blocks have queued: grids, copies and fills in streams, each with what it waits for. It is begun
// when the block that queued it has ended, or steps aside because it waits for memory to change; a grid is over when
// all its work is. One order of those that CUDA allows, and the same with any number of host threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/run/engine.hpp"
#include "engine/run/nested.hpp"

namespace warpwright::engine {

/// Rows of bytes that are copied or filled.
struct Rows {
    std::uint64_t to = 0, from = 0, width = 0, height = 1, depth = 1;
    std::uint64_t to_pitch = 0, to_slice = 0, from_pitch = 0, from_slice = 0;
    std::uint8_t value = 0;
};

struct WorkItem {
    enum class Kind : std::uint8_t { grid, copy, fill, nothing } kind = Kind::nothing;
    enum class State : std::uint8_t { waits, runs, done } state = State::waits;
    ChildGrid grid;
    ParameterBlock parameters;
    Rows rows;
    Location where;  ///< of the call that queued it
    std::vector<std::shared_ptr<WorkItem>> after;
    double end = 0;  ///< modelled
};

/// A stream or event of a grid's: the last thing in it.
struct WorkPlace {
    bool event = false, destroyed = false;
    std::shared_ptr<WorkItem> last;
};

/// Of one block.
struct BlockWork {
    ~BlockWork();
    std::vector<std::shared_ptr<WorkItem>> items;   ///< not begun
    WorkPlace stream;                               ///< the stream without a name
    std::map<std::uint64_t, NestedLaunch> buffers;  ///< parameters that threads are filling in, by address
    std::vector<std::uint32_t> errors;              ///< the last one of each thread
};

/// Of one grid.
class GridWork {
public:
    GridWork(Engine& engine, Program& program, const LaunchRequest& request, LaunchShared& launch);

    const LaunchRequest& request() const { return request_; }
    Engine& engine() { return engine_; }
    Program& program() { return program_; }

    /// A new stream or event; answers its handle.
    std::uint64_t make(bool event);
    /// nullptr where the handle is none of this grid's.
    WorkPlace* find(std::uint64_t handle, bool event);

    /// Behind what the place has; the place then ends with it. No place: at once.
    void queue(BlockWork& block, std::shared_ptr<WorkItem> item, WorkPlace* place);
    void wait_event(BlockWork& block, WorkPlace& stream, const WorkPlace& event);
    void record_event(WorkPlace& event, const WorkPlace& stream);
    /// False where the tail has as many as may be.
    bool queue_tail(NestedLaunch tail, std::uint64_t most);

    /// Begins all that the block has queued, and waits for it.
    void run(BlockWork& block);

    std::vector<NestedLaunch> take_tails() { return std::move(tails_); }
    /// Modelled: from the end of the grid's own work until all that it launched is over, without its tail.
    double seconds() const { return last_ > area_ ? last_ : area_; }
    double area() const { return area_; }

private:
    void perform(const std::shared_ptr<WorkItem>& item);
    /// Answers when it ends.
    double run_item(WorkItem& item, double begin, double& area);
    bool move(const WorkItem& item);

    Engine& engine_;
    Program& program_;
    const LaunchRequest& request_;
    LaunchShared& launch_;
    std::optional<Deadline> deadline_;  ///< for the grid and all that it launches
    std::mutex mutex_;
    std::condition_variable ended_;
    std::vector<std::unique_ptr<WorkPlace>> places_;
    std::vector<NestedLaunch> tails_;
    double last_ = 0, area_ = 0;
};

}  // namespace warpwright::engine
