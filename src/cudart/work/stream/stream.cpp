// One lock guards all streams, because order between them is decided when work is queued. A thread that waits does the
// work itself where it can, since waking the stream's thread takes longer than a small kernel.
#include "cudart/work/stream/stream.hpp"

#include <pthread.h>

#include <algorithm>

#include "cudart/state/runtime.hpp"
#include "cudart/work/program_observer.hpp"
#include "host/self.hpp"
#include "support/handle_table.hpp"

namespace warpwright::cudart {

/// The host is about to wait for this, or asks for it.
static void tell_waits(const Ticket& ticket) {
    if (ticket.issued)
        for (auto* observer : program_observers()) observer->host_waits(ticket.issued);
}

Scheduler& Scheduler::get() {
    static auto* scheduler = new Scheduler;
    return *scheduler;
}

timeline::Timeline& Scheduler::line() {
    if (!line_)
        line_ = std::make_unique<timeline::Timeline>(timeline::model_of(Runtime::get().model(), Runtime::get().link()),
                                                     [this](const timeline::Span& span) {
                                                         for (auto* observer : program_observers())
                                                             observer->placed(span, shown_as_[span.stream]);
                                                     });
    return *line_;
}

/// The program's clock, after what the program has done since its last call; nullptr: there is none.
timeline::Timeline* Scheduler::own() {
    auto& clock = HostClock::get();
    if (!clock.modelled()) return nullptr;
    if (!own_)
        own_ = std::make_unique<timeline::Timeline>(timeline::model_of(Runtime::get().model(), Runtime::get().link()));
    own_->pass(clock.take_own());
    return own_.get();
}

/// The host waits for the end of this, on both clocks.
void Scheduler::host_waits(const timeline::Mark& mark) {
    line().wait(mark);
    auto* const clock = own();
    if (!clock) return;
    clock->wait(mark ? mark->twin : nullptr);
    // Earlier work in other streams, which may run on for long, would keep the clock back.
    if (mark && mark->twin && !timeline::Timeline::end(mark->twin)) clock->overtake();
    HostClock::get().reached(clock->host_at_least());
}

const timeline::Model& Scheduler::model() {
    std::lock_guard lock(mutex_);
    return line().model();
}

std::shared_ptr<Stream> Scheduler::make(unsigned flags, int priority, unsigned device, bool legacy) {
    auto stream = std::make_shared<Stream>();
    stream->id = next_id_++;
    stream->flags = flags;
    stream->priority = priority;
    stream->legacy = legacy;
    stream->device = device;
    if (!legacy || device != 0) {
        const auto free = std::find(places_.begin() + 1, places_.end(), false);
        stream->place = static_cast<std::size_t>(free - places_.begin());
        free == places_.end() ? places_.push_back(true) : static_cast<void>(*free = true);
    }
    const auto kind = legacy               ? timeline::StreamKind::legacy_default
                      : stream->blocking() ? timeline::StreamKind::blocking
                                           : timeline::StreamKind::independent;
    stream->line = line().add_stream(kind, priority, device);
    if (auto* const clock = own()) stream->own = clock->add_stream(kind, priority, device);
    shown_as_.resize(std::max(shown_as_.size(), stream->line + 1));
    // The default stream of the first device is number 0, whenever the program comes to use it.
    shown_as_[stream->line] = stream->legacy && stream->device == 0 ? 0 : stream->id;
    return stream;
}

std::shared_ptr<Stream> Scheduler::legacy_of(unsigned device) {
    std::lock_guard lock(mutex_);
    auto& stream = legacy_[device];
    if (!stream) stream = make(0, 0, device, true);
    return stream;
}

std::shared_ptr<Stream> Scheduler::find(cudaStream_t handle) {
    if (handle == nullptr && thread_state().per_thread_stream) handle = cudaStreamPerThread;
    if (handle == nullptr || handle == cudaStreamLegacy) return legacy();
    std::lock_guard lock(mutex_);
    if (handle == cudaStreamPerThread) {
        // A number, not an owning pointer: exit handlers run after the thread's objects are destroyed.
        thread_local std::size_t own[device::kMostDevices] = {};  // and one more
        auto& mine = own[current_device()];
        if (mine == 0) {
            of_threads_.push_back(make(0, 0, current_device()));
            mine = of_threads_.size();
        }
        return of_threads_[mine - 1];
    }
    auto found = streams_.find(handle);
    return found == streams_.end() ? nullptr : found->second;
}

cudaStream_t Scheduler::create(unsigned flags, int priority) {
    std::lock_guard lock(mutex_);
    auto stream = make(flags, priority, current_device());
    auto handle = fresh_handle<cudaStream_t>();
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
        places_[stream->place] = false;
        stream_goes(*stream);
        std::erase_if(leaving_, [](const auto& gone) { return gone.expired(); });
        leaving_.push_back(stream);
        line().remove_stream(stream->line);
        if (own_) own_->remove_stream(stream->own);
        // Queued work is completed; then the thread ends.
        stream->leaving = true;
        if (stream->worker.joinable()) stream->worker.detach();
    }
    stream->wake.notify_all();
    return true;
}

