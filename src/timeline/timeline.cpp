// Events that happen at the same time keep the order in which they were made, so that every run is the same. The host's
// list is played as far as its work is known, and the simulation up to the host's clock, before which nothing can be
// added.
#include "timeline/timeline.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace warpwright::timeline {

/// A piece of work in the simulation.
struct Task {
    Work work;
    Mark mark;
    std::size_t stream = 0;
    int priority = 0;
    std::uint64_t issue = 0, place = 0;
    bool known = false;   ///< its kind and size are known
    bool played = false;  ///< the host has issued it
    bool ready = false;   ///< its engine may begin it
    Task* outer = nullptr;
    std::vector<std::unique_ptr<Task>> inner;
    std::size_t inner_left = 0;
    std::size_t waits = 1;    ///< the number of tasks for which it waits; the first is the host, or the outer part
    std::vector<Mark> after;  ///< what it waits for, until the host has issued it
    std::vector<Task*> next;  ///< tasks that wait for it
    std::size_t live = 0;     ///< its place among those that have not ended
    double begin = 0, seconds = 0;

    /// Makes it one that was never used, with the memory of its lists.
    void clear() {
        auto kept_after = std::move(after);
        auto kept_next = std::move(next);
        *this = Task();
        kept_after.clear(), kept_next.clear();
        after = std::move(kept_after), next = std::move(kept_next);
    }
};

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kFull = 1 + 1e-9;  // shares are sums of fractions

double share_of(const Work& work) { return work.kind == Kind::kernel ? std::clamp(work.share, 1e-6, 1.0) : 1; }

bool unplayed(const Mark& mark) { return mark && !mark->over && mark->task && !mark->task->played; }

}  // namespace

Mark twin_of(const Mark& mark) {
    if (!mark) return nullptr;
    if (!mark->twin) mark->twin = std::make_shared<Moment>();
    return mark->twin;
}

Work twin_of(Work work) {
    work.mark = twin_of(work.mark);
    for (Mark& mark : work.marks) mark = twin_of(mark);
    for (Work& inner : work.inner) inner = twin_of(std::move(inner));
    return work;
}

Timeline::Timeline(const Model& model, std::function<void(const Span&)> shown)
    : model_(model), shown_(std::move(shown)) {}

Timeline::~Timeline() = default;

std::size_t Timeline::add_stream(StreamKind kind, int priority, unsigned device) {
    const auto free = std::find_if(streams_.begin(), streams_.end(),
                                   [](const Stream& s) { return s.removed && (!s.last || s.last->over); });
    if (free != streams_.end()) {
        *free = {kind, priority, device};
        return static_cast<std::size_t>(free - streams_.begin());
    }
    streams_.push_back({kind, priority, device});
    return streams_.size() - 1;
}

void Timeline::remove_stream(std::size_t stream) { streams_[stream].removed = true; }

void Timeline::wait_for_earlier(std::size_t stream, std::vector<Mark>& after) const {
    const Stream& mine = streams_[stream];
    const auto add = [&](const Mark& mark) {
        if (mark && !mark->over) after.push_back(mark);
    };
    add(mine.last);
    if (mine.kind != StreamKind::independent && mine.device < legacy_last_.size() &&
        legacy_last_[mine.device] != mine.last)
        add(legacy_last_[mine.device]);
    if (mine.kind == StreamKind::legacy_default)
        for (const Stream& other : streams_)
            if (other.kind == StreamKind::blocking && other.device == mine.device) add(other.last);
}

std::unique_ptr<Task> Timeline::fresh() {
    if (spare_.empty()) return std::make_unique<Task>();
    auto task = std::move(spare_.back());
    spare_.pop_back();
    return task;
}

Mark Timeline::issue(std::size_t stream, std::vector<Mark> after, Call call) {
    Command command;
    command.task = fresh();
    command.mark = command.task->mark = std::make_shared<Moment>();
    command.mark->task = command.task.get();
    command.call = call;
    Task& task = *command.task;
    task.after.insert(task.after.end(), std::make_move_iterator(after.begin()), std::make_move_iterator(after.end()));
    wait_for_earlier(stream, task.after);
    task.stream = stream;
    task.priority = streams_[stream].priority;
    task.issue = ++issues_;
    streams_[stream].last = command.mark;
    if (streams_[stream].kind == StreamKind::legacy_default) {
        const auto device = streams_[stream].device;
        legacy_last_.resize(std::max<std::size_t>(legacy_last_.size(), device + 1));
        legacy_last_[device] = command.mark;
    }
    Mark mark = command.mark;
    push(std::move(command));
    return mark;
}

