#include "cudart/stream/stream.hpp"

#include <algorithm>

#include "cudart/observe/recorder.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cudart {

namespace {
constexpr auto kNone = ~std::size_t{0};
}

Scheduler& Scheduler::get() {
    static auto* scheduler = new Scheduler;
    return *scheduler;
}

timeline::Timeline& Scheduler::line() {
    if (!line_)
        line_ = std::make_unique<timeline::Timeline>(
            timeline::model_of(Runtime::get().model()),
            [this](const timeline::Span& span) { Recorder::get().show(span, shown_as_[span.stream]); });
    return *line_;
}

const timeline::Model& Scheduler::model() {
    std::lock_guard lock(mutex_);
    return line().model();
}

std::shared_ptr<Stream> Scheduler::make(unsigned flags, int priority, bool legacy) {
    auto stream = std::make_shared<Stream>();
    stream->id = next_id_++;
    stream->flags = flags;
    stream->priority = priority;
    stream->legacy = legacy;
    stream->line = line().add_stream(legacy               ? timeline::StreamKind::legacy_default
                                     : stream->blocking() ? timeline::StreamKind::blocking
                                                          : timeline::StreamKind::independent,
                                     priority);
    shown_as_.resize(std::max(shown_as_.size(), stream->line + 1));
    shown_as_[stream->line] = stream->id;
    return stream;
}

std::shared_ptr<Stream> Scheduler::legacy() {
    std::lock_guard lock(mutex_);
    if (!legacy_) legacy_ = make(0, 0, true);
    return legacy_;
}

std::shared_ptr<Stream> Scheduler::find(cudaStream_t handle) {
    if (handle == nullptr && thread_state().per_thread_stream) handle = cudaStreamPerThread;
    if (handle == nullptr || handle == cudaStreamLegacy) return legacy();
    std::lock_guard lock(mutex_);
    if (handle == cudaStreamPerThread) {
        // A number, not an owning pointer: exit handlers run after the thread's objects are destroyed.
        thread_local std::size_t own = kNone;
        if (own == kNone) {
            own = of_threads_.size();
            of_threads_.push_back(make(0, 0));
        }
        return of_threads_[own];
    }
    auto found = streams_.find(handle);
    return found == streams_.end() ? nullptr : found->second;
}

cudaStream_t Scheduler::create(unsigned flags, int priority) {
    std::lock_guard lock(mutex_);
    auto stream = make(flags, priority);
    auto handle = reinterpret_cast<cudaStream_t>(stream.get());
    streams_[handle] = std::move(stream);
    return handle;
}

bool Scheduler::destroy(cudaStream_t handle) {
    std::shared_ptr<Stream> stream;
    {
        std::lock_guard lock(mutex_);
        auto found = streams_.find(handle);
        if (found == streams_.end()) return false;
        stream = found->second;
        streams_.erase(found);
        std::erase_if(leaving_, [](const auto& gone) { return gone.expired(); });
        leaving_.push_back(stream);
        line().remove_stream(stream->line);
        // Queued work is completed; then the thread ends.
        stream->leaving = true;
        if (stream->worker.joinable()) stream->worker.detach();
    }
    changed_.notify_all();
    return true;
}

bool Scheduler::ready(const Task& task) const {
    return std::all_of(task.after.begin(), task.after.end(),
                       [](const Ticket& t) { return t.stream->done >= t.number; });
}

/// The order of the legacy default stream and the blocking ones.
void Scheduler::order(Stream& stream, Task& task) {
    auto wait_for = [&](const std::shared_ptr<Stream>& other) {
        if (other.get() != &stream && other->done < other->queued) task.after.push_back({other, other->queued});
    };
    if (stream.legacy) {
        for (const auto& [handle, other] : streams_)
            if (other->blocking()) wait_for(other);
        for (const auto& other : of_threads_) wait_for(other);
    } else if (stream.blocking() && legacy_) {
        wait_for(legacy_);
    }
}

Ticket Scheduler::put(const std::shared_ptr<Stream>& stream, std::function<timeline::Work()> run, bool light,
                      std::vector<Ticket> after, timeline::Timeline::Call call) {
    std::unique_lock lock(mutex_);
    std::vector<timeline::Mark> marks;
    for (const auto& t : after) marks.push_back(t.mark);
    stream->last = line().issue(stream->line, std::move(marks), call);
    Task task{std::move(run), std::move(after), stream->last, ++stream->queued};
    std::erase_if(task.after,
                  [&](const Ticket& t) { return !t.stream || t.stream == stream || t.stream->done >= t.number; });
    order(*stream, task);
    Ticket ticket{stream, task.number, task.mark};
    if (ending_) {
        line().give(task.mark, {});
        stream->done = task.number;
        return ticket;
    }
    if (light && !stream->busy && stream->tasks.empty() && ready(task)) {
        perform(*stream, task, lock);
        lock.unlock();
        changed_.notify_all();
        return ticket;
    }
    stream->tasks.push_back(std::move(task));
    if (!stream->worker.joinable() && !stream->leaving) stream->worker = std::thread([this, stream] { work(stream); });
    lock.unlock();
    changed_.notify_all();
    return ticket;
}

