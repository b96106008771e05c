// What kernels ask of the system: printf, assert, malloc, clocks; and the ways a kernel ends badly.
#include <chrono>
#include <cstring>

#include "engine/checked/regular_access.hpp"
#include "engine/run/executor.hpp"
#include "engine/runtime/lane_bytes.hpp"
#include "ptx/place.hpp"
#include "simt/ir.hpp"

namespace warpwright::engine {

Location location(const ptx::Module& module, const ptx::Instruction* inst) {
    if (!inst) return {module.name, 0, 0};
    const auto at = ptx::own_place(module, *inst);
    if (at.line && at.file < module.files.size()) return {module.files[at.file], at.line, 0};
    return {module.name, inst->line, inst->column};
}

std::string thread_text(const BlockContext& c, const WarpFrame& f, unsigned lane) {
    const auto& shape = c.executor->launch.code->options.block;
    const auto linear = std::uint64_t{f.warp} * shape.lanes + lane;
    auto triple = [](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
        return "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ")";
    };
    return "thread " + triple(linear % shape.x, linear / shape.x % shape.y, linear / shape.x / shape.y) + " of block " +
           triple(c.ctaid[0], c.ctaid[1], c.ctaid[2]);
}

HostView host_view(BlockContext* c, std::uint64_t address) {
    auto& launch = c->executor->launch;
    if (address - c->shared_window < c->shared_size)
        return {c->shared + (address - c->shared_window), c->shared_size - (address - c->shared_window)};
    if (auto a = launch.memory->find(address))
        return {reinterpret_cast<std::uint8_t*>(address), a->address + a->bytes - address};
    return {};
}

std::string text_at(BlockContext* c, std::uint64_t address) {
    if (address == 0) return "(null)";
    auto v = host_view(c, address);
    return {reinterpret_cast<const char*>(v.at), v.bytes ? strnlen(reinterpret_cast<const char*>(v.at), v.bytes) : 0};
}

namespace {

/// The bytes of a lane's local memory lie apart: words of all lanes one behind the other.
template <class Each>
bool local_bytes(BlockContext* c, WarpFrame* f, unsigned lane, std::uint64_t address, unsigned bytes, Each&& each) {
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const auto at = address - c->local_window;
    if (at + bytes > f->local_size) return false;
    for (unsigned k = 0; k < bytes; ++k) each(k, f->local[((at + k) >> 2) * 4 * lanes + 4 * lane + ((at + k) & 3)]);
    return true;
}

}  // namespace

bool read_lane(BlockContext* c, WarpFrame* f, unsigned lane, std::uint64_t address, void* to, unsigned bytes) {
    auto* out = static_cast<std::uint8_t*>(to);
    if (address - c->local_window < kWindowBytes)
        return local_bytes(c, f, lane, address, bytes, [&](unsigned k, std::uint8_t& b) { out[k] = b; });
    auto v = host_view(c, address);
    if (v.bytes < bytes) return false;
    std::memcpy(to, v.at, bytes);
    return true;
}

bool write_lane(BlockContext* c, WarpFrame* f, unsigned lane, std::uint64_t address, const void* from, unsigned bytes) {
    const auto* in = static_cast<const std::uint8_t*>(from);
    if (address - c->local_window < kWindowBytes)
        return local_bytes(c, f, lane, address, bytes, [&](unsigned k, std::uint8_t& b) { b = in[k]; });
    auto v = host_view(c, address);
    if (v.bytes < bytes) return false;
    std::memcpy(v.at, from, bytes);
    if (c->check) {
        if (address - c->shared_window < c->shared_size) {
            if (auto& shared = checked(c).shared) shared->set_written(address - c->shared_window, bytes);
        } else if (launch_of(c).shadow->covers(address, bytes)) {
            launch_of(c).shadow->set_written(address, bytes);
        }
    }
    return true;
}