void Timeline::give(const Mark& mark, Work work) {
    if (!mark || !mark->task || mark->task->known) return;
    mark->task->work = std::move(work);
    mark->task->known = true;
    play();
}

Mark Timeline::issue_known(std::size_t stream, Work work, std::vector<Mark> after, Call call) {
    Mark mark = issue(stream, std::move(after), call);
    give(mark, std::move(work));
    return mark;
}

void Timeline::wait(const Mark& mark) {
    if (!mark) return;
    push({mark, nullptr});
    play();
}

void Timeline::pass(double seconds) {
    if (!(seconds > 0)) return;
    push({nullptr, nullptr, Call::free, seconds});
    play();
}

/// The time that it takes the host in any case.
double Timeline::least_of(const Command& command) const {
    return command.call == Call::takes_time ? std::min(model_.call, model_.copy_call) : command.busy;
}

void Timeline::push(Command command) {
    pending_ += least_of(command);
    commands_.push_back(std::move(command));
}

void Timeline::finish() {
    overtake();
    while (step(kNever)) {
    }
    host_ = std::max(host_, now_);
}

/// Plays the host's list from the front on, until something is not known; then everything before the host's clock,
/// which later events cannot change.
void Timeline::play() {
    while (!commands_.empty()) {
        if (commands_.front().task && !commands_.front().task->known) break;
        Command command = std::move(commands_.front());
        commands_.pop_front();
        pending_ = commands_.empty() ? 0 : pending_ - least_of(command);
        (void)play_one(command, false);
    }
    while (step(host_)) {
    }
}

void Timeline::overtake() {
    std::deque<Command> left;
    for (auto& command : std::exchange(commands_, {}))
        if (!play_one(command, true)) left.push_back(std::move(command));
    commands_ = std::move(left);
    pending_ = 0;
    for (const auto& command : commands_) pending_ += least_of(command);
    play();
}

/// False if it has to stay in the list.
bool Timeline::play_one(Command& command, bool overtaking) {
    if (!command.task && !command.mark) {
        host_ += command.busy;
        return true;
    }
    if (!command.task) {
        if (overtaking && unplayed(command.mark)) return false;
        await(command.mark);
        return true;
    }
    const auto& after = command.task->after;
    if (overtaking && (!command.task->known || std::any_of(after.begin(), after.end(), unplayed))) return false;
    begin(command);
    return true;
}

void Timeline::await(const Mark& mark) {
    while (!mark->over && step(kNever)) {
    }
    if (mark->over) host_ = std::max(host_, mark->end);
}

void Timeline::begin(Command& command) {
    Task& task = *command.task;
    const bool host_takes_part = task.work.pageable || task.work.kind == Kind::on_host;
    if (command.call == Call::takes_time) host_ += model_.call_of(task.work);
    std::uint64_t place = 0;
    adopt(task, place);
    for (const Mark& mark : task.after) depend(task, mark);
    task.after.clear();
    task.live = live_.size();
    live_.push_back(std::move(command.task));
    events_.push({host_, ++event_count_, &task, false});
    if (host_takes_part) await(command.mark);
}

/// Makes tasks of its inner work, and records what each waits for.
void Timeline::adopt(Task& task, std::uint64_t& place) {
    task.played = true;
    task.place = place++;
    task.seconds = model_.seconds(task.work);
    if (task.work.mark) task.work.mark->task = &task;
    for (const Mark& mark : task.work.marks) depend(task, mark);
    if (model_.hardware_queues <= 1)
        for (Engine* engine : engines_of(task.work)) engine->queued.emplace(IssueOrder{task.issue, task.place}, &task);
    for (Work& work : task.work.inner) {
        auto inner = std::make_unique<Task>();
        inner->work = std::move(work);
        inner->stream = task.stream, inner->priority = task.priority, inner->issue = task.issue;
        inner->outer = &task;
        adopt(*inner, place);
        for (const std::uint32_t index : inner->work.after)
            if (index < task.inner.size()) {
                ++inner->waits;
                task.inner[index]->next.push_back(inner.get());
            }
        task.inner.push_back(std::move(inner));
    }
    task.inner_left = task.inner.size();
    task.work.inner.clear();
}

void Timeline::depend(Task& task, const Mark& mark) {
    if (!mark || mark->over || !mark->task) return;
    ++task.waits;
    mark->task->next.push_back(&task);
}

/// Does all that happens at the next moment; false if that is not before the limit.
bool Timeline::step(double limit) {
    drain();
    if (events_.empty() || !(events_.top().at < limit)) return false;
    now_ = events_.top().at;
    while (!events_.empty() && events_.top().at <= now_) {
        const Event event = events_.top();
        events_.pop();
        if (!event.ends) {
            released(*event.task);
            continue;
        }
        for (Engine* engine : engines_of(event.task->work))
            engine->busy = std::max(0.0, engine->busy - share_of(event.task->work)), stirred_ = true;
        own_part_over(*event.task);
    }
    drain();
    return true;
}

