// A table that is wider than the terminal, in parts.
#include <algorithm>
#include <set>

#include "report/format.hpp"
#include "report/layout.hpp"

namespace warpwright::report {
namespace {

/// The first `keys` columns, and those from `from` up to `to`.
Layout columns_of(const Layout& whole, std::size_t keys, std::size_t from, std::size_t to) {
    Layout out;
    std::vector<std::size_t> taken;
    for (std::size_t c = 0; c < std::min(to, whole.columns.size()); ++c)
        if (c < keys || c >= from) taken.push_back(c);
    for (const std::size_t c : taken) out.columns.push_back(whole.columns[c]);
    for (const auto& row : whole.rows) {
        auto& cells = out.rows.emplace_back();
        for (const std::size_t c : taken) cells.push_back(row[c]);
    }
    return out;
}

/// The first columns that tell rows apart, as long as they leave most of the width to others; at least one.
std::size_t key_columns(const Layout& whole, std::size_t width) {
    std::vector<std::string> keys(whole.rows.size());
    for (std::size_t k = 0; k + 1 < whole.columns.size(); ++k) {
        if (k > 0 && columns_of(whole, k + 1, k + 1, k + 1).width() > width / 2) return 1;
        for (std::size_t r = 0; r < keys.size(); ++r) keys[r] += whole.rows[r][k].text + '\n';
        if (std::set<std::string>(keys.begin(), keys.end()).size() == keys.size()) return k + 1;
    }
    return 1;
}

}  // namespace

bool squeeze(Layout& layout, std::size_t width, std::size_t least) {
    std::vector<std::size_t> room(layout.columns.size(), 0);
    for (std::size_t c = 0; c < room.size(); ++c) {
        if (!layout.columns[c].left) continue;
        for (const auto& row : layout.rows) room[c] = std::max(room[c], display_width(row[c].text));
        if (layout.columns[c].most) room[c] = std::min(room[c], layout.columns[c].most);
    }
    // The widest gives first, down to the next one.
    for (std::size_t all = layout.width(); all > width; all = layout.width()) {
        const auto widest = std::max_element(room.begin(), room.end());
        if (widest == room.end() || *widest == 0) return false;
        LayoutColumn& column = layout.columns[std::size_t(widest - room.begin())];
        std::size_t next = std::max(least, display_width(column.heading));
        if (*widest <= next) {
            *widest = 0;  // it gives no more
            continue;
        }
        for (auto other = room.begin(); other != room.end(); ++other)
            if (other != widest && *other < *widest) next = std::max(next, *other);
        *widest -= std::clamp<std::size_t>(all - width, 1, std::max<std::size_t>(*widest - next, 1));
        column.most = *widest;
        column.wraps = true;
    }
    return true;
}

std::string in_parts(const Layout& whole, std::size_t width, bool color, bool unicode) {
    if (whole.columns.empty()) return {};
    if (width == 0) return whole.text(color, unicode);
    std::string out;
    const std::size_t keys = key_columns(whole, width);
    for (std::size_t from = keys; from < std::max<std::size_t>(whole.columns.size(), keys + 1);) {
        std::size_t to = from;
        Layout part = columns_of(whole, keys, from, to);
        for (++to; to <= whole.columns.size(); ++to) {
            Layout wider = columns_of(whole, keys, from, to);
            // Texts of this width read better in lines than in a part of their own.
            constexpr std::size_t kReadable = 24;
            if (!squeeze(wider, width, kReadable) && to > from + 1) break;
            part = std::move(wider);
        }
        squeeze(part, width);
        if (!out.empty()) out += '\n';
        out += part.text(color, unicode);
        from = to - 1;
        if (from >= whole.columns.size()) break;
    }
    return out;
}

}  // namespace warpwright::report