namespace {

/// printf's formatting with CUDA's argument buffer: int 4 bytes, double and 64-bit 8, each aligned to its size.
std::string format(BlockContext* c, WarpFrame* f, unsigned lane, const std::string& text, std::uint64_t arguments) {
    std::string out;
    std::uint64_t at = arguments;
    auto next = [&](void* to, unsigned bytes) {
        at = (at + bytes - 1) / bytes * bytes;
        std::memset(to, 0, bytes);
        read_lane(c, f, lane, at, to, bytes);
        at += bytes;
    };
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] != '%') {
            out += text[i++];
            continue;
        }
        std::size_t e = i + 1;
        std::string spec = "%";
        unsigned longs = 0, shorts = 0;
        bool size_type = false;
        while (e < text.size() && std::strchr("-+ #0123456789.*hlLzjt", text[e])) {
            const char x = text[e++];
            if (x == 'l' || x == 'L')
                ++longs;
            else if (x == 'h')
                ++shorts;
            else if (x == 'z' || x == 'j' || x == 't')
                size_type = true;
            else if (x == '*') {
                std::int32_t star;
                next(&star, 4);
                spec += std::to_string(star);
            } else {
                spec += x;
            }
        }
        if (e >= text.size()) {
            out += text.substr(i);
            break;
        }
        const char kind = text[e++];
        char buffer[512];
        buffer[0] = 0;
        const bool wide = longs > 0 || size_type;
        switch (kind) {
            case '%':
                out += '%';
                break;
            case 'd':
            case 'i': {
                std::int64_t x = 0;
                std::int32_t y = 0;
                if (wide)
                    next(&x, 8);
                else {
                    next(&y, 4);
                    x = shorts >= 2 ? static_cast<signed char>(y) : shorts ? static_cast<short>(y) : y;
                }
                std::snprintf(buffer, sizeof buffer, (spec + "lld").c_str(), static_cast<long long>(x));
                break;
            }
            case 'u':
            case 'x':
            case 'X':
            case 'o': {
                std::uint64_t x = 0;
                std::uint32_t y = 0;
                if (wide)
                    next(&x, 8);
                else {
                    next(&y, 4);
                    x = shorts >= 2 ? static_cast<unsigned char>(y) : shorts ? static_cast<unsigned short>(y) : y;
                }
                std::snprintf(buffer, sizeof buffer, (spec + "ll" + kind).c_str(), static_cast<unsigned long long>(x));
                break;
            }
            case 'c': {
                std::int32_t x;
                next(&x, 4);
                std::snprintf(buffer, sizeof buffer, (spec + "c").c_str(), x);
                break;
            }
            case 'p': {
                std::uint64_t x;
                next(&x, 8);
                std::snprintf(buffer, sizeof buffer, (spec + "p").c_str(), reinterpret_cast<void*>(x));
                break;
            }
            case 's': {
                std::uint64_t x;
                next(&x, 8);
                std::snprintf(buffer, sizeof buffer, (spec + "s").c_str(), text_at(c, x).c_str());
                break;
            }
            case 'a':
            case 'A':
            case 'e':
            case 'E':
            case 'f':
            case 'F':
            case 'g':
            case 'G': {
                double x;
                next(&x, 8);
                std::snprintf(buffer, sizeof buffer, (spec + kind).c_str(), x);
                break;
            }
            default:
                out += text.substr(i, e - i);
                break;
        }
        out += buffer;
        i = e;
    }
    return out;
}

}  // namespace

void forget_sites(Executor& executor, std::uint64_t address) {
    for (auto& s : executor.sites)
        if (s.base == address) {
            s.base = reinterpret_cast<std::uint64_t>(&s);
            s.limit = s.span = s.limit_bytes = 0;
        }
}

void fail_at(BlockContext* c, std::uint32_t block, std::string what, std::string hint) {
    auto& launch = c->executor->launch;
    const auto& code = *launch.code;
    const auto* inst = block < code.block_line.size() ? code.block_line[block] : nullptr;
    if (!inst && block < code.block_end.size()) inst = code.block_end[block];
    launch.fail({ErrorKind::fault, std::move(what), location(*code.module, inst), std::move(hint)});
}

