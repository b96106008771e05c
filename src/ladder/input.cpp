// Random inputs can be made again from their seed, so those that are too large to keep are generated in pieces wherever
// they are read.
#include "ladder/input.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace warpwright::ladder {

std::span<const std::byte> Input::read(std::uint64_t begin, std::uint64_t count,
                                       std::vector<std::byte>& scratch) const {
    const unsigned size = values::element_size(element_);
    if (kept_) return std::span(kept_->bytes).subspan(begin * size, count * size);
    scratch.resize(count * size);
    values::fill_contents(contents_, element_, name_, seed_, begin, scratch);
    return scratch;
}

void Input::doubles(std::uint64_t begin, std::uint64_t count, double* to) const {
    constexpr std::uint64_t kPiece = 1 << 16;
    tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, count, kPiece), [&](const auto& range) {
        thread_local std::vector<std::byte> scratch;
        const auto bytes = read(begin + range.begin(), range.size(), scratch);
        values::load_doubles(element_, bytes.data(), range.size(), to + range.begin());
    });
}

HostBuffer Input::whole() const {
    if (kept_) return *kept_;
    HostBuffer out{element_, std::vector<std::byte>(count_ * values::element_size(element_))};
    values::fill_contents(contents_, element_, name_, seed_, 0, out.bytes);
    return out;
}

}  // namespace warpwright::ladder
