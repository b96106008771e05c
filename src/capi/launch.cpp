// One launch: its arguments as a parameter block, memory of the host as device memory, and what came of it.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "capi/checking.hpp"
#include "capi/handles.hpp"
#include "capi/launch_json.hpp"
#include "capi/text.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/launch/launch_observer.hpp"
#include "launch/check.hpp"
#include "launch/pack.hpp"

namespace warpwright::capi {
namespace {

/// Memory of the host that a launch uses. Large memory that begins on a page is used in place; all other is copied.
/// What a launch counts depends on the alignment, and a copy has room behind it for accesses a few bytes past its end,
/// which are only reported: neither must depend on where the host's allocator happens to put an array, and none puts
/// one there by chance.
class HostRange {
public:
    static constexpr std::uint64_t kAlign = 4096, kLarge = std::uint64_t{1} << 20;
    std::uint64_t begin = 0, end = 0;
    bool writable = false;
    std::vector<std::size_t> arguments;

    Result<void> enter(device::Device& device, bool in_place) {
        device_ = &device;
        const std::uint64_t bytes = end - begin;
        if (in_place && writable && begin % kAlign == 0 && bytes >= kLarge &&
            device.host_sharing()->adopt(host(), bytes)) {
            adopted_ = true;
            at_ = begin;
            return {};
        }
        auto made = device.allocate(bytes);
        if (!made) return made.error();
        at_ = *made, copied_ = true;
        return device.write(at_, {static_cast<const std::byte*>(host()), bytes});
    }
    std::uint64_t on_device(std::uint64_t address) const { return at_ + (address - begin); }
    /// Brings back what the kernel wrote. False: it wrote memory that it must not change, which is as it was.
    Result<bool> bring_back() {
        if (!copied_) return true;
        const std::uint64_t bytes = end - begin;
        if (writable) {
            if (auto ok = device_->read({static_cast<std::byte*>(host()), bytes}, at_); !ok) return ok.error();
            return true;
        }
        return std::memcmp(host(), reinterpret_cast<const void*>(at_), bytes) == 0;
    }
    HostRange() = default;
    HostRange(const HostRange&) = delete;
    HostRange(HostRange&& o) noexcept
        : begin(o.begin),
          end(o.end),
          writable(o.writable),
          arguments(std::move(o.arguments)),
          device_(o.device_),
          at_(o.at_),
          adopted_(std::exchange(o.adopted_, false)),
          copied_(std::exchange(o.copied_, false)) {}
    HostRange& operator=(HostRange&&) = delete;
    ~HostRange() {
        if (adopted_) (void)device_->host_sharing()->disown(host());
        if (copied_) (void)device_->release(at_);
    }

private:
    void* host() const { return reinterpret_cast<void*>(begin); }
    device::Device* device_ = nullptr;
    std::uint64_t at_ = 0;
    bool adopted_ = false, copied_ = false;
};

bool is_host(const ww_argument& a) { return a.kind == WW_HOST || a.kind == WW_HOST_READ; }
std::uint64_t address(const ww_argument& a) { return reinterpret_cast<std::uint64_t>(a.data); }

/// The host's memory in the arguments, each byte once: arrays may overlap, and one may be given twice.
Result<std::vector<HostRange>> ranges_of(device::Device& device, std::span<const ww_argument> arguments) {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const auto& a = arguments[k];
        if (!is_host(a) || a.bytes == 0) continue;
        if (!a.data || a.bytes > 0 - address(a))
            return usage(fmt::format("argument {} is no memory of {} bytes", k, a.bytes));
        // Page-locked and managed memory is the device's already.
        if (auto known = device.host_sharing()->allocation(address(a)); known && known->second >= a.bytes) continue;
        order.push_back(k);
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t x, std::size_t y) { return address(arguments[x]) < address(arguments[y]); });
    std::vector<HostRange> out;
    for (const std::size_t k : order) {
        const auto& a = arguments[k];
        const std::uint64_t begin = address(a), end = begin + a.bytes;
        if (out.empty() || begin >= out.back().end) {
            out.emplace_back();
            out.back().begin = begin;
        }
        HostRange& range = out.back();
        range.end = std::max(range.end, end);
        range.writable |= a.kind == WW_HOST;
        range.arguments.push_back(k);
    }
    return out;
}

/// The parameter block, or why an argument does not fit its parameter.
Result<std::vector<std::byte>> pack(const device::KernelInfo& kernel, std::span<const ww_argument> arguments,
                                    const std::vector<HostRange>& ranges) {
    std::vector<std::uint64_t> pointers(arguments.size());
    std::vector<launch::Argument> bytes(arguments.size());
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const auto& a = arguments[k];
        pointers[k] = address(a);
        bytes[k] = launch::argument(pointers[k]);
        if (a.kind == WW_VALUE) bytes[k] = {static_cast<const std::byte*>(a.data), a.data ? a.bytes : 0};
    }
    for (const HostRange& range : ranges)
        for (const std::size_t k : range.arguments) pointers[k] = range.on_device(pointers[k]);
    return launch::pack(kernel, bytes);
}