double Scheduler::seconds_of(const timeline::Work& work) { return model().seconds(work); }

bool Scheduler::ready(const Task& task) const {
    return std::all_of(task.after.begin(), task.after.end(),
                       [](const Ticket& t) { return t.stream->done >= t.number; });
}

/// The order of the legacy default stream and the blocking ones.
void Scheduler::order(Stream& stream, Task& task) {
    auto wait_for = [&](const std::shared_ptr<Stream>& other) {
        if (other.get() != &stream && other->device == stream.device && other->done < other->queued)
            task.after.push_back({other, other->queued});
    };
    if (stream.legacy) {
        for (const auto& [handle, other] : streams_)
            if (other->blocking()) wait_for(other);
        for (const auto& other : of_threads_) wait_for(other);
        for (const auto& gone : leaving_)
            if (const auto other = gone.lock(); other && other->blocking()) wait_for(other);
    } else if (const auto& legacy = legacy_[stream.device]; stream.blocking() && legacy) {
        wait_for(legacy);
    }
}

Ticket Scheduler::put(const std::shared_ptr<Stream>& stream, std::function<timeline::Work()> run, By by,
                      std::vector<Ticket> after, timeline::Timeline::Call call) {
    auto place = keeps_order() ? calling_place() : nullptr;
    std::unique_lock lock(mutex_);
    std::vector<timeline::Mark> marks;
    for (const auto& t : after) marks.push_back(t.mark);
    std::vector<timeline::Mark> twins;
    if (own_)
        for (const auto& mark : marks) twins.push_back(twin_of(mark));
    stream->last = line().issue(stream->line, std::move(marks), call);
    if (auto* const clock = own()) {
        stream->last->twin = clock->issue(stream->own, std::move(twins), call);
        HostClock::get().reached(clock->host_at_least());
    }
    Task task{std::move(run), by, std::move(after), stream->last, ++stream->queued};
    task.call = activity::queued_now();
    issue(*stream, task, std::move(place));
    std::erase_if(task.after,
                  [&](const Ticket& t) { return !t.stream || t.stream == stream || t.stream->done >= t.number; });
    order(*stream, task);
    Ticket ticket{stream, task.number, task.mark, task.issued};
    if (ending_) {
        line().give(task.mark, {});
        if (own_) own_->give(task.mark->twin, {});
        stream->done = task.number;
        return ticket;
    }
    if (by == By::caller && !stream->busy && stream->tasks.empty() && ready(task)) {
        perform(*stream, task, lock);
        tell_done();
        return ticket;
    }
    stream->tasks.push_back(std::move(task));
    if (!stream->at_work) {
        stream->at_work = true;
        stream->worker = std::thread([this, stream] { work(stream); });
        // Another thread has destroyed it meanwhile, and its thread has gone: what is queued is done all the same.
        if (stream->leaving) stream->worker.detach();
    }
    // (How much work is worth a second thread at once.)
    constexpr std::size_t kEnough = 64;
    const bool next = stream->tasks.size() == (stream->dozing && by != By::stream ? kEnough : 1) && !stream->busy &&
                      ready(stream->tasks.front());
    lock.unlock();
    if (next) stream->wake.notify_one();
    return ticket;
}

