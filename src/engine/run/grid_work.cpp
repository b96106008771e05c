#include "engine/run/grid_work.hpp"

#include <algorithm>
#include <cstring>

#include "engine/run/executor.hpp"

namespace warpwright::engine {

namespace {

constexpr std::uint64_t kHandles = 0x7ffc'0000'0000'0000ull;
constexpr unsigned kGridShift = 24;

}  // namespace

BlockWork::~BlockWork() {
    // A long chain must not go link by link, each from within the one before.
    for (auto& item : items) item->after.clear();
}

std::uint64_t GridWork::make(bool event) {
    std::lock_guard lock(mutex_);
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

void GridWork::queue(BlockWork& block, std::shared_ptr<WorkItem> item, WorkPlace* place) {
    std::lock_guard lock(mutex_);
    if (place) {
        if (place->last) item->after.push_back(place->last);
        place->last = item;
    }
    block.items.push_back(std::move(item));
}

void GridWork::wait_event(BlockWork& block, WorkPlace& stream, const WorkPlace& event) {
    std::lock_guard lock(mutex_);
    if (!event.last) return;
    auto both = std::make_shared<WorkItem>();
    both->after.push_back(event.last);
    if (stream.last) both->after.push_back(stream.last);
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

/// Whoever comes first does it. All wait only for what was queued before, so that there is no circle.
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
    double begin = 0, area = 0;
    for (const auto& a : after) {
        perform(a);
        begin = std::max(begin, a->end);
    }
    const double end = launch_.stop ? begin : run_item(*item, begin, area);
    {
        std::lock_guard lock(mutex_);
        item->state = WorkItem::State::done;
        item->end = end;
        last_ = std::max(last_, end), area_ += area;
    }
    ended_.notify_all();
}

double GridWork::run_item(WorkItem& item, double begin, double& area) {
    switch (item.kind) {
        case WorkItem::Kind::nothing:
            return begin;
        case WorkItem::Kind::copy:
        case WorkItem::Kind::fill: {
            const bool fill = item.kind == WorkItem::Kind::fill;
            if (!move(item.rows, fill)) return begin;
            const auto bytes = item.rows.width * item.rows.height * item.rows.depth;
            const double seconds = request_.nested ? request_.nested->moved(fill, bytes, request_.id, begin) : 0;
            area += seconds;
            return begin + seconds;
        }
        case WorkItem::Kind::grid:
            break;
    }
    std::string output;
    auto ok = engine_.launch_child(program_, {item.grid, std::move(item.parameters)}, request_, output, begin, area);
    if (!output.empty()) {
        std::lock_guard lock(launch_.mutex);
        launch_.output += output;
    }
    // What has gone wrong there is known to the checkers already.
    if (!ok) launch_.fail_with(ok.error());
    return begin;
}

bool GridWork::move(const Rows& r, bool fill) {
    auto& memory = engine_.memory();
    const auto covered = [&](std::uint64_t address) {
        const auto a = memory.find(address);
        return a && address + r.width <= a->address + a->bytes;
    };
    if (r.width == 0) return true;
    for (std::uint64_t z = 0; z < r.depth; ++z)
        for (std::uint64_t y = 0; y < r.height; ++y) {
            const auto to = r.to + z * r.to_slice + y * r.to_pitch, from = r.from + z * r.from_slice + y * r.from_pitch;
            if (!covered(to) || (!fill && !covered(from))) {
                launch_.fail({ErrorKind::fault,
                              std::string("a ") + (fill ? "fill" : "copy") +
                                  " that a kernel has queued leaves the memory that is allocated",
                              location(program_.module, nullptr), ""});
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

ParameterBlock::~ParameterBlock() {
    if (!at_) return;
    std::lock_guard lock(engine_->parameters_mutex_);
    engine_->parameters_.push_back(at_);
}

/// Parameters lie in device memory, so that their address may be taken; zeros follow them. A block for them is nothing
/// else ever after: no stale pointer of a program points at it.
Result<ParameterBlock> Engine::take_parameters() {
    std::uint64_t at = 0;
    {
        std::lock_guard lock(parameters_mutex_);
        if (!parameters_.empty()) {
            at = parameters_.back();
            parameters_.pop_back();
        }
    }
    if (!at) {
        auto fresh = memory_->allocate(ParameterBlock::kBytes);
        if (!fresh) return fresh.error();
        at = *fresh;
    } else if (shadow_) {
        shadow_->forget(at, ParameterBlock::kBytes);  // another block of the same launch may have had it
    }
    written(at, ParameterBlock::kBytes);
    std::memset(reinterpret_cast<void*>(at), 0, ParameterBlock::kBytes);
    return ParameterBlock(*this, at);
}

Result<std::uint64_t> Engine::text(const std::string& text) {
    std::lock_guard lock(texts_mutex_);
    if (const auto found = texts_.find(text); found != texts_.end()) return found->second;
    auto at = memory_->allocate(text.size() + 1);
    if (!at) return at;
    std::memcpy(reinterpret_cast<void*>(*at), text.c_str(), text.size() + 1);
    written(*at, text.size() + 1);
    texts_[text] = *at;
    return at;
}

Result<void> Engine::launch_child(Program& program, NestedLaunch child, const LaunchRequest& by, std::string& output,
                                  double& at, double& area) {
    std::vector<NestedLaunch> one;
    one.push_back(std::move(child));
    return launch_tails(program, std::move(one), by, output, at, area);
}

Result<void> Engine::launch_tails(Program& program, std::vector<NestedLaunch> tails, const LaunchRequest& by,
                                  std::string& output, double& at, double& area) {
    // What a grid launches as its tail comes before what stands behind that grid.
    std::reverse(tails.begin(), tails.end());
    while (!tails.empty()) {
        auto next = std::move(tails.back());
        tails.pop_back();
        auto& g = next.grid;
        LaunchRequest r;
        for (int k = 0; k < 3; ++k) r.grid[k] = g.grid[k], r.block[k] = g.block[k], r.cluster[k] = g.cluster[k];
        r.explicit_cluster = g.explicit_cluster;
        r.dynamic_shared = g.dynamic_shared;
        r.counters = by.counters, r.per_line = by.per_line, r.timeout = by.timeout;
        r.nested = by.nested;
        r.id = g.id, r.depth = g.depth;
        g.begin = at;
        std::vector<NestedLaunch> more;
        std::string printed;
        r.output = &printed;
        auto reply = launch_one(program, g.kernel, r, std::move(next.parameters), more);
        output += printed;
        if (!reply) return reply.error();
        const auto time = by.nested ? by.nested->ended(g, *reply) : ChildTime{};
        at += time.seconds + reply->nested_seconds;
        area += time.seconds * time.share + reply->nested_area;
        // A tail is its grid's successor: it lies no deeper, and in the same parent.
        for (auto& m : more) m.grid.parent = g.parent;
        for (auto m = more.rbegin(); m != more.rend(); ++m) tails.push_back(std::move(*m));
    }
    return {};
}

void StepGate::enter() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !closed_; });
    ++inside_;
}

void StepGate::leave() {
    std::lock_guard lock(mutex_);
    if (--inside_ == 0 && closed_) changed_.notify_all();
}

void StepGate::alone(const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    closed_ = true;
    changed_.wait(lock, [&] { return inside_ == 0; });
    work();
    closed_ = false;
    changed_.notify_all();
}

}  // namespace warpwright::engine
