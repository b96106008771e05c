// One problem of a ladder at one size: its inputs, its correct answer, and its buffers on a device.
#pragma once

#include <memory>
#include <optional>
#include <set>

#include "device/device.hpp"
#include "ladder/answer.hpp"
#include "ladder/ladder.hpp"

namespace warpwright::ladder {

/// Host side: made once for a size and a choice of the ladder's axes, and used by all rungs.
class Problem {
public:
    /// `variant` must choose every axis of the ladder (it may choose more). Computes the reference unless that is a
    /// rung. ErrorKind::usage if the ladder's `require` refuses the size.
    static Result<Problem> make(const Ladder& ladder, std::vector<std::int64_t> size, const Variant& variant,
                                std::uint64_t seed);
    /// The problem's buffers alone: no inputs, no reference.
    static Result<Problem> shape(const Ladder& ladder, std::vector<std::int64_t> size, const Variant& variant);

    struct Extent {
        values::Element element = values::Element::f32;
        std::uint64_t count = 0;
        std::uint64_t bytes() const { return count * values::element_size(element); }
    };

    const Ladder& ladder() const { return *ladder_; }
    const std::vector<std::int64_t>& size() const { return size_; }
    const Extent& extent(std::size_t buffer) const { return extents_[buffer]; }
    std::uint64_t footprint() const;  ///< bytes of the input and output buffers
    std::uint64_t memory() const;     ///< bytes of all buffers

    /// The choices of the ladder's own axes.
    const Variant& variant() const { return variant_; }

    /// The correct output; absent if the ladder has no reference, or a rung that has not run.
    const Answer* answer() const { return answer_.get(); }
    void set_expected(Expected expected) { answer_ = answer_of(std::move(expected)); }

    /// A buffer's contents before a run: its contents, or zeros where it has none.
    Result<HostBuffer> host_buffer(std::size_t buffer) const;
    /// Writes them to a device in pieces, or the poison where the buffer has none.
    Result<void> prepare(device::Device& device, std::size_t buffer, device::Address address) const;
    std::uint8_t poison() const { return poison_; }

private:
    const Ladder* ladder_ = nullptr;
    std::vector<std::int64_t> size_;
    std::vector<Extent> extents_;
    std::uint64_t seed_ = 0;
    Input input(std::size_t buffer) const;

    Variant variant_;
    /// Files, and inputs if there is memory for them; others are generated again, in pieces, when needed.
    std::map<std::size_t, std::shared_ptr<const HostBuffer>> kept_;
    std::shared_ptr<const Answer> answer_;
    std::uint8_t poison_ = 0xff;
};

/// The buffers of a problem on a device; the destructor releases them.
class DeviceBuffers {
public:
    static Result<DeviceBuffers> make(device::Device& device, const Problem& problem);
    /// Buffers over existing memory: `given` has the address of each input and output by name, which remain
    /// their owner's. Scratch buffers are allocated, except those that `used`, if given, does not name (address
    /// 0).
    static Result<DeviceBuffers> around(device::Device& device, const Problem& problem,
                                        const std::map<std::string, device::Address>& given,
                                        const std::set<std::string>* used = nullptr);
    /// Inputs and outputs only, for rungs that share them; scratch buffers are absent (address 0).
    static Result<DeviceBuffers> shared(device::Device& device, const Problem& problem);
    /// Restores the contents before any run.
    Result<void> refill(const Problem& problem);
    DeviceBuffers(DeviceBuffers&& other) noexcept
        : device_(other.device_), addresses_(std::move(other.addresses_)), own_(std::move(other.own_)) {
        other.own_.clear();
    }
    DeviceBuffers& operator=(DeviceBuffers&&) = delete;
    ~DeviceBuffers();
    device::Address operator[](std::size_t buffer) const { return addresses_[buffer]; }

private:
    explicit DeviceBuffers(device::Device& device) : device_(&device) {}
    device::Device* device_;
    std::vector<device::Address> addresses_;
    std::vector<device::Address> own_;  ///< those to release
};

/// "4096" or "64 x 32 x 128".
std::string size_text(const std::vector<std::int64_t>& size);

}  // namespace warpwright::ladder
