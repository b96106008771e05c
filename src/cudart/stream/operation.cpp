#include "cudart/stream/operation.hpp"

#include <cstring>
#include <vector>

#include "cudart/graph/graph.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/observe/host_checks.hpp"
#include "cudart/observe/recorder.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cudart {
namespace {

/// Bytes from the first to behind the last.
std::uint64_t span_of(const Place& p, const Copy& c) {
    if (c.bytes() == 0) return 0;
    return (c.depth - 1) * p.slice + (c.height - 1) * p.pitch + c.width;
}

bool inside(const Block& block, const std::byte* at, std::uint64_t bytes) {
    return reinterpret_cast<std::uint64_t>(at) - block.address + bytes <= block.bytes;
}

const char* name_of(cudaMemcpyKind kind) {
    switch (kind) {
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

double seconds_of(cudaMemcpyKind kind, std::uint64_t bytes) {
    const auto& m = Runtime::get().model();
    const double link = m.links.pcie > 0 ? m.links.pcie : 16e9;
    const double memory = m.memory.bandwidth > 0 ? m.memory.bandwidth : 500e9;
    double rate = memory / 2;
    if (kind == cudaMemcpyHostToDevice) rate = m.ceilings.to_device > 0 ? m.ceilings.to_device : link;
    if (kind == cudaMemcpyDeviceToHost) rate = m.ceilings.to_host > 0 ? m.ceilings.to_host : link;
    if (kind == cudaMemcpyDeviceToDevice && m.ceilings.dram_copy > 0) rate = m.ceilings.dram_copy / 2;
    return 1e-6 + static_cast<double>(bytes) / rate;
}

/// Under the checkers: what the host wrote counts as written, what was copied is what it was.
void tell(const std::byte* to, const std::byte* from, std::uint64_t bytes) {
    auto* device = Runtime::get().device();
    const auto at = reinterpret_cast<device::Address>(to);
    if (from && device->allocation(reinterpret_cast<device::Address>(from)))
        device->copied(at, reinterpret_cast<device::Address>(from), bytes);
    else
        device->written(at, bytes);
}

void move(const Copy& c) {
    const bool checks = Checks::on();
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

cudaError_t submit(const std::shared_ptr<Stream>& stream, Operation operation, Wait wait, bool light) {
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (stream->capture) {
        if (wait == Wait::yes) return cudaErrorStreamCaptureUnsupported;
        return stream->capture->add(std::move(operation), stream);
    }
    auto& scheduler = Scheduler::get();
    auto ticket = scheduler.put(
        stream, [run = std::move(operation.run), raw = stream.get()](double start) { return run(*raw, start); }, light);
    if (wait == Wait::yes) {
        scheduler.wait(ticket);
        Runtime::get().flush_print();
    }
    return cudaSuccess;
}

cudaError_t check(Copy& c) {
    if (c.bytes() == 0) return cudaSuccess;
    if (!c.to.at || !c.from.at) return cudaErrorInvalidValue;
    if (c.height > 1 && (c.to.pitch < c.width || c.from.pitch < c.width)) return cudaErrorInvalidPitchValue;
    auto& table = MemoryTable::get();
    const auto to = table.find(c.to.at), from = table.find(c.from.at);
    if ((to && !inside(*to, c.to.at, span_of(c.to, c))) || (from && !inside(*from, c.from.at, span_of(c.from, c))))
        return cudaErrorInvalidValue;
    const bool to_device = to && to->kind != Block::Kind::pinned && to->kind != Block::Kind::registered;
    const bool from_device = from && from->kind != Block::Kind::pinned && from->kind != Block::Kind::registered;
    switch (c.kind) {
        case cudaMemcpyHostToDevice:
            if (!to) return cudaErrorInvalidValue;
            break;
        case cudaMemcpyDeviceToHost:
            if (!from) return cudaErrorInvalidValue;
            break;
        case cudaMemcpyDeviceToDevice:
            if (!to || !from) return cudaErrorInvalidValue;
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
            [c](const Stream& stream, double start) {
                if (c.bytes()) move(c);
                const double seconds = seconds_of(c.kind, c.bytes());
                Recorder::get().copy(name_of(c.kind), c.bytes(), stream.id, start, seconds);
                return seconds;
            },
            std::move(given)};
}

cudaError_t queue(Copy c, cudaStream_t handle, Wait wait) {
    auto& scheduler = Scheduler::get();
    auto stream = scheduler.find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (auto e = check(c); e != cudaSuccess) return e;
    if (wait == Wait::yes && c.kind == cudaMemcpyDeviceToDevice) wait = Wait::no;  // only the device takes part
    if (wait == Wait::yes || stream->capture) return submit(stream, operation(c), wait, true);
    auto& table = MemoryTable::get();
    const bool from_pageable = c.kind == cudaMemcpyHostToDevice && !table.find(c.from.at);
    const bool to_pageable = c.kind == cudaMemcpyDeviceToHost && !table.find(c.to.at);
    if (to_pageable || c.kind == cudaMemcpyHostToHost) return submit(stream, operation(c), Wait::yes, true);
    if (from_pageable && !scheduler.idle(stream)) {
        // The program may write to its memory again as soon as this call returns.
        auto staged = std::make_shared<std::vector<std::byte>>(c.bytes());
        Copy in = c, out = c;
        in.to = {staged->data(), c.width, c.width * c.height};
        out.from = in.to;
        move(in);
        auto o = operation(out);
        o.run = [run = std::move(o.run), staged](const Stream& s, double start) { return run(s, start); };
        return submit(stream, std::move(o), Wait::no, true);
    }
    if (from_pageable) return submit(stream, operation(c), Wait::yes, true);
    return submit(stream, operation(c), Wait::no, c.bytes() <= 4096);
}

cudaError_t copy_of(Copy& c, const cudaMemcpy3DParms& p) {
    if ((p.srcArray != nullptr) == (p.srcPtr.ptr != nullptr) || (p.dstArray != nullptr) == (p.dstPtr.ptr != nullptr))
        return cudaErrorInvalidValue;
    // With an array on either side, widths count its elements; else bytes.
    const std::size_t element = p.srcArray ? p.srcArray->element : p.dstArray ? p.dstArray->element : 1;
    c.width = p.extent.width * element;
    c.height = p.extent.height;
    c.depth = p.extent.depth;
    auto side = [&](cudaArray_t array, const cudaPos& pos, const cudaPitchedPtr& pointer) {
        Place place;
        if (array) {
            place = {array->data + pos.z * array->slice() + pos.y * array->pitch() + pos.x * array->element,
                     array->pitch(), array->slice()};
        } else {
            const std::size_t rows = pointer.ysize ? pointer.ysize : c.height;
            place = {static_cast<std::byte*>(pointer.ptr), pointer.pitch, pointer.pitch * rows};
            place.at += pos.z * place.slice + pos.y * place.pitch + pos.x;
        }
        return place;
    };
    c.to = side(p.dstArray, p.dstPos, p.dstPtr);
    c.from = side(p.srcArray, p.srcPos, p.srcPtr);
    auto outside = [&](cudaArray_t a, const cudaPos& pos) {
        return a &&
               (pos.x + p.extent.width > a->width() || pos.y + c.height > a->height() || pos.z + c.depth > a->depth());
    };
    if (outside(p.srcArray, p.srcPos) || outside(p.dstArray, p.dstPos)) return cudaErrorInvalidValue;
    c.kind = p.kind;
    c.given = std::make_shared<cudaMemcpy3DParms>(p);
    return cudaSuccess;
}

cudaError_t check(const Fill& f) {
    if (f.element != 1 && f.element != 2 && f.element != 4) return cudaErrorInvalidValue;
    const std::uint64_t width = std::uint64_t{f.width} * f.element;
    if (width == 0 || f.height == 0 || f.depth == 0) return cudaSuccess;
    if (f.height > 1 && f.to.pitch < width) return cudaErrorInvalidPitchValue;
    auto block = MemoryTable::get().find(f.to.at);
    if (!block || !inside(*block, f.to.at, (f.depth - 1) * f.to.slice + (f.height - 1) * f.to.pitch + width))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

Operation operation(const Fill& f) {
    auto given = std::make_shared<NodeParameters>();
    given->fill = {f.to.at, f.to.pitch, f.value, f.element, f.width, f.height};
    return {cudaGraphNodeTypeMemset,
            [f](const Stream& stream, double start) {
                const std::size_t width = f.width * f.element;
                for (std::size_t z = 0; z < f.depth; ++z)
                    for (std::size_t y = 0; y < f.height; ++y) {
                        std::byte* row = f.to.at + z * f.to.slice + y * f.to.pitch;
                        if (f.element == 1) {
                            std::memset(row, static_cast<int>(f.value), width);
                        } else {
                            for (std::size_t x = 0; x < width; x += f.element)
                                std::memcpy(row + x, &f.value, f.element);
                        }
                        if (Checks::on()) tell(row, nullptr, width);
                    }
                const auto bytes = std::uint64_t{width} * f.height * f.depth;
                const double seconds = seconds_on_device(true, bytes);
                Recorder::get().copy("[CUDA memset]", bytes, stream.id, start, seconds);
                return seconds;
            },
            std::move(given)};
}

double seconds_on_device(bool fill, std::uint64_t bytes) {
    if (!fill) return seconds_of(cudaMemcpyDeviceToDevice, bytes);
    const auto& m = Runtime::get().model();
    const double rate = m.ceilings.dram_write > 0 ? m.ceilings.dram_write
                        : m.memory.bandwidth > 0  ? m.memory.bandwidth
                                                  : 500e9;
    return 1e-6 + static_cast<double>(bytes) / rate;
}

cudaError_t queue(const Fill& f, cudaStream_t handle) {
    if (auto e = check(f); e != cudaSuccess) return e;
    return submit(Scheduler::get().find(handle), operation(f), Wait::no, true);
}

}  // namespace warpwright::cudart
