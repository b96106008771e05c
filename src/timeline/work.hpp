// A piece of work for the modelled clock: a kernel, a copy, a fill, or a set of them (a graph, a kernel with the grids
// that it launches). This is plain data: the code that does the work describes it here, and timeline.hpp says when it
// ran.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace warpwright::timeline {

/// What a stream's work waits for in addition to the stream's own earlier work, as CUDA defines it.
enum class StreamKind : std::uint8_t {
    independent,    ///< nothing (cudaStreamNonBlocking)
    blocking,       ///< earlier work of the legacy default stream
    legacy_default  ///< earlier work of all blocking streams; two streams of this kind are the same
};

enum class Kind : std::uint8_t {
    none,       ///< takes no time by itself: a marker, a graph as a whole, a host function
    kernel,     ///< on the multiprocessors, for Work::seconds
    to_device,  ///< a copy over the link, from the host
    to_host,    ///< a copy over the link, to the host
    on_device,  ///< a copy within device memory
    fill,       ///< a fill of device memory
    on_host,    ///< a copy that the host makes within its own memory
    between     ///< a copy from one device's memory to another's
};

struct Moment;
/// A moment of the modelled clock that becomes known later: the end of a piece of work. Null means "at once".
using Mark = std::shared_ptr<Moment>;

struct Work {
    static constexpr std::uint64_t kNoTag = ~std::uint64_t{0};

    Kind kind = Kind::none;
    double seconds = 0;            ///< of a kernel: its time alone (predict::kernel_time)
    double share = 1;              ///< of a kernel: the part of the multiprocessors it fills, above 0 and at most 1
    std::uint64_t bytes = 0;       ///< of copies and fills
    bool pageable = false;         ///< of copies over the link: the host's memory is not page-locked
    bool staged = false;           ///< of copies between devices: through the host, as neither has access to the other
    std::uint8_t device = 0;       ///< of several: on which it is; of copies between them: from which
    std::uint8_t to = 0;           ///< of copies between devices: to which
    std::uint64_t tag = kNoTag;    ///< the caller's own number for it, given back in Span
    std::vector<Work> inner = {};  ///< begins when this one's own part has ended; this one ends when all of it has
    std::vector<std::uint32_t> after = {};  ///< of an inner one: indices of earlier ones beside it for which it waits
    std::vector<Mark> marks = {};           ///< of an inner one: other moments for which it waits
    Mark mark = nullptr;                    ///< is set when this ends; may be null
};

/// The parts one after the other, as one piece of work.
inline Work sequence(std::vector<Work> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    Work whole;
    for (std::uint32_t i = 1; i < parts.size(); ++i) parts[i].after = {i - 1};
    whole.inner = std::move(parts);
    return whole;
}

/// The place of a kernel, copy or fill on the clock.
struct Span {
    Kind kind = Kind::none;
    std::uint64_t tag = Work::kNoTag;
    std::size_t stream = 0;
    double begin = 0, seconds = 0;
};

}  // namespace warpwright::timeline
