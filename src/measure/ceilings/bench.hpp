// Shared by the groups of ceilings: modules, buffers, launches, and the two ways to measure: by the device's clock from
// outside (rates), and by the multiprocessor's own clock inside a kernel (cycles).
#pragma once

#include <cstring>
#include <map>
#include <set>

#include "measure/ceilings/ceilings.hpp"

namespace warpwright::measure {

/// A kernel's parameters one after the other, each aligned to its size.
template <class... P>
std::vector<std::byte> pack(const P&... values) {
    std::vector<std::byte> out;
    const auto add = [&](const auto& v) {
        const std::size_t at = (out.size() + sizeof v - 1) / sizeof v * sizeof v;
        out.resize(at + sizeof v);
        std::memcpy(out.data() + at, &v, sizeof v);
    };
    (add(values), ...);
    return out;
}

/// The quantity that is measured, and where it goes.
struct Subject {
    std::string group, name;
    std::string figure;  ///< "ceilings.dram_read"; empty: no figure of a model
    std::string unit;    ///< of the record
    double scale = 1;    ///< the number in the model's file times this is the record's
    std::optional<double> sheet;
    std::string title;
    std::vector<record::Axis> axes;
};

/// One way to launch a kernel for a rate.
struct Shape {
    std::string file, kernel;
    std::vector<std::string> defines;
    std::uint32_t grid = 1, block = 1;
    std::uint64_t shared = 0;
    std::vector<std::byte> parameters;
    double amount = 0;  ///< per launch, in the unit's bytes, FLOP or operations
    std::string text;   ///< how it differs from the others
};

/// Device memory that the destructor releases.
class Buffer {
public:
    Buffer(device::Device& device, device::Address at, std::uint64_t bytes)
        : device_(&device), at_(at), bytes_(bytes) {}
    Buffer(Buffer&& other) noexcept : device_(other.device_), at_(other.at_), bytes_(other.bytes_) {
        other.device_ = nullptr;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    Buffer& operator=(Buffer&&) = delete;
    ~Buffer() {
        if (device_) (void)device_->release(at_);
    }
    device::Address at() const { return at_; }
    std::uint64_t bytes() const { return bytes_; }

private:
    device::Device* device_;
    device::Address at_;
    std::uint64_t bytes_;
};

class Bench {
public:
    Bench(device::Device& device, const arch::DeviceModel& base, const CeilingOptions& options)
        : device_(device), base_(base), o_(options) {}

    device::Device& device() { return device_; }
    const arch::DeviceModel& base() const { return base_; }
    const CeilingOptions& options() const { return o_; }
    std::uint32_t multiprocessors() const { return device_.limits().multiprocessors; }
    int capability() const { return device_.limits().compute_capability; }

    /// A loop count scaled by CeilingOptions::work, a multiple of `unit`, at least one.
    std::uint32_t turns(std::uint32_t wanted, std::uint32_t unit = 1) const;

    Result<std::shared_ptr<device::Module>> module(const std::string& file,
                                                   const std::vector<std::string>& defines = {});
    Result<Buffer> buffer(std::uint64_t bytes);
    /// The largest buffer of bytes, bytes/2, ... down to `least`.
    Result<Buffer> largest(std::uint64_t bytes, std::uint64_t least);

    /// One launch, waited for.
    Result<void> launch(const Shape& shape);
    Result<void> launch(const std::string& file, const std::string& kernel, std::uint32_t grid, std::uint32_t block,
                        std::vector<std::byte> parameters);
    /// Launches once, then `times` more, and reads `count` words that the kernel wrote in each of those launches (0: in
    /// the first).
    Result<std::vector<std::vector<std::uint64_t>>> words(const Shape& shape, device::Address out, std::size_t count,
                                                          unsigned times = 7);

    /// Seconds of one launch, by the device's clock from outside, several samples.
    Result<std::vector<double>> seconds(const Shape& shape);

    /// Amount over time: each shape briefly, then the best at length.
    void rate(const Subject& subject, const std::vector<Shape>& shapes);
    /// Evaluates samples in the subject's unit; `lower` is better for cycles and seconds.
    void take(const Subject& subject, const std::vector<double>& samples, bool lower, const std::string& note = {});
    void take(const Subject& subject, Result<std::vector<double>> samples, bool lower, const std::string& note = {});
    /// Records that it was not measured, and why.
    void leave_out(const Subject& subject, const std::string& why);

    /// A figure that was measured before, as a model has it.
    std::optional<double> measured(const std::string& figure) const;

    /// Whether it was measured, or left out with a reason.
    bool tried(const std::string& figure) const { return tried_.contains(figure); }

    /// The measured clock: sources of figures name it.
    void at_clock(double hertz) { clock_ = hertz; }

    const Ceilings& so_far() const { return out_; }
    Ceilings result() { return std::move(out_); }

private:
    Result<Statistics> timed(const Shape& shape, const DeviceSampleOptions& options,
                             std::vector<double>* rates = nullptr);
    record::Record described(const Subject& subject) const;

    device::Device& device_;
    const arch::DeviceModel& base_;
    const CeilingOptions& o_;
    std::map<std::string, Result<std::shared_ptr<device::Module>>> modules_;
    Ceilings out_;
    std::set<std::string> tried_;
    double clock_ = 0;
};

// The groups, one per file. They fill the bench's records.
using Part = std::pair<std::string, std::function<void(Bench&)>>;  ///< with its name in progress messages
std::vector<Part> clock_parts();
std::vector<Part> memory_parts();
std::vector<Part> latency_parts();
std::vector<Part> shared_parts();
std::vector<Part> arithmetic_parts();
std::vector<Part> tensor_parts();
std::vector<Part> transfer_parts();
std::vector<Part> launch_parts();

}  // namespace warpwright::measure
