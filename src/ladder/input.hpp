// An input of a problem as the references read it: stored on the host, or generated piece by piece if it is too large
// to store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "values/contents.hpp"

namespace warpwright::ladder {

/// A buffer on the host.
struct HostBuffer {
    values::Element element = values::Element::f32;
    std::vector<std::byte> bytes;
    std::uint64_t count() const { return bytes.size() / values::element_size(element); }
    long double operator[](std::uint64_t i) const {
        return values::load_element(element, bytes.data() + i * values::element_size(element));
    }
};
/// By the buffers' names.
using HostBuffers = std::map<std::string, HostBuffer, std::less<>>;

class Input {
public:
    Input(HostBuffer kept) : Input(std::make_shared<const HostBuffer>(std::move(kept))) {}
    Input(std::shared_ptr<const HostBuffer> kept)
        : element_(kept->element), count_(kept->count()), kept_(std::move(kept)) {}
    /// An input that is generated when it is read. `contents` is no file.
    Input(values::Contents contents, values::Element element, std::uint64_t count, std::string name, std::uint64_t seed)
        : element_(element), count_(count), contents_(std::move(contents)), name_(std::move(name)), seed_(seed) {}

    values::Element element() const { return element_; }
    std::uint64_t count() const { return count_; }
    /// The elements [begin, begin + count), in `scratch` if they must be generated.
    std::span<const std::byte> read(std::uint64_t begin, std::uint64_t count, std::vector<std::byte>& scratch) const;
    /// The same as doubles (64-bit integers are rounded), on all cores.
    void doubles(std::uint64_t begin, std::uint64_t count, double* to) const;
    /// All of it.
    HostBuffer whole() const;

private:
    values::Element element_;
    std::uint64_t count_;
    std::shared_ptr<const HostBuffer> kept_;
    values::Contents contents_;
    std::string name_;
    std::uint64_t seed_ = 0;
};

}  // namespace warpwright::ladder
