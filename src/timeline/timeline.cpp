#include "timeline/timeline.hpp"

#include <algorithm>
#include <limits>

namespace warpwright::timeline {

/// A piece of work in the simulation.
struct Item {
    Work work;
    Mark mark;
    std::size_t stream = 0;
    int priority = 0;
    std::uint64_t issue = 0, place = 0;
    bool known = false;   ///< its kind and size are known
    bool played = false;  ///< the host has issued it
    bool ready = false;   ///< its engine may begin it
    Item* outer = nullptr;
    std::vector<std::unique_ptr<Item>> inner;
    std::size_t inner_left = 0;
    std::size_t waits = 1;    ///< the number of items for which it waits; the first is the host, or the outer part
    std::vector<Item*> next;  ///< items that wait for it
    double begin = 0, seconds = 0;
};

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kFull = 1 + 1e-9;  // shares are sums of fractions

double share_of(const Work& work) { return work.kind == Kind::kernel ? std::clamp(work.share, 1e-6, 1.0) : 1; }

bool unplayed(const Mark& mark) { return mark && !mark->over && mark->item && !mark->item->played; }

}  // namespace

Timeline::Timeline(const Model& model, std::function<void(const Span&)> shown)
    : model_(model), shown_(std::move(shown)) {}

Timeline::~Timeline() = default;

std::size_t Timeline::add_stream(StreamKind kind, int priority) {
    const auto free = std::find_if(streams_.begin(), streams_.end(),
                                   [](const Stream& s) { return s.removed && (!s.last || s.last->over); });
    if (free != streams_.end()) {
        *free = {kind, priority};
        return static_cast<std::size_t>(free - streams_.begin());
    }
    streams_.push_back({kind, priority});
    return streams_.size() - 1;
}

void Timeline::remove_stream(std::size_t stream) { streams_[stream].removed = true; }

std::vector<Mark> Timeline::waits_of(std::size_t stream, std::vector<Mark> after) {
    const Stream& mine = streams_[stream];
    const auto add = [&](const Mark& mark) {
        if (mark && !mark->over) after.push_back(mark);
    };
    add(mine.last);
    if (mine.kind != StreamKind::independent) add(legacy_last_);
    if (mine.kind == StreamKind::legacy_default)
        for (const Stream& other : streams_)
            if (other.kind == StreamKind::blocking) add(other.last);
    return after;
}

Mark Timeline::issue(std::size_t stream, std::vector<Mark> after, Call call) {
    Command command;
    command.item = std::make_unique<Item>();
    command.mark = command.item->mark = std::make_shared<Placed>();
    command.mark->item = command.item.get();
    command.after = waits_of(stream, std::move(after));
    command.call = call;
    Item& item = *command.item;
    item.stream = stream;
    item.priority = streams_[stream].priority;
    item.issue = ++issues_;
    streams_[stream].last = command.mark;
    if (streams_[stream].kind == StreamKind::legacy_default) legacy_last_ = command.mark;
    Mark mark = command.mark;
    commands_.push_back(std::move(command));
    return mark;
}

void Timeline::give(const Mark& mark, Work work) {
    if (!mark || !mark->item || mark->item->known) return;
    mark->item->work = std::move(work);
    mark->item->known = true;
    play();
}

Mark Timeline::issue_known(std::size_t stream, Work work, std::vector<Mark> after, Call call) {
    Mark mark = issue(stream, std::move(after), call);
    give(mark, std::move(work));
    return mark;
}

void Timeline::wait(const Mark& mark) {
    if (!mark) return;
    commands_.push_back({mark, nullptr, {}});
    play();
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
        if (commands_.front().item && !commands_.front().item->known) break;
        Command command = std::move(commands_.front());
        commands_.pop_front();
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
    play();
}

/// False if it has to stay in the list.
bool Timeline::play_one(Command& command, bool overtaking) {
    if (!command.item) {
        if (overtaking && unplayed(command.mark)) return false;
        await(command.mark);
        return true;
    }
    if (overtaking && (!command.item->known || std::any_of(command.after.begin(), command.after.end(), unplayed)))
        return false;
    begin(command);
    return true;
}

void Timeline::await(const Mark& mark) {
    while (!mark->over && step(kNever)) {
    }
    if (mark->over) host_ = std::max(host_, mark->end);
}

void Timeline::begin(Command& command) {
    Item& item = *command.item;
    const bool host_takes_part = item.work.pageable || item.work.kind == Kind::on_host;
    if (command.call == Call::takes_time) host_ += model_.call_of(item.work);
    std::uint64_t place = 0;
    adopt(item, place);
    for (const Mark& mark : command.after) depend(item, mark);
    live_.emplace(&item, std::move(command.item));
    happenings_.push({host_, ++happened_, &item, false});
    if (host_takes_part) await(command.mark);
}

