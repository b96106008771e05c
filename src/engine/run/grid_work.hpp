// What a grid and its blocks have queued: grids, copies and fills in streams, each with what it waits for. It is begun
// when the block that queued it has ended, or steps aside because it waits for memory to change; a grid is over when
// all its work is. One order of those that CUDA allows, and the same with any number of host threads.
#pragma once

#include <atomic>
#include <compare>
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

/// The same with any number of host threads: the block that queued it, and which of that block's it is.
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
    WorkNumber number;                  ///< where it stands among what the grid has queued
    std::vector<WorkNumber> waits_for;  ///< as `after`, which goes when it is begun
};

/// A stream or event of a grid's: the last thing in it.
struct WorkPlace {
    bool event = false, destroyed = false;
    std::shared_ptr<WorkItem> last;
};

/// Of one block.
struct BlockWork {
    ~BlockWork();
    std::uint64_t block = 0, queued = 0;            ///< its place in the grid; how much it has queued so far
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
    /// What was done for the grid, for the modelled clock: begins when the grid's own part has ended. Without its tail.
    std::vector<timeline::Work> take_done();

private:
    void perform(const std::shared_ptr<WorkItem>& item);
    void wait_for(WorkItem& item, const std::shared_ptr<WorkItem>& earlier);
    timeline::Work run_item(WorkItem& item);
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
    struct Done {
        WorkNumber number;
        std::vector<WorkNumber> waits_for;
        timeline::Work work;
    };
    std::vector<Done> done_;
};

}  // namespace warpwright::engine
