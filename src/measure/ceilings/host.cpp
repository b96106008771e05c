// The host's part: starting kernels, and copies between its memory and the device's.
#include <algorithm>

#include <fmt/format.h>

#include "device/stream.hpp"
#include "measure/ceilings/bench.hpp"

namespace warpwright::measure {
namespace {

Subject start(const std::string& name, const std::string& figure, const std::string& title) {
    return {"launches", name, figure, "s", 1e-6, {}, title, {}};
}

/// Empty kernels in a row: as nodes of one graph, or queued one by one, where the host limits the rate.
void in_a_row(Bench& b, bool graph) {
    const Subject subject =
        graph ? start("node of a graph", "launches.graph_us", "an empty kernel after another, 200 in a graph")
              : start("queued", "launches.queued_us", "an empty kernel after another, queued one by one");
    auto module = b.module("launch.cu");
    if (!module) return b.leave_out(subject, module.error().text());
    device::Step step;
    step.module = *module;
    step.kernel = "empty";
    step.config.block = {32, 1, 1};
    constexpr std::uint32_t launches = 200;
    device::TimeRequest request{launches, 3, b.options().timeout};
    request.graph = graph;
    auto timer = b.device().need(&device::Device::timer);
    if (!timer) return b.leave_out(subject, timer.error().text());
    if (auto first = (*timer)->time(std::span(&step, 1), request); !first)
        return b.leave_out(subject, first.error().text());
    // One sample at a time: several would be queued while the first one runs, which would hide the time of queuing.
    request.samples = 1;
    std::vector<double> seconds;
    for (int i = 0; i < 25; ++i) {
        auto one = (*timer)->time(std::span(&step, 1), request);
        if (!one) return b.leave_out(subject, one.error().text());
        seconds.push_back(one->front() / launches);
    }
    b.take(subject, seconds, true);
}

/// As a program sees it that waits for each kernel: launch, execution, and the host's wake-up.
void round_trip(Bench& b) {
    const Subject subject =
        start("round trip", "launches.round_trip_us", "an empty kernel, launched and waited for, by the host's clock");
    std::vector<double> seconds;
    for (int i = 0; i < 220; ++i) {
        const double before = b.options().clock();
        if (auto ok = b.launch("launch.cu", "empty", 1, 32, {}); !ok) return b.leave_out(subject, ok.error().text());
        if (i >= 20) seconds.push_back(b.options().clock() - before);
    }
    b.take(subject, seconds, true);
}

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * 1024;

/// Buffers of one size in the host's memory and in the device's, two of each, so that the two directions share nothing,
/// and a stream for each direction.
class Copies {
public:
    static Result<std::unique_ptr<Copies>> make(Bench& b, std::uint64_t bytes, bool pinned) {
        auto out = std::make_unique<Copies>();
        for (Side* side : {&out->there, &out->back}) {
            if (pinned) {
                auto memory = b.device().streams().allocate_host(bytes);
                if (!memory) return std::move(memory).error();
                side->pinned = std::move(*memory);
                side->host = side->pinned->bytes();
            } else {
                side->pageable.resize(bytes);
                side->host = side->pageable;
            }
            std::fill(side->host.begin(), side->host.end(), std::byte{1});  // so that the pages exist
            auto memory = b.buffer(bytes);
            if (!memory) return std::move(memory).error();
            side->device.emplace(std::move(*memory));
            if (auto ok = b.device().fill(side->device->at(), 0, bytes); !ok) return std::move(ok).error();
            auto stream = b.device().streams().make_stream();
            if (!stream) return std::move(stream).error();
            side->stream = std::move(*stream);
        }
        for (auto* event : {&out->begin, &out->end, &out->apart}) {
            auto made = b.device().streams().make_event();
            if (!made) return std::move(made).error();
            *event = std::move(*made);
        }
        return out;
    }

