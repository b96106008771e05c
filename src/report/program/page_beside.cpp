// Two texts of a file beside each other. Lines that each text has once are found first and taken in the order that
// most of them share; between these the same is done again, and short rests are compared line by line. What is left
// stands side by side as changed, in its order.
#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "report/format.hpp"
#include "report/program/page_data.hpp"

namespace warpwright::report {
namespace {

using Lines = std::vector<std::string_view>;
using Pair = std::pair<std::size_t, std::size_t>;

/// Of pairs in the order of their first members, the longest part whose second members rise.
std::vector<Pair> rising(const std::vector<Pair>& pairs) {
    std::vector<std::size_t> ends, before(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto at = std::lower_bound(ends.begin(), ends.end(), k, [&](std::size_t a, std::size_t b) {
            return pairs[a].second < pairs[b].second;
        });
        before[k] = at == ends.begin() ? pairs.size() : *(at - 1);
        if (at == ends.end())
            ends.push_back(k);
        else
            *at = k;
    }
    std::vector<Pair> out;
    if (!ends.empty())
        for (std::size_t k = ends.back(); k < pairs.size(); k = before[k]) out.push_back(pairs[k]);
    std::reverse(out.begin(), out.end());
    return out;
}

class Alignment {
public:
    Alignment(const Lines& a, const Lines& b) : a_(a), b_(b) { align(0, a.size(), 0, b.size()); }
    /// Pairs of lines that are the same, in order.
    const std::vector<Pair>& same() const { return same_; }

private:
    static constexpr std::size_t kShort = 400000;  // pairs of lines that are compared one by one

    void align(std::size_t a, std::size_t a_end, std::size_t b, std::size_t b_end) {
        for (; a < a_end && b < b_end && a_[a] == b_[b]; ++a, ++b) same_.emplace_back(a, b);
        std::size_t equal = 0;
        while (a < a_end && b < b_end && a_[a_end - 1] == b_[b_end - 1]) --a_end, --b_end, ++equal;
        if (a < a_end && b < b_end) {
            if (const auto once = rising(of_one(a, a_end, b, b_end)); !once.empty()) {
                for (const auto& [i, j] : once) {
                    align(a, i, b, j);
                    same_.emplace_back(i, j);
                    a = i + 1, b = j + 1;
                }
                align(a, a_end, b, b_end);
            } else if ((a_end - a) * (b_end - b) <= kShort) {
                longest(a, a_end, b, b_end);
            }
        }
        for (; equal > 0; --equal) same_.emplace_back(a_end++, b_end++);
    }

    /// Lines that both parts have exactly once.
    std::vector<Pair> of_one(std::size_t a, std::size_t a_end, std::size_t b, std::size_t b_end) const {
        struct Seen {
            std::size_t in_a = 0, in_b = 0, at = 0;
        };
        std::unordered_map<std::string_view, Seen> seen;
        for (std::size_t k = a; k < a_end; ++k) ++seen[a_[k]].in_a;
        for (std::size_t k = b; k < b_end; ++k) {
            Seen& s = seen[b_[k]];
            ++s.in_b, s.at = k;
        }
        std::vector<Pair> out;
        for (std::size_t k = a; k < a_end; ++k)
            if (const Seen& s = seen[a_[k]]; s.in_a == 1 && s.in_b == 1) out.emplace_back(k, s.at);
        return out;
    }

    /// The longest common part, by a table of lengths.
    void longest(std::size_t a, std::size_t a_end, std::size_t b, std::size_t b_end) {
        const std::size_t n = a_end - a, m = b_end - b;
        std::vector<std::uint32_t> length((n + 1) * (m + 1));
        const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return length[i * (m + 1) + j]; };
        for (std::size_t i = n; i-- > 0;)
            for (std::size_t j = m; j-- > 0;)
                at(i, j) = a_[a + i] == b_[b + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
        for (std::size_t i = 0, j = 0; i < n && j < m;) {
            if (a_[a + i] == b_[b + j])
                same_.emplace_back(a + i++, b + j++);
            else
                ++(at(i + 1, j) >= at(i, j + 1) ? i : j);
        }
    }

    const Lines &a_, &b_;
    std::vector<Pair> same_;
};

PageJson runs_of(const Lines& base, const Lines& now) {
    const Alignment alignment(base, now);
    PageJson out = PageJson::array();
    std::size_t a = 0, b = 0;
    const auto run = [&](std::size_t count, int kind) {
        if (count == 0) return;
        if (kind == 0 && !out.empty() && out.back()[3] == 0)
            out.back()[2] = static_cast<std::size_t>(out.back()[2]) + count;
        else
            out.push_back({a + 1, b + 1, count, kind});
        if (kind != 3) a += count;
        if (kind != 2) b += count;
    };
    const auto up_to = [&](std::size_t i, std::size_t j) {
        run(std::min(i - a, j - b), 1);
        run(i - a, 2);
        run(j - b, 3);
    };
    for (const auto& [i, j] : alignment.same()) up_to(i, j), run(1, 0);
    up_to(base.size(), now.size());
    return out;
}

}  // namespace

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string file_in_base(const Profile& base, const std::string& file) {
    if (base.sources.contains(file)) return file;
    std::string found;
    for (const auto& [name, text] : base.sources) {
        if (file_name(name) != file_name(file)) continue;
        if (!found.empty()) return "";
        found = name;
    }
    return found;
}

PageJson beside_of(const Profile& base, const std::string& file, const PageJson& now) {
    const std::string name = file_in_base(base, file);
    if (name.empty()) return nullptr;
    std::string_view text = base.sources.at(name);
    PageJson lines = PageJson::array();
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(safe(std::string(text.substr(0, end))));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    const auto views = [](const PageJson& from) {
        Lines out;
        for (const auto& line : from) out.push_back(line.get_ref<const std::string&>());
        return out;
    };
    PageJson runs = runs_of(views(lines), views(now));
    return {{"lines", std::move(lines)}, {"runs", std::move(runs)}};
}

}  // namespace warpwright::report