extern "C" {

std::uint32_t ww_rt_system_call(BlockContext* c, WarpFrame* f, std::uint32_t which, std::uint32_t block,
                                std::uint64_t mask, const std::uint64_t* in, std::uint64_t* out) {
    auto& launch = c->executor->launch;
    const unsigned lanes = launch.code->options.block.lanes;
    auto argument = [&](unsigned k, unsigned lane) { return in[k * lanes + lane]; };
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        switch (static_cast<simt::SystemCall>(which)) {
            case simt::SystemCall::print: {
                auto text = format(c, f, l, text_at(c, argument(0, l)), argument(1, l));
                std::lock_guard lock(launch.mutex);
                launch.output += text;
                out[l] = text.size();
                break;
            }
            case simt::SystemCall::assert_fail: {
                auto file = text_at(c, argument(1, l));
                launch.fail({ErrorKind::fault,
                             "assertion `" + text_at(c, argument(0, l)) + "' failed in " + text_at(c, argument(3, l)) +
                                 ", " + thread_text(*c, *f, l),
                             {file, static_cast<unsigned>(argument(2, l) & 0xffffffffu), 0},
                             ""});
                return 0;
            }
            case simt::SystemCall::allocate: {
                auto a = launch.memory->allocate(argument(0, l));
                out[l] = a ? *a : 0;
                break;
            }
            case simt::SystemCall::release:
                if (auto r = launch.memory->release(argument(0, l)); !r) {
                    fail_at(c, block, "free of an address that is not allocated, by " + thread_text(*c, *f, l));
                    return 0;
                }
                forget_sites(*c->executor, argument(0, l));
                break;
            case simt::SystemCall::none:
                return 0;
            default:
                if (!device_call(c, f, which, block, l, in + l, lanes, out[l])) return 0;
                break;
        }
    }
    return 1;
}

void ww_rt_stopped(BlockContext* c, WarpFrame*, std::uint32_t block) {
    auto& launch = c->executor->launch;
    if (!launch.timed_out) return;
    fail_at(c, block,
            "the kernel did not end in time: block (" + std::to_string(c->ctaid[0]) + "," +
                std::to_string(c->ctaid[1]) + "," + std::to_string(c->ctaid[2]) + ") is still in this loop",
            "a longer --timeout, if it should take that long");
}

void ww_rt_trap(BlockContext* c, WarpFrame* f, std::uint32_t block) {
    fail_at(c, block, "trap executed by " + thread_text(*c, *f, 0) + " or its warp");
}

void ww_rt_bad_call(BlockContext* c, WarpFrame*, std::uint32_t block, std::uint64_t) {
    fail_at(c, block, "call through a pointer that is no function");
}

std::uint32_t ww_rt_enter(BlockContext* c, WarpFrame* f, std::uint32_t block, std::uint64_t stack) {
    // The host's stack a call takes is not known here; 64 MiB hold this many of any size seen.
    if (++f->depth > 2000 || stack + 4096 > f->local_size) {
        fail_at(c, block,
                "calls nested too deep (" + std::to_string(f->depth) + " deep, " + std::to_string(stack) +
                    " bytes of stack a thread): endless recursion?");
        return 0;
    }
    f->rotate = 0;  // the callee's turns are its own
    if (c->executor->launch.stop) return 0;
    return 1;
}
void ww_rt_left(BlockContext*, WarpFrame* f) {
    --f->depth;
    f->rotate = 0;
}

void ww_rt_sleep(BlockContext*, WarpFrame*) {}

std::uint64_t ww_rt_globaltimer() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count());
}
std::uint64_t ww_rt_clock() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
}

/// Where a cooperative grid has its barrier, in two halves: what the toolkit's grid groups ask for.
std::uint32_t ww_rt_envreg(BlockContext* c, std::uint32_t which) {
    return static_cast<std::uint32_t>(c->executor->launch.grid_barrier >> (which == 1 ? 32 : 0));
}
}

}  // namespace warpwright::engine