void Scheduler::perform(Stream& stream, Task& task, std::unique_lock<std::mutex>& lock) {
    stream.busy = true;
    stream.running = task.issued;
    lock.unlock();
    auto work = [&] {
        const AtWork at_work(stream, task);
        return task.run();
    }();
    task.run = nullptr;
    lock.lock();
    if (own_) {
        own_->give(task.mark->twin, twin_of(work));
        HostClock::get().reached(own_->host_at_least());
    }
    line().give(task.mark, std::move(work));
    stream.busy = false;
    stream.done = task.number;
}

/// Waits until that holds. Whatever it looks at changes before tell_done(), which wakes nobody while it does not hold:
/// a thread that waits for the last of a thousand kernels is not woken by each of them.
template <class Holds>
void Scheduler::await(std::unique_lock<std::mutex>& lock, Holds holds) {
    const Awaited awaited(*this, holds);
    changed_.wait(lock, holds);
}

/// False: it does not hold when that time has passed.
template <class Time, class Holds>
bool Scheduler::await_for(std::unique_lock<std::mutex>& lock, Time time, Holds holds) {
    const Awaited awaited(*this, holds);
    return changed_.wait_for(lock, time, holds);
}

/// Tells those who wait for what was just done: threads of the program, and streams whose next work can begin. The
/// thread of a stream that has nothing to do sleeps on: to wake it costs more than a small copy.
void Scheduler::tell_done() {
    each_stream([&](Stream& s) {
        if (!s.tasks.empty() && !s.busy && ready(s.tasks.front())) s.wake.notify_one();
    });
    if (std::any_of(awaited_.begin(), awaited_.end(), [](const auto& holds) { return holds(); })) changed_.notify_all();
}

/// Waits for work as the stream's own thread. To wake it takes longer than a small kernel does, and a program that
/// waits for each kernel at once does the work itself. So the thread dozes as long as work comes: it looks for some
/// from time to time, and is woken where so much of it has come together that two threads are worth it (kEnough). The
/// longer the program goes on with doing it all itself, the more seldom it looks.
void Scheduler::wait_for_work(Stream& stream, std::unique_lock<std::mutex>& lock) {
    constexpr std::chrono::microseconds kDoze{200}, kLongest{1600};
    constexpr int kMostDozes = 50;
    const auto called = [&] {
        return ending_ || (stream.tasks.empty() ? stream.leaving : !stream.busy && ready(stream.tasks.front()));
    };
    auto queued = stream.queued;
    const auto others_did = [&] { return stream.helped && stream.queued != queued; };
    for (;;) {
        auto doze = kDoze;
        for (int dozes = 0; stream.queued && dozes < kMostDozes; ++dozes) {
            stream.dozing = true;
            const bool work = stream.wake.wait_for(lock, doze, called);
            stream.dozing = false;
            if (work) return;
            if (others_did()) queued = stream.queued, dozes = 0, doze = std::min(2 * doze, kLongest);
        }
        stream.wake.wait(lock, [&] { return called() || others_did(); });
        if (called()) return;
    }
}

/// Work that waits for a thread that dozes is needed now.
void Scheduler::rouse() {
    each_stream([&](Stream& s) {
        if (s.dozing && !s.tasks.empty()) s.wake.notify_one();
    });
}

