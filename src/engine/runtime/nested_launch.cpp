// The device's side of the runtime library: launches, streams, events, copies, queries. Each thread has its own error;
// calls return the errors that the CUDA documentation names.
#include <algorithm>
#include <cstring>
#include <optional>

#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/grid_work.hpp"
#include "engine/runtime/lane_bytes.hpp"
#include "engine/runtime/texts.hpp"
#include "engine/shared/executor.hpp"
#include "engine/shared/program.hpp"
#include "engine/shared/step_gate.hpp"
#include "simt/passes.hpp"

namespace warpwright::engine {

namespace {

using simt::SystemCall;
namespace error = device_error;

// Handles of the predefined streams.
constexpr std::uint64_t kLastDefault = 2, kTailLaunch = 3, kFireAndForget = 4;
constexpr std::uint32_t kNonBlocking = 1, kDisableTiming = 2;
/// cudaLimitDevRuntimePendingLaunchCount, and its default.
constexpr std::uint64_t kPendingLimit = 4, kMostPending = 2048;

struct Call {
    BlockContext* c;
    WarpFrame* f;
    std::uint32_t block;
    unsigned lane;
    const std::uint64_t* in;
    unsigned stride;

    std::uint64_t operator[](unsigned k) const { return in[k * stride]; }
    std::uint32_t word(unsigned k) const { return static_cast<std::uint32_t>(in[k * stride]); }
    LaunchShared& launch() const { return c->executor->launch; }
    GridWork& grid() const { return *launch().work; }
    NestedHost* host() const { return grid().request().nested; }
    ResidentBlock& resident() const { return *c->executor->current; }