void Timeline::drain() {
    while (!ready_.empty()) {
        Task* task = ready_.front();
        ready_.pop_front();
        enter(*task);
    }
    while (std::exchange(stirred_, false))
        for (Device& d : devices_)
            for (Engine* engine : {&d.up, &d.down, &d.multiprocessors, &d.sends, &d.receives})
                if (!engine->ready.empty()) stirred_ |= dispatch(*engine);
    constexpr std::size_t kMostSpare = 64;
    for (auto& task : gone_)
        if (spare_.size() < kMostSpare) {
            task->clear();
            spare_.push_back(std::move(task));
        }
    gone_.clear();
}

void Timeline::released(Task& task) {
    if (--task.waits == 0) ready_.push_back(&task);
}

void Timeline::enter(Task& task) {
    task.begin = now_;
    auto engines = engines_of(task.work);
    for (Engine* engine : engines) {
        task.ready = stirred_ = true;
        engine->ready.emplace(std::pair{task.priority, IssueOrder{task.issue, task.place}}, &task);
    }
    if (task.ready) return;
    if (task.seconds > 0) {
        events_.push({now_ + task.seconds, ++event_count_, &task, true});
    } else {
        own_part_over(task);
    }
}

/// The work that is next there; nullptr: none is ready.
Task* Timeline::next_of(Engine& engine) {
    if (engine.ready.empty()) return nullptr;
    Task* task = engine.queued.empty() ? engine.ready.begin()->second : engine.queued.begin()->second;
    return task->ready ? task : nullptr;
}

/// Whether all its engines have room for it, and it is next in each.
bool Timeline::may_begin(Task& task) {
    const double share = share_of(task.work);
    for (Engine* engine : engines_of(task.work))
        if (next_of(*engine) != &task || engine->busy + share > kFull) return false;
    return true;
}

/// Whether anything has begun.
bool Timeline::dispatch(Engine& engine) {
    bool any = false;
    for (Task* task = next_of(engine); task && may_begin(*task); task = next_of(engine)) {
        const IssueOrder place{task->issue, task->place};
        for (Engine* each : engines_of(task->work)) {
            each->ready.erase({task->priority, place});
            each->queued.erase(place);
            each->busy += share_of(task->work);
        }
        task->begin = now_;
        events_.push({now_ + task->seconds, ++event_count_, task, true});
        any = true;
    }
    return any;
}

void Timeline::own_part_over(Task& task) {
    if (task.inner.empty()) return over(task);
    for (const auto& inner : task.inner) released(*inner);
}

void Timeline::over(Task& task) {
    for (const Mark* mark : {&task.mark, &task.work.mark})
        if (*mark) (*mark)->over = true, (*mark)->end = now_, (*mark)->task = nullptr;
    for (Task* next : task.next) released(*next);
    task.next.clear();
    if (task.outer) {
        if (--task.outer->inner_left == 0) over(*task.outer);
        return;
    }
    show(task);
    gone_.push_back(std::move(live_[task.live]));
    if (live_.back()) {
        live_.back()->live = task.live;
        live_[task.live] = std::move(live_.back());
    }
    live_.pop_back();
}

void Timeline::show(const Task& task) {
    if (!shown_) return;
    if (task.work.kind != Kind::none) shown_({task.work.kind, task.work.tag, task.stream, task.begin, task.seconds});
    for (const auto& inner : task.inner) show(*inner);
}

Timeline::Device& Timeline::device_at(unsigned number) {
    while (devices_.size() <= number) devices_.emplace_back();
    return devices_[number];
}

Timeline::Engines Timeline::engines_of(const Work& work) {
    // (A reference stays when the list grows at its end.)
    Device& own = device_at(work.device);
    switch (work.kind) {
        case Kind::kernel:
        case Kind::on_device:
        case Kind::fill:
            return {{&own.multiprocessors}};
        case Kind::to_device:
            return {{&own.up}};
        case Kind::to_host:
            return {{model_.copy_engines < 2 ? &own.up : &own.down}};
        case Kind::between: {
            Device& other = device_at(work.to);
            if (model_.own_links && !work.staged) return {{&own.sends, &other.receives}};
            return {{model_.copy_engines < 2 ? &own.up : &own.down, &other.up}};
        }
        case Kind::none:
        case Kind::on_host:
            break;
    }
    return {};
}

}  // namespace warpwright::timeline
