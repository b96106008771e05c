// The first host thread that needs an item does it, after those for which it waits, and others wait for its end. What
// was done is sorted by its numbers, so that the timeline does not depend on the threads.
#include "engine/runtime/grid_work.hpp"

#include <algorithm>
#include <cstring>

#include "engine/shared/executor.hpp"
#include "engine/shared/host_stack.hpp"
#include "support/cause.hpp"

namespace warpwright::engine {

namespace {

constexpr std::uint64_t kHandles = 0x7ffc'0000'0000'0000ull;
constexpr unsigned kGridShift = 24;
/// Streams and events of one grid.
constexpr std::size_t kMostPlaces = std::size_t{1} << 16;

}  // namespace

GridWork::GridWork(GridEngine& engine, Program& program, const LaunchRequest& request, LaunchShared& launch,
                   std::chrono::milliseconds time)
    : engine_(engine), program_(program), request_(request), launch_(launch), deadline_(request.deadline) {
    // The code is there by now: the time runs from here.
    if (!deadline_ && time.count() > 0) deadline_ = std::chrono::steady_clock::now() + time;
}

BlockWork::~BlockWork() {
    // A long chain is released item by item, because nested destructors would overflow the stack.
    for (auto& item : items) item->after.clear();
}

std::uint64_t GridWork::make(bool event) {
    std::lock_guard lock(mutex_);
    if (places_.size() >= kMostPlaces) return 0;
    places_.push_back(std::make_unique<WorkPlace>());
    places_.back()->event = event;
    return kHandles | (request_.id & 0xffffff) << kGridShift | places_.size();
}

WorkPlace* GridWork::find(std::uint64_t handle, bool event) {
    std::lock_guard lock(mutex_);
    const auto index = handle & ((1u << kGridShift) - 1);
    if (handle >> kGridShift != (kHandles >> kGridShift | (request_.id & 0xffffff)) || index == 0 ||
        index > places_.size())
        return nullptr;
    auto* place = places_[index - 1].get();
    return place->event == event && !place->destroyed ? place : nullptr;
}

void GridWork::wait_for(WorkItem& item, const std::shared_ptr<WorkItem>& earlier) {
    item.after.push_back(earlier);
    item.waits_for.push_back(earlier->number);
}

void GridWork::queue(BlockWork& block, std::shared_ptr<WorkItem> item, WorkPlace* place) {
    std::lock_guard lock(mutex_);
    item->number = {block.block, block.queued++};
    if (place) {
        if (place->last) wait_for(*item, place->last);
        place->last = item;
    }
    block.items.push_back(std::move(item));
}

void GridWork::wait_event(BlockWork& block, WorkPlace& stream, const WorkPlace& event) {
    std::lock_guard lock(mutex_);
    if (!event.last) return;
    auto both = std::make_shared<WorkItem>();
    both->number = {block.block, block.queued++};
    wait_for(*both, event.last);
    if (stream.last) wait_for(*both, stream.last);
    stream.last = both;
    block.items.push_back(std::move(both));
}

void GridWork::record_event(WorkPlace& event, const WorkPlace& stream) {
    std::lock_guard lock(mutex_);
    event.last = stream.last;
}

bool GridWork::queue_tail(NestedLaunch tail, std::uint64_t most) {
    std::lock_guard lock(mutex_);
    if (tails_.size() >= most) return false;
    tails_.push_back(std::move(tail));
    return true;
}

void GridWork::run(BlockWork& block) {
    const auto items = std::exchange(block.items, {});
    for (const auto& item : items) perform(item);
}

/// The first thread to get here does it. All items wait only for earlier ones, so that there is no cycle.
void GridWork::perform(const std::shared_ptr<WorkItem>& item) {
    std::vector<std::shared_ptr<WorkItem>> after;
    {
        std::unique_lock lock(mutex_);
        if (item->state != WorkItem::State::waits) {
            ended_.wait(lock, [&] { return item->state == WorkItem::State::done; });
            return;
        }
        item->state = WorkItem::State::runs;
        after = std::exchange(item->after, {});
    }
    for (const auto& a : after) perform(a);
    timeline::Work work;
    if (!launch_.stop) work = run_item(*item);
    {
        std::lock_guard lock(mutex_);
        item->state = WorkItem::State::done;
        done_.push_back({item->number, std::move(item->waits_for), std::move(work)});
    }
    ended_.notify_all();
}

timeline::Work GridWork::run_item(WorkItem& item) {
    switch (item.kind) {
        case WorkItem::Kind::nothing:
            return {};
        case WorkItem::Kind::copy:
        case WorkItem::Kind::fill: {
            const bool fill = item.kind == WorkItem::Kind::fill;
            if (!move(item) || !request_.nested) return {};
            return request_.nested->moved(fill, item.rows.width * item.rows.height * item.rows.depth);
        }
        case WorkItem::Kind::grid:
            break;
    }
    std::string output;
    timeline::Work work;
    auto ok =
        engine_.launch_child(program_, {item.grid, std::move(item.parameters)}, request_, deadline_, output, work);
    if (!output.empty()) launch_.print(output);
    // The checkers already have its findings.
    if (!ok) launch_.fail_with(ok.error());
    return work;
}

/// Sorted by number, because host threads have done them in a different order each time.
std::vector<timeline::Work> GridWork::take_done() {
    std::sort(done_.begin(), done_.end(), [](const Done& a, const Done& b) { return a.number < b.number; });
    std::vector<timeline::Work> out;
    for (auto& done : done_) {
        // A block that queued into a stream after a later block's work has the lower number. The clock accepts only
        // earlier work, so such a wait is left out.
        for (const auto& number : done.waits_for) {
            const auto at = std::lower_bound(done_.begin(), done_.end(), number,
                                             [](const Done& d, const WorkNumber& n) { return d.number < n; });
            const auto index = static_cast<std::size_t>(at - done_.begin());
            if (index < out.size() && at->number == number)
                done.work.after.push_back(static_cast<std::uint32_t>(index));
        }
        out.push_back(std::move(done.work));
    }
    done_.clear();
    return out;
}

bool GridWork::move(const WorkItem& item) {
    const auto& r = item.rows;
    const bool fill = item.kind == WorkItem::Kind::fill;
    const auto allowed = [&](std::uint64_t address, bool store) {
        const auto a = launch_.find(address);
        return a && a->allows(address, r.width, store);
    };
    if (r.width == 0) return true;
    for (std::uint64_t z = 0; z < r.depth; ++z)
        for (std::uint64_t y = 0; y < r.height; ++y) {
            if (launch_.stop) return false;
            const auto to = r.to + z * r.to_slice + y * r.to_pitch, from = r.from + z * r.from_slice + y * r.from_pitch;
            if (!allowed(to, true) || (!fill && !allowed(from, false))) {
                launch_.fail({ErrorKind::fault,
                              std::string("a ") + (fill ? "fill" : "copy") + " of " + std::to_string(r.width) +
                                  " bytes that a kernel has queued goes beyond the memory that is allocated" +
                                  (fill ? "" : " and may be written"),
                              item.where, "", Cause::out_of_bounds});
                return false;
            }
            if (fill) {
                std::memset(reinterpret_cast<void*>(to), r.value, r.width);
                engine_.written(to, r.width);
            } else {
                std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), r.width);
                engine_.copied(to, from, r.width);
            }
        }
    return true;
}

}  // namespace warpwright::engine