    BlockWork& work() const {
        auto& w = resident().work;
        if (!w) {
            w = std::make_shared<BlockWork>();
            w->block = resident().index;
        }
        return *w;
    }
    std::uint32_t& last_error() const {
        auto& errors = work().errors;
        const auto& shape = launch().code->options.block;
        const auto thread = std::size_t{f->warp} * shape.lanes + lane;
        if (errors.size() <= thread) errors.resize(std::max<std::size_t>(shape.threads(), thread + 1), 0);
        return errors[thread];
    }
    template <class T>
    std::uint32_t give(std::uint64_t address, T value) const {
        return write_lane(c, f, lane, address, &value, sizeof value) ? 0 : error::invalid_value;
    }
    std::uint32_t ask(Question question, std::initializer_list<std::uint64_t> arguments, std::vector<std::byte>& answer,
                      ptx::SymbolId function = ptx::kNoId) const {
        return host() ? host()->ask(question, function, arguments.begin(), answer) : error::not_supported;
    }
    /// Stores the answer at `address`.
    std::uint32_t ask_for(std::uint64_t address, Question question, std::initializer_list<std::uint64_t> arguments,
                          ptx::SymbolId function = ptx::kNoId) const {
        std::vector<std::byte> answer;
        if (const auto e = ask(question, arguments, answer, function)) return e;
        return write_lane(c, f, lane, address, answer.data(), static_cast<unsigned>(answer.size()))
                   ? 0
                   : error::invalid_value;
    }
    /// The kernel behind an address; ptx::kNoId: none.
    ptx::SymbolId kernel(std::uint64_t address) const {
        const auto& functions = grid().program().module.functions;
        const auto token = (address - simt_function_token(0)) / 16;
        if (address < simt_function_token(0) || token >= functions.size() ||
            address != simt_function_token(static_cast<std::uint32_t>(token)))
            return ptx::kNoId;
        return functions[token].entry && functions[token].defined ? static_cast<ptx::SymbolId>(token) : ptx::kNoId;
    }
    std::uint64_t most_pending() const {
        std::vector<std::byte> answer;
        std::uint64_t most = kMostPending;
        if (host() && ask(Question::limit, {kPendingLimit}, answer) == 0 && answer.size() == 8)
            std::memcpy(&most, answer.data(), 8);
        return most;
    }
};

/// The stream of a handle. A null `place`: runs at once.
std::uint32_t stream_of(const Call& call, std::uint64_t handle, WorkPlace*& place) {
    place = nullptr;
    if (handle == kFireAndForget) return 0;
    if (handle <= kLastDefault) {
        place = &call.work().stream;
        return 0;
    }
    place = call.grid().find(handle, false);
    return place ? 0 : error::invalid_handle;
}

std::uint32_t check_grid(const Call& call, std::uint64_t function, const Call& from, unsigned first,
                         std::uint64_t shared, ChildGrid& g) {
    g.kernel = call.kernel(function);
    if (g.kernel == ptx::kNoId) return error::invalid_device_function;
    const auto extent = [&](unsigned at) {
        return launch::Extent{from.word(at), from.word(at + 1), from.word(at + 2)};
    };
    g.config.grid = extent(first), g.config.block = extent(first + 3);
    g.config.dynamic_shared = static_cast<std::uint32_t>(shared);
    return call.host() ? call.host()->check(g) : error::not_supported;
}

std::uint32_t launch(const Call& call, NestedLaunch next, std::uint64_t stream) {
    auto& grid = call.grid();
    auto& g = next.grid;
    const bool tail = stream == kTailLaunch;
    g.parent = grid.request().id;
    g.depth = grid.request().depth + !tail;
    if (g.depth > kMostNested) return error::depth_exceeded;
    WorkPlace* place = nullptr;
    if (!tail)
        if (const auto e = stream_of(call, stream, place)) return e;
    g.id = grid.engine().next_id();
    // From here on the parameters belong to the grid, which only reads them.
    if (next.parameters.at()) {
        call.launch().memory->set_use(next.parameters.at(), MemoryUse::constant);
        forget_sites(*call.c->executor, next.parameters.at());
    }
    if (tail) return grid.queue_tail(std::move(next), call.most_pending()) ? 0 : error::pending_exceeded;
    if (call.work().items.size() >= call.most_pending()) return error::pending_exceeded;
    auto item = std::make_shared<WorkItem>();
    item->kind = WorkItem::Kind::grid;
    item->grid = g;
    item->parameters = std::move(next.parameters);
    grid.queue(call.work(), std::move(item), place);
    return 0;
}

std::uint32_t new_buffer(const Call& call, NestedLaunch next, std::uint64_t& out) {
    if (call.work().buffers.size() >= call.most_pending()) return error::memory_allocation;
    auto block = call.grid().engine().take_parameters();
    if (!block) return error::memory_allocation;
    out = block->at();
    call.launch().memory->set_use(out, MemoryUse::data);  // threads fill it in
    next.parameters = std::move(*block);
    call.work().buffers[out] = std::move(next);
    return 0;
}

/// The parameters that a thread has filled in; an empty launch if the address is no such buffer.
std::uint32_t take_buffer(const Call& call, std::uint64_t address, NestedLaunch& out) {
    auto& buffers = call.work().buffers;
    const auto found = buffers.find(address);
    if (found == buffers.end()) return error::invalid_value;
    out = std::move(found->second);
    buffers.erase(found);
    return 0;
}

std::uint32_t move(const Call& call, Rows rows, bool fill, std::uint64_t stream) {
    if (stream == kTailLaunch) return error::not_supported;
    // The address must not be in a block's own memory.
    const auto own = [&](std::uint64_t a) {
        return a - call.c->shared_window < kSharedWindows || a - call.c->local_window < kWindowBytes;
    };
    if (rows.width && (!rows.to || own(rows.to) || (!fill && (!rows.from || own(rows.from)))))
        return error::invalid_value;
    if (rows.depth > 1 && (rows.to_slice < rows.width || (!fill && rows.from_slice < rows.width)))
        return error::invalid_value;
    if (rows.height > 1 && (rows.to_pitch < rows.width || (!fill && rows.from_pitch < rows.width)))
        return error::invalid_value;
    WorkPlace* place = nullptr;
    if (const auto e = stream_of(call, stream, place)) return e;
    if (call.work().items.size() >= call.most_pending()) return error::pending_exceeded;
    auto item = std::make_shared<WorkItem>();
    item->kind = fill ? WorkItem::Kind::fill : WorkItem::Kind::copy;
    item->rows = rows;
    item->where = block_location(*call.launch().code, call.block);
    call.grid().queue(call.work(), std::move(item), place);
    return 0;
}

/// The documented structure of a three-dimensional copy: the device's side has no arrays.
std::uint32_t move_3d(const Call& call, std::uint64_t address, std::uint64_t stream) {
    enum {
        from_array,
        from_x,
        from_y,
        from_z,
        from,
        from_pitch,
        from_width,
        from_rows,
        to_array,
        to_x,
        to_y,
        to_z,
        to,
        to_pitch,
        to_width,
        to_rows,
        width,
        height,
        depth,
        words
    };
    std::uint64_t p[words];
    if (!read_lane(call.c, call.f, call.lane, address, p, sizeof p)) return error::invalid_value;
    if (p[from_array] || p[to_array]) return error::not_supported;
    Rows r;
    r.width = p[width], r.height = p[height], r.depth = p[depth];
    r.to_pitch = p[to_pitch], r.to_slice = p[to_pitch] * p[to_rows], r.from_pitch = p[from_pitch],
    r.from_slice = p[from_pitch] * p[from_rows];
    r.to = p[to] + p[to_z] * r.to_slice + p[to_y] * r.to_pitch + p[to_x];
    r.from = p[from] + p[from_z] * r.from_slice + p[from_y] * r.from_pitch + p[from_x];
    return move(call, r, false, stream);
}

/// Waits for all that the block has queued.
void synchronize(const Call& call) {
    if (call.work().items.empty()) return;
    auto* check = call.launch().check;
    if (check) check->gate->leave();
    call.grid().run(call.work());
    if (check) check->gate->enter();
}

/// cudaLaunchDeviceV2: parameters and shape are in a buffer that GetParameterBufferV2 gave.
std::uint32_t launch_buffer(const Call& a) {
    NestedLaunch next;
    if (const auto e = take_buffer(a, a[0], next)) return e;
    if (next.grid.kernel == ptx::kNoId) return error::invalid_value;
    return launch(a, std::move(next), a[1]);
}

/// cudaLaunchDevice: the shape is among the arguments.
std::uint32_t launch_shape(const Call& a) {
    NestedLaunch next;
    if (a[1] == 0) {  // a kernel without parameters
        std::uint64_t at = 0;
        if (const auto e = new_buffer(a, {}, at)) return e;
        (void)take_buffer(a, at, next);
    } else if (const auto e = take_buffer(a, a[1], next)) {
        return e;
    }
    if (const auto e = check_grid(a, a[0], a, 2, a[8], next.grid)) return e;
    return launch(a, std::move(next), a[9]);
}

/// A new stream or event, its handle at the address given.
std::uint32_t create(const Call& a, bool event) {
    const auto handle = a.grid().make(event);
    return handle ? a.give(a[0], handle) : error::memory_allocation;
}

std::uint32_t destroy(const Call& a, bool event) {
    auto* place = a.grid().find(a[0], event);
    if (!place) return error::invalid_handle;
    place->destroyed = true;
    return 0;
}

/// A stream waits for an event (`wait`), or the event is recorded in it.
std::uint32_t meet_event(const Call& a, bool wait) {
    auto& grid = a.grid();
    auto* event = grid.find(a[wait ? 1 : 0], true);
    const auto handle = a[wait ? 0 : 1];
    if (!event) return error::invalid_handle;
    if (handle == kTailLaunch || handle == kFireAndForget) return error::invalid_value;
    WorkPlace* stream = nullptr;
    if (const auto e = stream_of(a, handle, stream)) return e;
    if (wait && a.work().items.size() >= a.most_pending()) return error::pending_exceeded;
    if (wait)
        grid.wait_event(a.work(), *stream, *event);
    else
        grid.record_event(*event, *stream);
    return 0;
}

/// An answer about a kernel.
std::uint32_t ask_of_kernel(const Call& a, Question question, std::initializer_list<std::uint64_t> arguments) {
    const auto kernel = a.kernel(a[1]);
    return kernel == ptx::kNoId ? error::invalid_device_function : a.ask_for(a[0], question, arguments, kernel);
}

std::uint32_t allocate(const Call& a) {
    if (a[1] == 0) return a.give(a[0], std::uint64_t{0});
    const auto at = a.launch().memory->allocate(a[1], MemoryUse::heap);
    return at ? a.give(a[0], *at) : error::memory_allocation;
}

std::uint32_t release(const Call& a) {
    if (!a.launch().memory->release_heap(a[0])) return error::invalid_value;
    forget_sites(*a.c->executor, a[0]);
    return 0;
}

/// Copies and fills; none where the call is neither.
std::optional<std::uint32_t> moved(const Call& a, SystemCall which) {
    const auto byte = [&](unsigned k) { return static_cast<std::uint8_t>(a[k]); };
    Rows r;
    r.to = a[0];
    switch (which) {
        case SystemCall::MemcpyAsync:
            r.from = a[1], r.width = a[2];
            return move(a, r, false, a[4]);
        case SystemCall::Memcpy2DAsync:
            r.to_pitch = a[1], r.from = a[2], r.from_pitch = a[3], r.width = a[4], r.height = a[5];
            return move(a, r, false, a[7]);
        case SystemCall::Memcpy3DAsync:
            return move_3d(a, a[0], a[1]);
        case SystemCall::MemsetAsync:
            r.value = byte(1), r.width = a[2];
            return move(a, r, true, a[3]);
        case SystemCall::Memset2DAsync:
            r.to_pitch = a[1], r.value = byte(2), r.width = a[3], r.height = a[4];
            return move(a, r, true, a[5]);
        case SystemCall::Memset3DAsync:
            r.to_pitch = a[1], r.to_slice = a[1] * a[3], r.value = byte(4);
            r.width = a[5], r.height = a[6], r.depth = a[7];
            return move(a, r, true, a[8]);
        default:
            return std::nullopt;
    }
}

/// Questions of the device and its kernels; none where the call is no question.
std::optional<std::uint32_t> answered(const Call& a, SystemCall which) {
    switch (which) {
        case SystemCall::GetDevice:
            return a.give(a[0], std::int32_t{0});
        case SystemCall::GetDeviceCount:
            return a.ask_for(a[0], Question::devices, {});
        case SystemCall::RuntimeGetVersion:
            return a.ask_for(a[0], Question::version, {});
        case SystemCall::DeviceGetAttribute:
            return a.ask_for(a[0], Question::attribute, {a.word(1), a.word(2)});
        case SystemCall::DeviceGetLimit:
            return a.ask_for(a[0], Question::limit, {a.word(1)});
        case SystemCall::DeviceGetCacheConfig:
            return a.give(a[0], std::int32_t{0});  // no preference
        case SystemCall::DeviceGetSharedMemConfig:
            return a.give(a[0], std::int32_t{1});  // banks of four bytes
        case SystemCall::FuncGetAttributes:
            return ask_of_kernel(a, Question::function_attributes, {});
        case SystemCall::OccupancyMaxActiveBlocksPerMultiprocessor:
        case SystemCall::OccupancyMaxActiveBlocksPerMultiprocessorWithFlags:
            return ask_of_kernel(a, Question::occupancy, {a.word(2), a[3]});
        default:
            return std::nullopt;
    }
}

std::uint32_t status_of(const Call& a, SystemCall which) {
    if (const auto status = moved(a, which)) return *status;
    if (const auto status = answered(a, which)) return *status;
    switch (which) {
        case SystemCall::LaunchDeviceV2:
            return launch_buffer(a);
        case SystemCall::LaunchDevice:
            return launch_shape(a);
        case SystemCall::DeviceSynchronize:
            synchronize(a);
            return 0;
        case SystemCall::StreamCreateWithFlags:
            return a.word(1) == kNonBlocking ? create(a, false) : error::invalid_value;
        case SystemCall::StreamDestroy:
            return destroy(a, false);
        case SystemCall::EventCreateWithFlags:
            return a.word(1) & kDisableTiming ? create(a, true) : error::invalid_value;
        case SystemCall::EventDestroy:
            return destroy(a, true);
        case SystemCall::EventRecord:
        case SystemCall::EventRecordWithFlags:
            return meet_event(a, false);
        case SystemCall::StreamWaitEvent:
            return meet_event(a, true);
        case SystemCall::Malloc:
            return allocate(a);
        case SystemCall::Free:
            return release(a);
        case SystemCall::GraphLaunch: {
            std::vector<std::byte> none;
            return a.ask(Question::launch_graph, {a[0], a[1]}, none);
        }
        default:
            return error::not_supported;
    }
}

}  // namespace

bool device_call(BlockContext* c, WarpFrame* f, std::uint32_t number, std::uint32_t block, unsigned lane,
                 const std::uint64_t* in, unsigned stride, std::uint64_t& out) {
    const Call a{c, f, block, lane, in, stride};
    const auto which = static_cast<SystemCall>(number);
    std::uint32_t status = 0;
    std::vector<std::byte> answer;
    out = 0;
    switch (which) {
        case SystemCall::GetLastError:
            out = std::exchange(a.last_error(), 0);
            return true;
        case SystemCall::PeekAtLastError:
            out = a.last_error();
            return true;
        case SystemCall::GetErrorName:
        case SystemCall::GetErrorString: {
            const bool name = which == SystemCall::GetErrorName;
            // Each text has a place in device memory for good: those of numbers that nobody knows are one.
            std::string text = "unrecognized error code";
            if (a.ask(name ? Question::error_name : Question::error_string, {a.word(0)}, answer) == 0)
                text = reinterpret_cast<const char*>(answer.data());
            if (auto at = a.grid().engine().text(text)) out = *at;
            return true;
        }
        case SystemCall::GetParameterBuffer:
            status = a[1] > ParameterBlock::kBytes / 2 ? error::invalid_value : new_buffer(a, {}, out);
            break;
        case SystemCall::GetParameterBufferV2: {
            NestedLaunch next;
            status = check_grid(a, a[0], a, 1, a[7], next.grid);
            if (!status && a.work().items.size() >= a.most_pending()) status = error::pending_exceeded;
            if (!status) status = new_buffer(a, std::move(next), out);
            break;
        }
        case SystemCall::GraphSetConditional:
            if (const auto e = a.ask(Question::set_conditional, {a[0], a.word(1)}, answer)) {
                fail_at(c, block, Cause::invalid_handle,
                        e == error::not_supported
                            ? "cudaGraphSetConditional outside of a graph's launch"
                            : "cudaGraphSetConditional: the handle is none of a conditional node, by " +
                                  thread_text(*c, *f, lane));
                return false;
            }
            return true;
        default:
            status = status_of(a, which), out = status;
            break;
    }
    if (status) a.last_error() = status;
    return !a.launch().stop;
}

}  // namespace warpwright::engine