/// Makes items of its inner work, and records what each waits for.
void Timeline::adopt(Item& item, std::uint64_t& place) {
    item.played = true;
    item.place = place++;
    item.seconds = model_.seconds(item.work);
    if (item.work.mark) item.work.mark->item = &item;
    for (const Mark& mark : item.work.marks) depend(item, mark);
    if (Engine* engine = engine_of(item.work.kind); engine && model_.hardware_queues <= 1)
        engine->queued.emplace(Place{item.issue, item.place}, &item);
    for (Work& work : item.work.inner) {
        auto inner = std::make_unique<Item>();
        inner->work = std::move(work);
        inner->stream = item.stream, inner->priority = item.priority, inner->issue = item.issue;
        inner->outer = &item;
        adopt(*inner, place);
        for (const std::uint32_t index : inner->work.after)
            if (index < item.inner.size()) {
                ++inner->waits;
                item.inner[index]->next.push_back(inner.get());
            }
        item.inner.push_back(std::move(inner));
    }
    item.inner_left = item.inner.size();
    item.work.inner.clear();
}

void Timeline::depend(Item& item, const Mark& mark) {
    if (!mark || mark->over || !mark->item) return;
    ++item.waits;
    mark->item->next.push_back(&item);
}

/// Does all that happens at the next moment; false if that is not before the limit.
bool Timeline::step(double limit) {
    drain();
    if (happenings_.empty() || !(happenings_.top().at < limit)) return false;
    now_ = happenings_.top().at;
    while (!happenings_.empty() && happenings_.top().at <= now_) {
        const Happening h = happenings_.top();
        happenings_.pop();
        if (!h.ends) {
            released(*h.item);
            continue;
        }
        Engine* engine = engine_of(h.item->work.kind);
        if (engine) engine->busy = std::max(0.0, engine->busy - share_of(h.item->work));
        own_part_over(*h.item);
    }
    drain();
    return true;
}

void Timeline::drain() {
    while (!ready_.empty()) {
        Item* item = ready_.front();
        ready_.pop_front();
        enter(*item);
    }
    for (Engine* engine : {&up_, &down_, &multiprocessors_}) dispatch(*engine);
    gone_.clear();
}

void Timeline::released(Item& item) {
    if (--item.waits == 0) ready_.push_back(&item);
}

void Timeline::enter(Item& item) {
    item.begin = now_;
    if (Engine* engine = engine_of(item.work.kind)) {
        item.ready = true;
        engine->ready.emplace(std::pair{item.priority, Place{item.issue, item.place}}, &item);
    } else if (item.seconds > 0) {
        happenings_.push({now_ + item.seconds, ++happened_, &item, true});
    } else {
        own_part_over(item);
    }
}

void Timeline::dispatch(Engine& engine) {
    while (!engine.ready.empty()) {
        Item* item = engine.ready.begin()->second;
        if (!engine.queued.empty()) item = engine.queued.begin()->second;
        if (!item->ready) return;
        const double share = share_of(item->work);
        if (engine.busy + share > kFull) return;
        const Place place{item->issue, item->place};
        engine.ready.erase({item->priority, place});
        engine.queued.erase(place);
        engine.busy += share;
        item->begin = now_;
        happenings_.push({now_ + item->seconds, ++happened_, item, true});
    }
}

void Timeline::own_part_over(Item& item) {
    if (item.inner.empty()) return over(item);
    for (const auto& inner : item.inner) released(*inner);
}

void Timeline::over(Item& item) {
    for (const Mark* mark : {&item.mark, &item.work.mark})
        if (*mark) (*mark)->over = true, (*mark)->end = now_, (*mark)->item = nullptr;
    for (Item* next : item.next) released(*next);
    item.next.clear();
    if (item.outer) {
        if (--item.outer->inner_left == 0) over(*item.outer);
        return;
    }
    show(item);
    auto whole = live_.extract(&item);
    gone_.push_back(std::move(whole.mapped()));
}

void Timeline::show(const Item& item) {
    if (!shown_) return;
    if (item.work.kind != Kind::none) shown_({item.work.kind, item.work.tag, item.stream, item.begin, item.seconds});
    for (const auto& inner : item.inner) show(*inner);
}

Timeline::Engine* Timeline::engine_of(Kind kind) {
    switch (kind) {
        case Kind::kernel:
        case Kind::on_device:
        case Kind::fill:
            return &multiprocessors_;
        case Kind::to_device:
            return &up_;
        case Kind::to_host:
            return model_.copy_engines < 2 ? &up_ : &down_;
        case Kind::none:
        case Kind::on_host:
            break;
    }
    return nullptr;
}

}  // namespace warpwright::timeline