/// Keeps what one launch came to.
class One final : public cudart::LaunchObserver {
public:
    explicit One(const cudart::Launch& launch) : launch_(launch) { add_observer(*this); }
    ~One() override { remove_observer(*this); }
    void launched(const cudart::Launch& launch, const device::LaunchResult& result, const cudart::Timed& timed,
                  bool) override {
        if (&launch == &launch_) result_ = result, timed_ = timed;
    }
    void failed(const cudart::Launch&, const Error&) override {}
    std::optional<device::LaunchResult>& result() { return result_; }
    std::optional<cudart::Timed>& timed() { return timed_; }

private:
    const cudart::Launch& launch_;
    std::optional<device::LaunchResult> result_;
    std::optional<cudart::Timed> timed_;
};

Result<cudart::Launch> prepared(ww_kernel& kernel, const ww_shape& shape, std::vector<std::byte> parameters,
                                device::Device& device) {
    cudart::Launch launch;
    launch.kernel = kernel.kernel;
    launch.parameters = std::move(parameters);
    auto& c = launch.config;
    c.grid = {shape.grid[0], shape.grid[1], shape.grid[2]};
    c.block = {shape.block[0], shape.block[1], shape.block[2]};
    c.dynamic_shared = shape.dynamic_shared;
    c.cooperative = shape.cooperative != 0;
    auto ok =
        launch::check(*kernel.kernel->info, c, device.limits(), launch.parameters.size(), {kernel.module->name, 0, 0});
    if (!ok) return ok.error();
    return launch;
}

ww_status launch(ww_kernel& kernel, const ww_shape& shape, std::span<const ww_argument> arguments, ww_result** out) {
    auto gpu = device();
    if (!gpu) return fail(gpu.error());
    device::Device& device = **gpu;
    cudart::Scheduler::get().wait_all();
    auto ranges = ranges_of(device, arguments);
    if (!ranges) return fail(ranges.error());
    for (HostRange& range : *ranges)
        if (auto ok = range.enter(device, !checking()); !ok) return fail(ok.error());
    auto parameters = pack(*kernel.kernel->info, arguments, *ranges);
    if (!parameters) return fail(parameters.error());
    auto ready = prepared(kernel, shape, std::move(*parameters), device);
    if (!ready) return fail(ready.error());

    keep_findings();
    One one(*ready);
    const auto ran = cudart::run_at_once(*ready);
    auto made = std::make_unique<ww_result>();
    made->launch = *ready;
    made->result = std::move(one.result()), made->timed = std::move(one.timed());
    if (ran.error) made->error = *ran.error;
    made->output = ran.output;
    if (!checked_from_outside()) {
        made->findings = device.finding_log()->findings();
        device.finding_log()->clear_findings();
    }
    if (out) *out = made.release();
    std::optional<std::size_t> changed;
    for (HostRange& range : *ranges) {
        auto ok = range.bring_back();
        if (!ok) return fail(ok.error());
        if (!*ok) changed = range.arguments.front();
    }
    if (ran.error) return fail(*ran.error);
    if (changed)
        return fail(
            usage(fmt::format("{} wrote to argument {}, which is read-only memory", kernel.kernel->name, *changed),
                  "pass a writable copy; the memory is as it was"));
    return done();
}

}  // namespace
}  // namespace warpwright::capi

using namespace warpwright;

ww_status ww_launch(ww_kernel* kernel, const ww_shape* shape, const ww_argument* arguments, size_t count,
                    ww_result** result) {
    const cudart::HostClock::Call call;
    if (result) *result = nullptr;
    if (!kernel || !shape || (count && !arguments))
        return capi::fail(capi::usage("ww_launch needs a kernel, a shape and arguments"));
    return capi::launch(*kernel, *shape, {arguments, count}, result);
}

const char* ww_result_json(ww_result* result) {
    std::call_once(result->once, [&] {
        capi::LaunchReport report;
        report.launch = &result->launch;
        report.result = result->result ? &*result->result : nullptr;
        report.timed = result->timed ? &*result->timed : nullptr;
        report.error = result->error ? &*result->error : nullptr;
        report.output = result->output, report.findings = result->findings;
        result->json = capi::written(capi::launch_json(report));
    });
    return result->json.c_str();
}
int ww_result_has_news(ww_result* result) { return !result->output.empty() || !result->findings.empty(); }
void ww_result_release(ww_result* result) { delete result; }
