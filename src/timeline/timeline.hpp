// The one clock of a modelled device: when work that is queued in streams begins and ends on its copy engines and
// multiprocessors, and how far the host has advanced. `run`, the laboratory's streams, graphs and kernels that launch
// kernels all have their times from here. Every one of them is a prediction.
//
// The timeline is a simulation of discrete events. It receives the host's actions in the host's order: the host issues
// work, or waits. The size of a piece of work may become known later, from any thread: that changes nothing, because
// the host's list is played in its own order and waits for unknown work. Nothing here depends on how fast or in which
// order the real work was done.
//
// The rules:
// - A stream's work runs in order; the legacy default stream and the blocking ones wait for each other (StreamKind).
// - The host's clock advances by Model::call_of with each piece of work, and to the end of the work it waits for.
//   A copy from or to pageable memory keeps the host until its end.
// - Work begins when all it waits for has ended and its engine has room: a copy engine has room for one copy at a time,
//   the multiprocessors for kernels whose shares add up to at most one. Of the work that is ready the stream of higher
//   priority comes first, then what was issued first; nothing overtakes the one that is next.
// - A copy between two devices begins when both its engines have room and it is next in both.
// - With one hardware queue (before compute capability 3.5) each engine takes its work strictly in the order of issue.
// - Inner work (a graph's nodes, grids that a kernel launches) begins when the outer part has ended, and the whole
//   ends when all of it has.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <vector>

#include "timeline/model.hpp"
#include "timeline/work.hpp"

namespace warpwright::timeline {

struct Task;

/// A moment that becomes known: see Mark.
struct Moment {
    bool over = false;
    double end = 0;        ///< seconds, once over
    Task* task = nullptr;  ///< the timeline's own, until it is over
    Mark twin = nullptr;   ///< the same moment on a second clock (twin_of); null: there is none
};

/// The same moment on a second clock, made where there is none yet. Null stays null.
Mark twin_of(const Mark& mark);
/// The work as a second clock has it: with the twins of its marks.
Work twin_of(Work work);

class Timeline {
public:
    /// `shown` is called for every piece of work that is not Kind::none: when the whole of which it is a part has
    /// ended, in the order of those ends, an outer part before its inner ones.
    explicit Timeline(const Model& model, std::function<void(const Span&)> shown = {});
    ~Timeline();
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;
    const Model& model() const { return model_; }

    /// A stream's number. `priority` as in CUDA: the lower number goes first.
    /// `device`: of several. The streams of each have a legacy default stream of their own.
    std::size_t add_stream(StreamKind kind, int priority = 0, unsigned device = 0);
    /// No more work comes in it; its present work continues. Its number may be reused after that.
    void remove_stream(std::size_t stream);

    enum class Call : std::uint8_t { free, takes_time };
    /// The host queues work whose size is not known yet: give() supplies it. `after`: what it waits for in addition to
    /// its stream's earlier work.
    Mark issue(std::size_t stream, std::vector<Mark> after = {}, Call call = Call::takes_time);
    void give(const Mark& mark, Work work);
    /// The same for work that is known.
    Mark issue_known(std::size_t stream, Work work, std::vector<Mark> after = {}, Call call = Call::takes_time);
    /// A point of the stream: it ends when all earlier work in it has. Costs the host no time.
    Mark mark(std::size_t stream) { return issue_known(stream, {}, {}, Call::free); }
    /// The stream's later work waits for it. Costs the host no time.
    void hold(std::size_t stream, const Mark& until) { issue_known(stream, {}, {until}, Call::free); }

    /// The host is busy with something of its own for so long. Without this, what it does between its calls takes no
    /// time.
    void pass(double seconds);
    /// The host waits for the end of this.
    void wait(const Mark& mark);
    /// Its end, in seconds. Absent if that is not known: the host has not waited for it, or has issued unknown work
    /// before it.
    static std::optional<double> end(const Mark& mark) {
        return mark && mark->over ? std::optional(mark->end) : std::nullopt;
    }
    /// Continues without unknown work, which is then placed when it becomes known. For a time that is asked for while
    /// earlier work does not end.
    void overtake();
    /// The host waits for everything.
    void finish();
    /// The host's clock, in seconds.
    double host() const { return host_; }
    /// The same, with what the host has done since the first work whose size is not known yet: it is not earlier than
    /// that.
    double host_at_least() const { return host_ + pending_; }

private:
    using IssueOrder =
        std::pair<std::uint64_t, std::uint64_t>;  ///< number of its issue, position within what was issued
    struct Stream {
        StreamKind kind;
        int priority;
        unsigned device = 0;
        bool removed = false;
        Mark last = nullptr;
    };
    /// One action of the host: it issues the task, or (null) waits for the mark, or (both null) is busy itself.
    struct Command {
        Mark mark;
        std::unique_ptr<Task> task;
        Call call = Call::free;
        double busy = 0;  ///< seconds
    };
    /// An engine, which one copy at a time, or kernels that share it, keep busy.
    struct Engine {
        std::map<std::pair<int, IssueOrder>, Task*> ready;  ///< by priority
        std::map<IssueOrder, Task*> queued;                 ///< with one hardware queue: all work that has not begun
        double busy = 0;                                    ///< sum of the running shares
    };
    /// The engines of one device. Between devices, with links of their own, it sends and receives.
    struct Device {
        Engine up, down, multiprocessors, sends, receives;
    };
    /// What a task keeps busy: nothing, an engine, or two.
    struct Engines {
        Engine* all[2] = {nullptr, nullptr};
        Engine** begin() { return all; }
        Engine** end() { return all + (all[0] ? 1 : 0) + (all[1] ? 1 : 0); }
    };
    /// A task's own part ends, or the host reaches it.
    struct Event {
        double at;
        std::uint64_t number;
        Task* task;
        bool ends;
        bool operator>(const Event& o) const { return std::tie(at, number) > std::tie(o.at, o.number); }
    };

    void wait_for_earlier(std::size_t stream, std::vector<Mark>& after) const;
    std::unique_ptr<Task> fresh();
    double least_of(const Command& command) const;
    void push(Command command);
    void play();
    bool play_one(Command& command, bool overtaking);
    void begin(Command& command);
    void await(const Mark& mark);
    void adopt(Task& task, std::uint64_t& place);
    void depend(Task& task, const Mark& mark);
    bool step(double limit);
    void drain();
    void released(Task& task);
    void enter(Task& task);
    bool dispatch(Engine& engine);
    static Task* next_of(Engine& engine);
    bool may_begin(Task& task);
    void own_part_over(Task& task);
    void over(Task& task);
    void show(const Task& task);
    Device& device_at(unsigned number);
    Engines engines_of(const Work& work);

    Model model_;
    std::function<void(const Span&)> shown_;
    std::vector<Stream> streams_;
    std::vector<Mark> legacy_last_;  ///< by device
    std::deque<Command> commands_;
    std::vector<std::unique_ptr<Task>> live_;   ///< issued and not ended, without inner ones, in any order
    std::vector<std::unique_ptr<Task>> gone_;   ///< ended in this step
    std::vector<std::unique_ptr<Task>> spare_;  ///< for work to come: most programs issue as much as ends
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::deque<Task*> ready_;     ///< those that wait for nothing more
    std::deque<Device> devices_;  ///< made when work first names them
    bool stirred_ = false;        ///< an engine may have room, or work, that it had not when it was last looked at
    double host_ = 0, now_ = 0, pending_ = 0;
    std::uint64_t issues_ = 0, event_count_ = 0;
};

}  // namespace warpwright::timeline