void Scheduler::perform(Stream& stream, Task& task, std::unique_lock<std::mutex>& lock) {
    stream.busy = true;
    lock.unlock();
    auto work = task.run();
    task.run = nullptr;
    lock.lock();
    line().give(task.mark, std::move(work));
    stream.busy = false;
    stream.done = task.number;
}

void Scheduler::work(std::shared_ptr<Stream> stream) {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] {
            return ending_ || (stream->tasks.empty() ? stream->leaving : !stream->busy && ready(stream->tasks.front()));
        });
        if (ending_ || stream->tasks.empty()) return;
        Task task = std::move(stream->tasks.front());
        stream->tasks.pop_front();
        perform(*stream, task, lock);
        changed_.notify_all();
    }
}

void Scheduler::wait(const Ticket& ticket) {
    if (!ticket.stream) return;
    wait_here(ticket);
    std::lock_guard lock(mutex_);
    line().wait(ticket.mark);
}

void Scheduler::wait_here(const Ticket& ticket) {
    if (!ticket.stream) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ending_ || ticket.stream->done >= ticket.number; });
}

bool Scheduler::over(const Ticket& ticket) {
    if (!ticket.stream) return true;
    std::lock_guard lock(mutex_);
    return ending_ || ticket.stream->done >= ticket.number;
}

bool Scheduler::seen_over(const Ticket& ticket) {
    if (!ticket.stream) return true;
    std::lock_guard lock(mutex_);
    const bool over = ending_ || ticket.stream->done >= ticket.number;
    if (over) line().wait(ticket.mark);
    return over;
}

double Scheduler::time_of(const timeline::Mark& mark) {
    std::unique_lock lock(mutex_);
    line().wait(mark);
    // Earlier work in other streams may have delayed it on the device, and must be known first: otherwise the time
    // would depend on this machine's speed. The wait is limited, because a kernel may wait for this very thread.
    constexpr auto kPatience = std::chrono::seconds(5);
    const auto known = [&] { return ending_ || timeline::Timeline::end(mark); };
    if (!changed_.wait_for(lock, kPatience, known)) line().overtake();
    return timeline::Timeline::end(mark).value_or(line().host());
}

Ticket Scheduler::here(const std::shared_ptr<Stream>& stream) {
    std::lock_guard lock(mutex_);
    return {stream, stream->queued, stream->last};
}

bool Scheduler::idle(const std::shared_ptr<Stream>& stream) {
    std::lock_guard lock(mutex_);
    return !stream->busy && stream->done == stream->queued;
}

void Scheduler::wait_all() {
    std::vector<Ticket> all;
    {
        std::lock_guard lock(mutex_);
        const auto add = [&](const std::shared_ptr<Stream>& s) { all.push_back({s, s->queued, s->last}); };
        if (legacy_) add(legacy_);
        for (const auto& [handle, stream] : streams_) add(stream);
        for (const auto& stream : of_threads_) add(stream);
    }
    for (const auto& ticket : all) wait(ticket);
}

bool Scheduler::drain(std::chrono::duration<double> each) {
    std::unique_lock lock(mutex_);
    // Streams are only added to, and only by threads of the program that still run.
    const auto open = [&] {
        std::uint64_t queued = 0;
        const auto add = [&](const std::shared_ptr<Stream>& stream) {
            // A thread that ends the process from within a stream's own work cannot wait for that stream.
            if (stream && stream->worker.get_id() != std::this_thread::get_id())
                queued += stream->queued - stream->done;
        };
        add(legacy_);
        for (const auto& [handle, stream] : streams_) add(stream);
        for (const auto& stream : of_threads_) add(stream);
        for (const auto& stream : leaving_) add(stream.lock());
        return queued;
    };
    for (auto left = open(); left > 0 && !ending_; left = open()) {
        if (!changed_.wait_for(lock, each, [&] { return ending_ || open() < left; })) return false;
    }
    return true;
}

void Scheduler::destroy_all() {
    std::vector<cudaStream_t> handles;
    {
        std::lock_guard lock(mutex_);
        for (const auto& [handle, stream] : streams_) handles.push_back(handle);
    }
    for (const auto handle : handles) (void)destroy(handle);
}

void Scheduler::settle() {
    std::lock_guard lock(mutex_);
    if (line_) line_->finish();
}

void Scheduler::end() {
    std::vector<std::shared_ptr<Stream>> all;
    {
        std::lock_guard lock(mutex_);
        ending_ = true;
        if (legacy_) all.push_back(legacy_);
        for (const auto& [handle, stream] : streams_) all.push_back(stream);
        all.insert(all.end(), of_threads_.begin(), of_threads_.end());
    }
    changed_.notify_all();
    for (const auto& stream : all)
        if (stream->worker.joinable() && stream->worker.get_id() != std::this_thread::get_id()) stream->worker.join();
}

}  // namespace warpwright::cudart
