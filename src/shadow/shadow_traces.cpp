// What launches have left in shadow memory, as ranges: for those who compare whole launches with each other.
#include <algorithm>

#include "shadow/shadow.hpp"

namespace warpwright::shadow {

namespace {

/// Adds an access, joined to the last one of its kind where it continues that.
void add(std::vector<Shadow::Trace>& out, const Shadow::Trace& t, std::size_t from) {
    // Reads and writes of a line alternate, so the one to continue is among the last few.
    constexpr std::size_t kBack = 4;
    for (std::size_t k = out.size(); k > from && k + kBack > out.size(); --k) {
        auto& last = out[k - 1];
        if (last.write != t.write || last.side != t.side || last.generation != t.generation) continue;
        if (last.at + last.bytes != t.at) break;
        last.bytes += t.bytes;
        return;
    }
    out.push_back(t);
}

}  // namespace

void Shadow::traces(std::uint64_t at, std::uint64_t bytes, const std::vector<std::uint32_t>& generations,
                    std::vector<Trace>& out) const {
    if (generations.empty() || bytes == 0) return;
    const auto from = out.size();
    const auto first = at - start_, end = first + bytes;
    const auto wanted = [&](Stamp s) {
        return s != 0 && std::binary_search(generations.begin(), generations.end(), generation_of(s));
    };
    const auto note = [&](std::uint64_t offset, std::uint64_t n, Stamp s, Side side, bool write) {
        const auto begin = std::max(offset, first), last = std::min(offset + n, end);
        if (begin < last && wanted(s)) add(out, {start_ + begin, last - begin, generation_of(s), side, write}, from);
    };
    for (auto page = first >> kPageShift; page <= (end - 1) >> kPageShift; ++page) {
        // A page that no launch has accessed since the first of these has nothing of theirs.
        if (visited_[page] < generations.front()) continue;
        const auto lines = std::uint64_t{1} << (kPageShift - kLineShift);
        const bool in_bytes = split_[page].acquire() != 0;
        for (auto line = page * lines; line < (page + 1) * lines; ++line) {
            const auto offset = line << kLineShift;
            const auto* const row = has_rows_ ? &rows_[offset >> kRowShift] : nullptr;
            if (row && !(row->form.acquire() & Line::kApart)) {
                if (offset % kRow) continue;
                note(offset, kRow, stamp_in(row->written), row->written_side, true);
                note(offset, kRow, stamp_in(row->read), row->read_side, false);
                note(offset, kRow, stamp_in(row->read_too), row->read_too_side, false);
                continue;
            }
            if (offset + kLine <= first || offset >= end) continue;
            const auto& l = lines_[line];
            if (!(l.form.acquire() & Line::kApart)) {
                note(offset, kLine, stamp_in(l.written), l.written_side, true);
                note(offset, kLine, stamp_in(l.read), l.read_side, false);
                note(offset, kLine, stamp_in(l.read_too), l.read_too_side, false);
                continue;
            }
            // The words or bytes of a line that no launch has split since are older than all of it.
            if (generation_of(l.written) < generations.front()) continue;
            if (l.form.acquire() & Line::kListed) {
                for (unsigned word = 0; word < kLine / 4; ++word)
                    note(offset + 4 * word, 4, listed(l, word), l.written_side, lists_stores(l));
                continue;
            }
            const auto& c = in_bytes ? byte_ : word_;
            const std::uint64_t size = in_bytes ? 1 : 4;
            for (auto k = offset; k < offset + kLine; k += size) {
                const auto i = k / size;
                note(k, size, c.written[i], c.written_side[i], true);
                note(k, size, c.read[i], c.read_side[i], false);
                note(k, size, c.read_too[i], c.read_too_side[i], false);
            }
        }
    }
}

}  // namespace warpwright::shadow
