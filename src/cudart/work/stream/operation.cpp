// Copies and fills of all entry points are converted to one form, checked in one place, and then queued or captured.
// Whether the host waits depends on the kind of memory on each side, as CUDA documents it.
#include "cudart/work/stream/operation.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "cudart/memory/extents.hpp"
#include "cudart/memory/pageable.hpp"
#include "cudart/state/call_stack.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/capture_rules.hpp"
#include "cudart/work/graph/graphs_in_use.hpp"
#include "cudart/work/program_observer.hpp"
#include "support/host_time.hpp"

namespace warpwright::cudart {
namespace {

Extents extents_of(const Copy& c, const Place& p) { return {c.width, c.height, c.depth, p.pitch, p.slice}; }

bool inside(const Block& block, const std::byte* at, const Extents& extents) {
    return within(reinterpret_cast<std::uint64_t>(at) - block.address, extents.span(), block.bytes);
}

/// The device whose memory it is; nothing of memory that all of them reach.
std::optional<unsigned> device_of(const std::optional<Block>& block) {
    return block && block->of_device() ? std::optional(block->device) : std::nullopt;
}

const char* name_of(const Copy& copy) {
    if (copy.between()) return "[CUDA memcpy PtoP]";
    switch (copy.kind) {
        case cudaMemcpyHostToDevice:
            return "[CUDA memcpy HtoD]";
        case cudaMemcpyDeviceToHost:
            return "[CUDA memcpy DtoH]";
        case cudaMemcpyDeviceToDevice:
            return "[CUDA memcpy DtoD]";
        default:
            return "[CUDA memcpy HtoH]";
    }
}

timeline::Work work_of(const Copy& c) {
    timeline::Work work;
    work.bytes = c.bytes();
    work.kind = c.kind == cudaMemcpyHostToDevice   ? timeline::Kind::to_device
                : c.kind == cudaMemcpyDeviceToHost ? timeline::Kind::to_host
                : c.kind == cudaMemcpyHostToHost   ? timeline::Kind::on_host
                                                   : timeline::Kind::on_device;
    work.pageable = c.pageable;
    // A copy within a device is that device's, wherever its stream is; one over a link to the host likewise.
    const bool to_it = work.kind == timeline::Kind::to_device;
    work.device = static_cast<std::uint8_t>((to_it ? c.to_device : c.from_device).value_or(current_device()));
    if (c.between()) {
        const auto& runtime = Runtime::get();
        work.kind = timeline::Kind::between;
        work.to = static_cast<std::uint8_t>(*c.to_device);
        work.staged =
            !runtime.has_access(*c.from_device, *c.to_device) && !runtime.has_access(*c.to_device, *c.from_device);
    }
    for (auto* observer : program_observers()) observer->copied(name_of(c), work);
    return work;
}

/// Informs the checkers: bytes that the host wrote count as written, copied bytes keep their state.
void tell(const std::byte* to, const std::byte* from, std::uint64_t bytes) {
    auto* sharing = Runtime::get().device()->host_sharing();
    const auto at = reinterpret_cast<device::Address>(to);
    if (from && sharing->allocation(reinterpret_cast<device::Address>(from)))
        sharing->copied(at, reinterpret_cast<device::Address>(from), bytes);
    else
        sharing->written(at, bytes);
}

void move(const Copy& c) {
    const host_time::In copies(host_time::Work::copies);
    const bool checks = Runtime::get().settings.checks();
    for (auto* observer : program_observers()) observer->copying(c);
    if (c.linear()) {
        std::memmove(c.to.at, c.from.at, c.bytes());
        if (checks) tell(c.to.at, c.from.at, c.bytes());
        return;
    }
    for (std::size_t z = 0; z < c.depth; ++z)
        for (std::size_t y = 0; y < c.height; ++y) {
            auto* to = c.to.at + z * c.to.slice + y * c.to.pitch;
            const auto* from = c.from.at + z * c.from.slice + y * c.from.pitch;
            std::memmove(to, from, c.width);
            if (checks) tell(to, from, c.width);
        }
}

}  // namespace

bool Copy::linear() const {
    const bool rows = height == 1 || (to.pitch == width && from.pitch == width);
    return rows && (depth == 1 || (to.slice == width * height && from.slice == width * height));
}

/// Work of which the device must be told costs the host time to queue.
timeline::Timeline::Call call_of(cudaGraphNodeType type) {
    switch (type) {
        case cudaGraphNodeTypeKernel:
        case cudaGraphNodeTypeMemcpy:
        case cudaGraphNodeTypeMemset:
        case cudaGraphNodeTypeGraph:
            return timeline::Timeline::Call::takes_time;
        default:
            return timeline::Timeline::Call::free;
    }
}

void run_as_work(const std::function<void()>& function) {
    Runtime::get().flush_print();
    for (auto* observer : program_observers()) observer->function_begins();
    run_host_function(function);
    for (auto* observer : program_observers()) observer->function_ends();
}

cudaError_t submit(const std::shared_ptr<Stream>& stream, Operation operation, Wait wait, bool light, Ticket* queued) {
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (auto e = capture_rules::check(stream); e != cudaSuccess) return e;
    if (const auto capture = stream->capture.get()) {
        if (wait == Wait::yes) return capture_rules::break_with(stream, cudaErrorStreamCaptureUnsupported);
        std::lock_guard graphs(graphs_in_use());
        return capture->add(std::move(operation), stream);
    }
    auto& scheduler = Scheduler::get();
    if (operation.type == cudaGraphNodeTypeGraph && has_pageable()) wait = Wait::yes;
    // (A function that a stream runs must not wait for what stands behind it.)
    if (wait == Wait::yes && thread_state().in_host_function) return cudaErrorNotPermitted;
    scheduler.make_room(stream);
    const auto operation_type = operation.type;
    const bool launches = operation_type == cudaGraphNodeTypeGraph;
    if (launches)
        for (auto* observer : program_observers()) observer->queuing_launches({});
    auto ticket =
        scheduler.put(stream, std::move(operation.run), light ? By::caller : By::stream, {}, call_of(operation.type));
    if (launches)
        for (auto* observer : program_observers()) observer->queued_launches(ticket.issued);
    if (queued) *queued = ticket;
    if (operation_type == cudaGraphNodeTypeHost) scheduler.host_hears(ticket);
    if (wait == Wait::yes) {
        scheduler.wait(ticket);
        Runtime::get().flush_print();
    }
    return cudaSuccess;
}

cudaError_t check(Copy& c, Absent absent) {
    const auto to_extents = extents_of(c, c.to), from_extents = extents_of(c, c.from);
    if (to_extents.empty()) return cudaSuccess;
    if (!c.to.at || !c.from.at) return cudaErrorInvalidValue;
    if (!to_extents.rows_are_apart() || !from_extents.rows_are_apart()) return cudaErrorInvalidPitchValue;
    if (!to_extents.planes_are_apart() || !from_extents.planes_are_apart()) return cudaErrorInvalidPitchValue;
    if (to_extents.span() == kNoSize || from_extents.span() == kNoSize) return cudaErrorInvalidValue;
    auto& table = MemoryTable::get();
    const auto to = table.find(c.to.at, absent), from = table.find(c.from.at, absent);
    if ((to && !inside(*to, c.to.at, to_extents)) || (from && !inside(*from, c.from.at, from_extents)))
        return cudaErrorInvalidValue;
    c.to_device = device_of(to), c.from_device = device_of(from);
    const bool to_device = to && to->kind != Block::Kind::pinned && to->kind != Block::Kind::registered;
    const bool from_device = from && from->kind != Block::Kind::pinned && from->kind != Block::Kind::registered;
    // The device reaches its own memory, and the host's of which the program has asked for the device's address.
    const bool reaches_to = to || is_pageable(c.to.at, to_extents.span());
    const bool reaches_from = from || is_pageable(c.from.at, from_extents.span());
    switch (c.kind) {
        case cudaMemcpyHostToDevice:
            if (!reaches_to) return cudaErrorInvalidValue;
            break;
        case cudaMemcpyDeviceToHost:
            if (!reaches_from) return cudaErrorInvalidValue;
            break;
        case cudaMemcpyDeviceToDevice:
            if (!reaches_to || !reaches_from) return cudaErrorInvalidValue;
            break;
        case cudaMemcpyHostToHost:
            break;
        case cudaMemcpyDefault:
            c.kind = to_device ? (from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                               : (from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
            break;
        default:
            return cudaErrorInvalidMemcpyDirection;
    }
    return cudaSuccess;
}

namespace {

/// Memory that the device has when work on it is queued. Another thread of the program may free or unmap it before that
/// is done, as it must not: then the work is a fault of the device's, and not of this process.
class Queued {
public:
    explicit Queued(const void* at) : at_(known(at) ? at : nullptr) {}
    bool is_gone() const { return at_ && !known(at_); }

private:
    /// (Registered memory is the program's: it may be there although it is registered no more.)
    static bool known(const void* at) {
        const auto block = MemoryTable::get().find(at, Absent::found);
        return block && block->is_own();
    }
    const void* at_;
};

bool any_is_gone(std::initializer_list<Queued> memory) {
    if (std::none_of(memory.begin(), memory.end(), [](const Queued& m) { return m.is_gone(); })) return false;
    Runtime::get().stick(cudaErrorIllegalAddress);
    return true;
}

}  // namespace

Operation operation(const Copy& c) {
    auto given = std::make_shared<NodeParameters>();
    if (c.given) {
        given->copy = *c.given;
    } else {
        const auto side = [&](const Place& p) {
            return cudaPitchedPtr{p.at, p.pitch, c.width, p.pitch && p.slice ? p.slice / p.pitch : c.height};
        };
        given->copy.srcPtr = side(c.from), given->copy.dstPtr = side(c.to);
        given->copy.extent = {c.width, c.height, c.depth};
        given->copy.kind = c.kind;
    }
    return {cudaGraphNodeTypeMemcpy,
            [c, to = Queued(c.to.at), from = Queued(c.from.at)] {
                if (c.bytes()) {
                    if (any_is_gone({to, from})) return timeline::Work{};
                    move(c);
                    for (auto* observer : program_observers()) observer->made(c);
                }
                return work_of(c);
            },
            std::move(given)};
}

namespace {

/// Bytes of a copy that the calling thread may make at once.
constexpr std::uint64_t kSmallCopy = 4096;

/// The work before and behind a copy in a default stream between two devices: it waits for all that was queued on
/// either of them, and what is queued there later waits for it.
class BothDevices {
public:
    BothDevices(const Copy& copy, const std::shared_ptr<Stream>& stream) {
        if (!copy.between() || !stream->legacy) return;
        auto& scheduler = Scheduler::get();
        for (const unsigned device : {*copy.from_device, *copy.to_device})
            if (device != stream->device) others_.push_back(scheduler.legacy_of(device));
        std::vector<Ticket> earlier;
        for (const auto& other : others_) earlier.push_back(scheduler.put(other, nothing, By::caller));
        if (!earlier.empty()) scheduler.put(stream, nothing, By::caller, std::move(earlier));
    }
    void queued(const Ticket& ticket) {
        for (const auto& other : others_) Scheduler::get().put(other, nothing, By::caller, {ticket});
    }

private:
    static timeline::Work nothing() { return {}; }
    std::vector<std::shared_ptr<Stream>> others_;
};

/// A copy between two devices, for which the host never waits.
cudaError_t queue_between(const Copy& c, const std::shared_ptr<Stream>& stream) {
    auto& scheduler = Scheduler::get();
    BothDevices both(c, stream);
    Ticket ticket;
    if (scheduler.keeps_order())
        for (auto* observer : program_observers()) observer->queuing(c);
    if (auto e = submit(stream, operation(c), Wait::no, c.bytes() <= kSmallCopy, &ticket); e != cudaSuccess) return e;
    if (ticket.issued)
        for (auto* observer : program_observers()) observer->queued(c, ticket.issued);
    both.queued(ticket);
    return cudaSuccess;
}

}  // namespace

cudaError_t queue(Copy c, cudaStream_t handle, Wait wait) {
    auto& scheduler = Scheduler::get();
    auto stream = scheduler.find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (auto e = check(c, stream->capture ? Absent::found : Absent::hidden); e != cudaSuccess) return e;
    if (c.between() && !stream->capture) return queue_between(c, stream);
    if (c.kind == cudaMemcpyDeviceToHost) c.call = calling_place();
    // The host takes no part in a copy of the device's, unless that is to or from its ordinary memory.
    if (c.kind == cudaMemcpyDeviceToDevice)
        wait = !stream->capture && (is_pageable(c.to.at, 1) || is_pageable(c.from.at, 1)) ? Wait::yes : Wait::no;
    auto& table = MemoryTable::get();
    const bool from_pageable = c.kind == cudaMemcpyHostToDevice && !table.find(c.from.at);
    const bool to_pageable = c.kind == cudaMemcpyDeviceToHost && !table.find(c.to.at);
    c.pageable = from_pageable || to_pageable;
    if (wait == Wait::yes || stream->capture) return submit(stream, operation(c), wait, true);
    if (to_pageable || c.kind == cudaMemcpyHostToHost) return submit(stream, operation(c), Wait::yes, true);
    if (from_pageable && !scheduler.idle(stream)) {
        // The program may write to its memory again as soon as this call returns.
        auto staged = std::make_shared<std::vector<std::byte>>(c.bytes());
        Copy in = c, out = c;
        in.to = {staged->data(), c.width, c.width * c.height};
        out.from = in.to;
        move(in);
        auto o = operation(out);
        o.run = [run = std::move(o.run), staged] { return run(); };
        return submit(stream, std::move(o), Wait::no, true);
    }
    if (from_pageable) return submit(stream, operation(c), Wait::yes, true);
    Ticket ticket;
    if (scheduler.keeps_order())
        for (auto* observer : program_observers()) observer->queuing(c);
    const auto done = submit(stream, operation(c), Wait::no, c.bytes() <= kSmallCopy, &ticket);
    if (done == cudaSuccess && ticket.issued)
        for (auto* observer : program_observers()) observer->queued(c, ticket.issued);
    return done;
}

cudaError_t copy_of(Copy& c, const cudaMemcpy3DParms& p) {
    if ((p.srcArray != nullptr) == (p.srcPtr.ptr != nullptr) || (p.dstArray != nullptr) == (p.dstPtr.ptr != nullptr))
        return cudaErrorInvalidValue;
    const auto from = arrays::find(p.srcArray), to = arrays::find(p.dstArray);
    if ((p.srcArray && !from) || (p.dstArray && !to)) return cudaErrorInvalidResourceHandle;
    // With an array on either side, widths count its elements; else bytes.
    const std::size_t element = from ? from->element : to ? to->element : 1;
    c.width = product(p.extent.width, element);
    c.height = p.extent.height;
    c.depth = p.extent.depth;
    bool good = true;
    auto side = [&](const std::shared_ptr<Array>& array, const cudaPos& pos, const cudaPitchedPtr& pointer) {
        Place place;
        std::uint64_t offset = 0;
        if (array) {
            good &= within(pos.x, p.extent.width, array->width()) && within(pos.y, c.height, array->height()) &&
                    within(pos.z, c.depth, array->depth());
            place = {array->data, array->pitch(), array->slice()};
            offset = offset_of(product(pos.x, array->element), pos.y, pos.z, place.pitch, place.slice);
        } else {
            place = {static_cast<std::byte*>(pointer.ptr), pointer.pitch,
                     product(pointer.pitch, pointer.ysize ? pointer.ysize : c.height)};
            offset = offset_of(pos.x, pos.y, pos.z, place.pitch, place.slice);
        }
        // A place beyond the address space does not exist.
        good &= sum(reinterpret_cast<std::uint64_t>(place.at), offset) != kNoSize;
        if (good) place.at += offset;
        return place;
    };
    c.to = side(to, p.dstPos, p.dstPtr);
    c.from = side(from, p.srcPos, p.srcPtr);
    if (!good) return cudaErrorInvalidValue;
    c.kind = p.kind;
    c.given = std::make_shared<cudaMemcpy3DParms>(p);
    return cudaSuccess;
}

cudaError_t check(const Fill& f, Absent absent) {
    if (f.element != 1 && f.element != 2 && f.element != 4) return cudaErrorInvalidValue;
    const Extents extents{product(f.width, f.element), f.height, f.depth, f.to.pitch, f.to.slice};
    if (extents.empty()) return cudaSuccess;
    if (!extents.rows_are_apart()) return cudaErrorInvalidPitchValue;
    if (!extents.planes_are_apart()) return cudaErrorInvalidValue;
    auto block = MemoryTable::get().find(f.to.at, absent);
    const bool reaches = block ? inside(*block, f.to.at, extents) : is_pageable(f.to.at, extents.span());
    return reaches ? cudaSuccess : cudaErrorInvalidValue;
}

/// Bytes of zeros for which it pays to look at what is there already.
static constexpr std::size_t kManyZeros = std::size_t{1} << 20;

Operation operation(const Fill& f) {
    auto given = std::make_shared<NodeParameters>();
    given->fill = {f.to.at, f.to.pitch, f.value, f.element, f.width, f.height};
    return {cudaGraphNodeTypeMemset,
            [f, to = Queued(f.to.at)] {
                if (any_is_gone({to})) return timeline::Work{};
                const host_time::In copies(host_time::Work::copies);
                const std::size_t width = f.width * f.element;
                for (auto* observer : program_observers()) observer->filling(f);
                for (std::size_t z = 0; z < f.depth; ++z)
                    for (std::size_t y = 0; y < f.height; ++y) {
                        std::byte* row = f.to.at + z * f.to.slice + y * f.to.pitch;
                        // Pages that nothing has touched stay so.
                        if (f.value == 0 && width >= kManyZeros &&
                            Runtime::get().device()->fill(reinterpret_cast<device::Address>(row), 0, width))
                            continue;
                        if (f.element == 1) {
                            std::memset(row, static_cast<int>(f.value), width);
                        } else {
                            for (std::size_t x = 0; x < width; x += f.element)
                                std::memcpy(row + x, &f.value, f.element);
                        }
                        if (Runtime::get().settings.checks()) tell(row, nullptr, width);
                    }
                timeline::Work work;
                work.kind = timeline::Kind::fill;
                work.device = static_cast<std::uint8_t>(f.device);
                work.bytes = std::uint64_t{width} * f.height * f.depth;
                for (auto* observer : program_observers()) observer->copied("[CUDA memset]", work);
                return work;
            },
            std::move(given)};
}

cudaError_t queue(Fill f, cudaStream_t handle) {
    const auto stream = Scheduler::get().find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (const auto block = device_of(MemoryTable::get().find(f.to.at))) f.device = *block;
    if (auto e = check(f, stream->capture ? Absent::found : Absent::hidden); e != cudaSuccess) return e;
    return submit(stream, operation(f), !stream->capture && is_pageable(f.to.at, 1) ? Wait::yes : Wait::no, true);
}

}  // namespace warpwright::cudart