void Scheduler::work(std::shared_ptr<Stream> stream) {
    std::unique_lock lock(mutex_);
    for (;;) {
        wait_for_work(*stream, lock);
        if (ending_ || stream->tasks.empty()) {
            stream->at_work = false;
            return;
        }
        Task task = std::move(stream->tasks.front());
        stream->tasks.pop_front();
        stream->helped = false;
        perform(*stream, task, lock);
        tell_done();
    }
}

namespace {

/// Whether the calling thread has the stack that a kernel and its compiler may need, as the threads of streams do.
bool has_roomy_stack() {
    constexpr std::uintptr_t kEnough = std::uintptr_t{4} << 20;
    thread_local const std::uintptr_t low = [] {
        const auto lowest = host::lowest_of_stack();
        return lowest ? lowest : ~std::uintptr_t{0};
    }();
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return here > low && here - low >= kEnough;
}

}  // namespace

/// Does the work before the ticket as long as the stream's own thread has not begun: a thread that waits anyway is
/// there at once, and the other one has to be woken first.
void Scheduler::help(const Ticket& ticket, std::unique_lock<std::mutex>& lock) {
    auto& s = *ticket.stream;
    while (!ending_ && s.done < ticket.number && !s.busy && !s.tasks.empty() && s.tasks.front().by != By::stream &&
           ready(s.tasks.front())) {
        Task task = std::move(s.tasks.front());
        s.tasks.pop_front();
        s.helped = true;
        perform(s, task, lock);
        tell_done();  // what comes next here may wait for other streams, which wait for this
    }
}

void Scheduler::make_room(const std::shared_ptr<Stream>& stream) {
    constexpr std::uint64_t kAhead = 1024;
    constexpr auto kSoon = std::chrono::milliseconds(5);
    std::unique_lock lock(mutex_);
    const auto ahead = [&] { return stream->queued - stream->done; };
    if (ahead() < kAhead || AtWork::here()) return;
    const Ticket last{stream, stream->queued, nullptr, stream->last_issued};
    lock.unlock();
    tell_waits(last);
    lock.lock();
    rouse();
    // The host goes on as soon as there is one place. Where half of the work is done soon it is woken once for all of
    // that.
    (void)await_for(lock, kSoon, [&] { return ending_ || ahead() <= kAhead / 2; });
    await(lock, [&] { return ending_ || ahead() < kAhead; });
    lock.unlock();
    tell_waited(last);
}

void Scheduler::wait(const Ticket& ticket) {
    if (!ticket.stream) return;
    tell_waits(ticket);
    std::unique_lock lock(mutex_);
    if (has_roomy_stack()) help(ticket, lock);
    if (!ending_ && ticket.stream->done < ticket.number) rouse();
    await(lock, [&] { return ending_ || ticket.stream->done >= ticket.number; });
    host_waits(ticket.mark);
    host_learns(ticket.issued);
    Runtime::get().host_has_waited(ticket.stream->device);
    lock.unlock();
    tell_waited(ticket);
}

void Scheduler::wait_here(const Ticket& ticket) {
    if (!ticket.stream) return;
    tell_waits(ticket);
    std::unique_lock lock(mutex_);
    rouse();
    await(lock, [&] { return ending_ || ticket.stream->done >= ticket.number; });
}

bool Scheduler::over(const Ticket& ticket) {
    if (!ticket.stream) return true;
    tell_waits(ticket);
    std::unique_lock lock(mutex_);
    const bool over = ending_ || ticket.stream->done >= ticket.number;
    over ? host_learns(ticket.issued) : rouse();
    if (over) Runtime::get().host_has_waited(ticket.stream->device);
    lock.unlock();
    if (over) tell_waited(ticket);
    return over;
}

bool Scheduler::seen_over(const Ticket& ticket) {
    if (!ticket.stream) return true;
    tell_waits(ticket);
    std::unique_lock lock(mutex_);
    const bool over = ending_ || ticket.stream->done >= ticket.number;
    if (over) host_learns(ticket.issued);
    over ? host_waits(ticket.mark) : rouse();
    if (over) Runtime::get().host_has_waited(ticket.stream->device);
    lock.unlock();
    if (over) tell_waited(ticket);
    return over;
}

