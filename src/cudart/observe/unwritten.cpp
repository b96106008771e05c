// Gaps at even distances or of a few bytes are taken for padding, which programs copy on purpose. If the elements that
// lack a writer follow the last thread's, the advice is that the grid is too short.
#include "cudart/observe/unwritten.hpp"
#include "text/counted.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpwright::cudart {

namespace {

/// Bytes that a structure's holes and a row's end are shorter than.
constexpr std::uint64_t kHole = 16, kRowEnd = 512;

}  // namespace

bool are_padding(const Stretches& unwritten) {
    if (unwritten.size() < 2) return false;
    const auto bytes = unwritten[0].second, distance = unwritten[1].first - unwritten[0].first;
    const bool holes = std::all_of(unwritten.begin(), unwritten.end(), [](const auto& s) { return s.second < kHole; });
    bool even = bytes < kRowEnd;
    for (std::size_t k = 1; even && k < unwritten.size(); ++k)
        even = unwritten[k].second == bytes && unwritten[k].first - unwritten[k - 1].first == distance;
    return even || (holes && distance < 2 * kRowEnd);
}

std::optional<record::Writer> writer_beside(device::HostSharing& sharing, const Block& block,
                                            const Stretches& unwritten) {
    const auto end = block.address + block.bytes;
    for (const auto& [at, bytes] : unwritten) {
        if (at > block.address)
            if (auto writer = sharing.writer(at - 1)) return writer;
        if (at + bytes < end)
            if (auto writer = sharing.writer(at + bytes)) return writer;
    }
    return std::nullopt;
}

void describe_unwritten(record::Finding& found, const Stretches& unwritten, const std::optional<record::Writer>& writer,
                        std::uint64_t copied) {
    const auto [start, size] = *found.allocation;
    std::uint64_t bytes = 0, each = writer ? writer->bytes : 0;
    for (const auto& s : unwritten) bytes += s.second;
    for (const auto& s : unwritten)
        if (each && ((s.first - start) % each || s.second % each)) each = 0;
    const auto unit = each ? each : 1;
    const auto first = (unwritten[0].first - start) / unit, count = unwritten[0].second / unit;
    const char* const what = each ? "element" : "byte";
    const std::string of =
        found.allocated_as.empty() ? "an allocation of " + counted(size, "bytes") : found.allocated_as;
    std::string range =
        count == 1 ? fmt::format("{} {}", what, first) : fmt::format("{}s {} to {}", what, first, first + count - 1);
    if (unwritten.size() > 1)
        range = fmt::format("{} {}s in {} ranges, the first of them {},", bytes / unit, what, unwritten.size(), range);
    found.message = fmt::format("{} of {} {} copied to the host, but nothing wrote {}", range, of,
                                count == 1 && unwritten.size() == 1 ? "is" : "are",
                                count == 1 && unwritten.size() == 1 ? "it" : "them");
    found.address = unwritten[0].first;
    found.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(unwritten[0].second, UINT32_MAX));
    found.array = {found.allocated_as.empty() ? "the allocation" : found.allocated_as, range + " of " + of, "", 0,
                   size};
    if (!writer) {
        if (bytes == copied) {
            found.message += ": no kernel wrote to it";
            found.advice = "check that the kernel ran, and that it was given this buffer";
        }
        return;
    }
    found.kernel = writer->kernel;
    const auto threads = writer->blocks * writer->threads_per_block;
    found.message += fmt::format("; {} wrote the memory beside, with {} {} of {} {}", writer->kernel, writer->blocks,
                                 noun_of(writer->blocks, "blocks"), writer->threads_per_block,
                                 noun_of(writer->threads_per_block, "threads"));
    // One thread per element, and as many elements without a thread.
    if (each && unwritten.size() == 1 && first == threads && (first + count) * each >= size) {
        found.severity = record::Severity::error;
        const auto elements = first + count, each_block = writer->threads_per_block;
        const auto needed = (elements + each_block - 1) / each_block;
        found.advice = fmt::format("the grid is too short: {} {} need {} {} of {} {}, (n + threads - 1) / threads",
                                   elements, noun_of(elements, "elements"), needed, noun_of(needed, "blocks"),
                                   each_block, noun_of(each_block, "threads"));
    }
}

}  // namespace warpwright::cudart
