// A device's records begin when the host queued the work, or when what was before it in the stream ended, and last as
// long as the work is predicted to: so each stands beside its call, and its length is the model's.
#include "libraries/cupti/activity.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "cudart/state/runtime.hpp"
#include "host/self.hpp"
#include "libraries/cupti/clock.hpp"
#include "libraries/cupti/subscriber.hpp"

namespace warpwright::libraries::cupti {
namespace {

using cudart::activity::ApiCall;
using cudart::activity::Done;

/// More are not kept: a program that never takes them would fill its memory.
constexpr std::size_t kMostRecords = 1 << 20;
/// The numbers of contexts and streams as programs are used to them: a context for each device, 7 the default stream.
std::uint32_t context_number(unsigned device) { return device + 1; }
std::uint32_t stream_number(std::size_t stream) { return static_cast<std::uint32_t>(stream) + 7; }

std::map<std::uint32_t, std::vector<std::uint64_t>>& externals() {
    thread_local std::map<std::uint32_t, std::vector<std::uint64_t>> of_thread;
    return of_thread;
}

/// CUpti_ActivityMemcpyKind, and CUpti_ActivityMemoryKind of both sides.
struct CopyKind {
    std::uint8_t kind, from, to;
};
CopyKind copy_kind(const Done& d) {
    constexpr std::uint8_t kPageable = 1, kPinned = 2, kDevice = 3;
    const std::uint8_t host = d.pageable ? kPageable : kPinned;
    switch (d.kind) {
        case timeline::Kind::to_device:
            return {1, host, kDevice};
        case timeline::Kind::to_host:
            return {2, kDevice, host};
        case timeline::Kind::on_host:
            return {9, host, host};
        case timeline::Kind::between:
            return {10, kDevice, kDevice};
        default:
            return {8, kDevice, kDevice};
    }
}

void note(std::int32_t (&to)[3], const std::array<std::uint32_t, 3>& from) {
    for (int k = 0; k < 3; ++k) to[k] = static_cast<std::int32_t>(from[static_cast<std::size_t>(k)]);
}

/// Kinds of which there is nothing here to record: CUPTI's own cost, and marks of NVTX, which is another library.
bool never_happens(std::uint32_t kind) {
    constexpr std::uint32_t kMarker = 12, kMarkerData = 13, kOverhead = 17;
    return kind == kMarker || kind == kMarkerData || kind == kOverhead;
}

}  // namespace

Activity& Activity::get() {
    static auto* activity = new Activity;
    return *activity;
}

Result Activity::enable(std::uint32_t kind, bool on) {
    if (kind == 0 || kind >= kKinds) return kInvalidKind;
    const bool known = kind == kMemcpy || kind == kMemset || kind == kKernel || kind == kDriver || kind == kRuntime ||
                       kind == kConcurrentKernel || kind == kMemcpyPeer || kind == kExternalCorrelation;
    if (on && !known && !never_happens(kind))
        cudart::Runtime::get().say("CUPTI: activities of kind " + std::to_string(kind) +
                                   " are not recorded on the emulated GPU: kernels, copies, fills and calls are");
    kinds_[kind] = on;
    if (kind == kDriver || kind == kRuntime) {
        const std::lock_guard lock(mutex_);
        auto& functions = functions_[kind == kDriver ? kDriverApi : kRuntimeApi];
        on ? functions.set() : functions.reset();
    }
    tell_wanted();
    return kSuccess;
}

Result Activity::enable_function(Domain domain, std::uint32_t id, bool on) {
    if (id == 0 || id >= kMostFunctions) return kInvalidParameter;
    {
        const std::lock_guard lock(mutex_);
        functions_[domain][id] = on;
        kinds_[domain == kDriverApi ? kDriver : kRuntime] = functions_[domain].any();
    }
    tell_wanted();
    return kSuccess;
}

void Activity::tell_wanted() {
    calls_wanted_ = std::any_of(kinds_.begin(), kinds_.end(), [](const auto& on) { return on.load(); });
    listen();
}

Result Activity::set_buffers(BufferRequest request, BufferComplete complete) {
    if (!request || !complete) return kInvalidParameter;
    const std::lock_guard lock(flushing_);
    request_ = request, complete_ = complete;
    return kSuccess;
}

void Activity::set_clock(std::uint64_t (*of_program)()) {
    const std::lock_guard one(flushing_);
    (void)flush();
    clock::set(of_program);
    ends_.clear();
}

void Activity::reset() {
    for (auto& kind : kinds_) kind = false;
    const std::lock_guard one(flushing_);
    std::deque<Buffer> unused;
    {
        const std::lock_guard lock(mutex_);
        for (auto& functions : functions_) functions.reset();
        records_.clear();
        unused.swap(buffers_);
        has_asked_ = false;
    }
    for (const auto& b : unused) complete_(nullptr, 0, b.at, b.bytes, 0);
    clock::set(nullptr);
    ends_.clear();
    tell_wanted();
}

Activity::Buffer Activity::new_buffer() {
    Buffer b;
    if (const auto request = request_.load()) request(&b.at, &b.bytes, &b.most);
    return b;
}

void Activity::keep(Record record) {
    {
        const std::lock_guard lock(mutex_);
        if (records_.size() >= kMostRecords) {
            ++dropped_;
            return;
        }
        records_.push_back(std::move(record));
        if (std::exchange(has_asked_, true)) return;
    }
    const auto buffer = new_buffer();
    const std::lock_guard lock(mutex_);
    if (buffer.at) buffers_.push_back(buffer);
}

void Activity::begins(const ApiCall& call) {
    if (!records(kExternalCorrelation)) return;
    for (const auto& [kind, ids] : externals())
        if (!ids.empty()) keep(ExternalRecord{kExternalCorrelation, kind, ids.back(), call.correlation, 0});
}

void Activity::ends(const ApiCall& call) {
    const auto id = callback_of(call.number);
    if (id.number == 0 || !records(id.domain == kDriverApi ? kDriver : kRuntime)) return;
    {
        const std::lock_guard lock(mutex_);
        if (!functions_[id.domain][id.number]) return;
    }
    ApiRecord r{};
    r.kind = id.domain == kDriverApi ? kDriver : kRuntime;
    r.function = id.number;
    r.start = call.started, r.end = clock::now();
    r.process = static_cast<std::uint32_t>(::getpid()), r.thread = static_cast<std::uint32_t>(host::thread_number());
    r.correlation = call.correlation, r.result = static_cast<std::uint32_t>(*call.result);
    keep(r);
}

/// 0: nobody wants it.
std::uint32_t Activity::kind_of(const Done& done) const {
    const auto first = [&](std::initializer_list<Kind> kinds) -> std::uint32_t {
        for (const Kind kind : kinds)
            if (records(kind)) return kind;
        return 0;
    };
    switch (done.kind) {
        case timeline::Kind::kernel:
            return first({kConcurrentKernel, kKernel});
        case timeline::Kind::fill:
            return first({kMemset});
        case timeline::Kind::between:
            return first({kMemcpyPeer, kMemcpy});
        default:
            return first({kMemcpy});
    }
}

void Activity::done(Done done) {
    if (const auto kind = kind_of(done)) keep(Work{std::move(done), kind});
}

/// Under flushing_.
const char* Activity::kept_name(const std::string& name) { return names_.insert(name).first->c_str(); }

template <class Put>
void Activity::write(const Work& work, double rate, Put put) {
    const Done& d = work.done;
    auto& last = ends_[{d.device, d.stream}];
    const std::uint64_t start = std::max(d.queued, last);
    const auto ticks = static_cast<std::uint64_t>(std::llround(d.seconds * 1e9 * rate));
    const std::uint64_t end = last = start + std::max<std::uint64_t>(1, ticks);
    const auto place = [&](auto& r) {
        r.start = start, r.end = end;
        r.device = d.device, r.context = context_number(d.device), r.stream = stream_number(d.stream);
        r.correlation = d.correlation, r.kind = work.kind;
    };
    const auto copies = [&](auto& r) {
        place(r);
        const auto k = copy_kind(d);
        r.bytes = d.bytes;
        r.copy_kind = k.kind, r.source_kind = k.from, r.destination_kind = k.to;
    };
    if (d.kind == timeline::Kind::kernel) {
        KernelRecord r{};
        place(r);
        r.registers = static_cast<std::uint16_t>(d.registers);
        r.completed = end, r.queued = r.submitted = 0;  // not asked for (CUPTI_TIMESTAMP_UNKNOWN)
        note(r.grid, d.grid), note(r.block, d.block);
        r.static_shared = static_cast<std::int32_t>(d.static_shared);
        r.dynamic_shared = static_cast<std::int32_t>(d.dynamic_shared);
        r.shared_executed = static_cast<std::uint32_t>(d.static_shared + d.dynamic_shared);
        r.name = kept_name(d.name);
        std::copy(d.cluster.begin(), d.cluster.end(), r.cluster);
        put(r);
    } else if (d.kind == timeline::Kind::fill) {
        MemsetRecord r{};
        place(r);
        r.bytes = d.bytes, r.memory_kind = 3;
        put(r);
    } else if (work.kind == kMemcpyPeer) {
        PeerRecord r{};
        copies(r);
        r.source = d.device, r.source_context = context_number(d.device);
        r.destination = d.to, r.destination_context = context_number(d.to);
        put(r);
    } else {
        MemcpyRecord r{};
        copies(r);
        put(r);
    }
}

Result Activity::flush() {
    const std::lock_guard one(flushing_);
    std::deque<Record> taken;
    std::deque<Buffer> given;
    {
        const std::lock_guard lock(mutex_);
        taken.swap(records_);
        given.swap(buffers_);
        has_asked_ = false;
    }
    if (taken.empty() && given.empty()) return kSuccess;
    if (!request_) {
        dropped_ += taken.size();
        return kSuccess;
    }
    const double rate = clock::rate();
    Buffer buffer;
    std::size_t used = 0, count = 0;
    const auto next = [&] {
        if (given.empty()) return new_buffer();
        const auto first = given.front();
        given.pop_front();
        return first;
    };
    const auto complete = [&] {
        if (buffer.at) complete_(nullptr, 0, buffer.at, buffer.bytes, used);
        buffer = {};
        used = count = 0;
    };
    const auto put = [&](const auto& record) {
        const auto has_room = [&] {
            return sizeof record <= buffer.bytes - used && (!buffer.most || count < buffer.most);
        };
        if (buffer.at && !has_room()) complete();
        if (!buffer.at) buffer = next();
        if (buffer.at && !has_room()) complete();
        if (!buffer.at) {
            ++dropped_;
            return;
        }
        std::memcpy(buffer.at + used, &record, sizeof record);
        used += sizeof record, ++count;
    };
    for (const Record& record : taken)
        std::visit(
            [&](const auto& r) {
                if constexpr (std::is_same_v<std::decay_t<decltype(r)>, Work>)
                    write(r, rate, put);
                else
                    put(r);
            },
            record);
    complete();
    for (; !given.empty(); complete()) buffer = next();
    return kSuccess;
}

void push_external(std::uint32_t kind, std::uint64_t id) { externals()[kind].push_back(id); }

bool pop_external(std::uint32_t kind, std::uint64_t* last) {
    auto& ids = externals()[kind];
    if (last) *last = ids.empty() ? 0 : ids.back();
    if (ids.empty()) return false;
    ids.pop_back();
    return true;
}

void listen() {
    static const cudart::activity::Listener kListener{clock::now,
                                                      [](ApiCall& call) {
                                                          call.started = clock::now();
                                                          Activity::get().begins(call);
                                                          Subscriber::get().tell(call, false);
                                                      },
                                                      [](ApiCall& call) {
                                                          Subscriber::get().tell(call, true);
                                                          Activity::get().ends(call);
                                                      },
                                                      [](Done done) { Activity::get().done(std::move(done)); }};
    const bool wanted = Activity::get().wants_calls() || Subscriber::get().wants_calls();
    cudart::activity::listener.store(wanted ? &kListener : nullptr, std::memory_order_release);
}

}  // namespace warpwright::libraries::cupti