double Scheduler::time_of(const timeline::Mark& mark, unsigned device) {
    std::unique_lock lock(mutex_);
    host_waits(mark);
    // Earlier work in other streams may have delayed it on the device, and must be known first: otherwise the time
    // would depend on this machine's speed. The wait is limited, because a kernel may wait for this very thread.
    constexpr auto kPatience = std::chrono::seconds(5);
    const auto known = [&] { return ending_ || timeline::Timeline::end(mark); };
    rouse();
    if (!await_for(lock, kPatience, known)) line().overtake();
    Runtime::get().host_has_waited(device);
    return timeline::Timeline::end(mark).value_or(line().host());
}

Ticket Scheduler::here(const std::shared_ptr<Stream>& stream) {
    std::lock_guard lock(mutex_);
    return {stream, stream->queued, stream->last, stream->last_issued};
}

bool Scheduler::idle(const std::shared_ptr<Stream>& stream) {
    std::lock_guard lock(mutex_);
    return !stream->busy && stream->done == stream->queued;
}

void Scheduler::wait_all() { wait_for(std::nullopt); }

void Scheduler::wait_device(unsigned device) { wait_for(device); }

void Scheduler::wait_for(std::optional<unsigned> device) {
    std::vector<Ticket> all;
    {
        std::lock_guard lock(mutex_);
        const auto add = [&](const std::shared_ptr<Stream>& s) {
            if (s && (!device || s->device == *device)) all.push_back({s, s->queued, s->last, s->last_issued});
        };
        for (const auto& legacy : legacy_) add(legacy);
        for (const auto& [handle, stream] : streams_) add(stream);
        for (const auto& stream : of_threads_) add(stream);
        for (const auto& gone : leaving_) add(gone.lock());
        for (unsigned k = 0; k < gone_.size(); ++k)
            if (!device || k == *device) host_knows_.add(gone_[k]);
    }
    for (const auto& ticket : all) wait(ticket);
    // Streams that are gone have failed as well.
    for (unsigned k = 0; k < Runtime::get().devices(); ++k)
        if (!device || k == *device) Runtime::get().host_has_waited(k);
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
        for (const auto& legacy : legacy_) add(legacy);
        for (const auto& [handle, stream] : streams_) add(stream);
        for (const auto& stream : of_threads_) add(stream);
        for (const auto& stream : leaving_) add(stream.lock());
        return queued;
    };
    rouse();
    for (auto left = open(); left > 0 && !ending_; left = open()) {
        if (!await_for(lock, each, [&] { return ending_ || open() < left; })) return false;
    }
    return true;
}

void Scheduler::destroy_all(unsigned device) {
    std::vector<cudaStream_t> handles;
    {
        std::lock_guard lock(mutex_);
        for (const auto& [handle, stream] : streams_)
            if (stream->device == device) handles.push_back(handle);
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
        for (const auto& legacy : legacy_)
            if (legacy) all.push_back(legacy);
        for (const auto& [handle, stream] : streams_) all.push_back(stream);
        all.insert(all.end(), of_threads_.begin(), of_threads_.end());
        each_stream([](Stream& s) { s.wake.notify_all(); });
    }
    changed_.notify_all();
    const auto mine = [](const Stream& s) { return s.worker.get_id() == std::this_thread::get_id(); };
    for (const auto& stream : all)
        if (stream->worker.joinable() && !mine(*stream)) stream->worker.join();
    // Other threads of the program may be at work that they wait for.
    std::unique_lock lock(mutex_);
    await(lock,
          [&] { return std::none_of(all.begin(), all.end(), [&](const auto& s) { return s->busy && !mine(*s); }); });
}

}  // namespace warpwright::cudart