    /// Seconds of `repeat` copies in each requested direction. Of two directions, the second begins and ends with the
    /// first.
    Result<double> time(bool to_device, bool to_host, std::uint32_t repeat, std::chrono::milliseconds timeout) {
        device::Stream& main = to_device ? *there.stream : *back.stream;
        const bool both = to_device && to_host;
        auto ok = main.record(*begin);
        if (both && ok) ok = back.stream->wait(*begin);
        for (std::uint32_t i = 0; i < repeat; ++i) {
            if (to_device && ok) ok = there.stream->write(there.device->at(), there.host);
            if (to_host && ok) ok = back.stream->read(back.host, back.device->at());
        }
        if (both && ok) ok = back.stream->record(*apart);
        if (both && ok) ok = main.wait(*apart);
        if (ok) ok = main.record(*end);
        if (ok) ok = main.finish(timeout);
        if (!ok) return std::move(ok).error();
        auto seconds = end->since(*begin);
        if (!seconds) return std::move(seconds).error();
        if (!*seconds) return Error{ErrorKind::usage, "the device has no clock", {}, ""};
        return **seconds;
    }

private:
    struct Side {
        std::unique_ptr<device::HostMemory> pinned;
        std::vector<std::byte> pageable;
        std::span<std::byte> host;
        std::optional<Buffer> device;
        std::unique_ptr<device::Stream> stream;
    };
    Side there, back;
    std::unique_ptr<device::Event> begin, end, apart;
};

/// One direction or both, of one size, as bandwidthTest prints them: bytes of all copies over the time.
void transfer(Bench& b, std::uint64_t bytes, bool pinned, bool to_device, bool to_host, bool figure) {
    const bool both = to_device && to_host;
    const std::string direction = both ? "both ways" : to_device ? "to the device" : "to the host";
    const std::string key = both ? "both_ways" : to_device ? "to_device" : "to_host";
    const Subject subject{
        "transfers",
        direction,
        figure ? "ceilings." + (pinned ? key : "pageable_" + key) : "",
        "B/s",
        1,
        b.base().links.pcie * (both ? 2 : 1),
        both ? "host memory and device memory, both directions at once, their bytes together"
             : "between host memory and device memory",
        {{"host memory", std::string(pinned ? "pinned" : "pageable")},
         {"size", bytes >= kMiB ? fmt::format("{} MiB", bytes / kMiB) : fmt::format("{} KiB", bytes / kKiB)}}};
    if (b.options().work < 1)
        bytes = std::max<std::uint64_t>(4 * kKiB,
                                        static_cast<std::uint64_t>(static_cast<double>(bytes) * b.options().work));
    auto copies = Copies::make(b, bytes, pinned);
    if (!copies) return b.leave_out(subject, copies.error().text());
    const auto work = [&](std::uint32_t repeat, std::uint32_t samples) -> Result<std::vector<double>> {
        std::vector<double> list;
        for (std::uint32_t i = 0; i < samples; ++i) {
            auto one = (*copies)->time(to_device, to_host, repeat, b.options().timeout);
            if (!one) return std::move(one).error();
            list.push_back(*one);
        }
        return list;
    };
    DeviceSampleOptions options = b.options().sample;
    options.warm_seconds = std::min(options.warm_seconds, 0.01);
    auto samples = sample_device(work, options);
    if (!samples) return b.leave_out(subject, samples.error().text());
    std::vector<double> rates;
    for (double s : samples->seconds) rates.push_back((both ? 2.0 : 1.0) * static_cast<double>(bytes) / s);
    b.take(subject, rates, false, figure ? fmt::format("copies of {} MiB", bytes / kMiB) : "");
}

}  // namespace

std::vector<Part> launch_parts() {
    return {{"launches in a graph", [](Bench& b) { in_a_row(b, true); }},
            {"launches one by one", [](Bench& b) { in_a_row(b, false); }},
            {"launches, round trip", round_trip}};
}

std::vector<Part> transfer_parts() {
    std::vector<Part> out;
    for (const bool pinned : {true, false})
        for (auto [to_device, to_host] : {std::pair{true, false}, {false, true}, {true, true}}) {
            if (!pinned && to_device && to_host)
                continue;  // the driver copies pageable memory itself: nothing overlaps
            for (std::uint64_t bytes : {16 * kKiB, 256 * kKiB, 4 * kMiB, 64 * kMiB, 256 * kMiB})
                out.emplace_back("transfers", [=](Bench& b) {
                    transfer(b, bytes, pinned, to_device, to_host, bytes == 256 * kMiB);
                });
        }
    return out;
}

}  // namespace warpwright::measure
