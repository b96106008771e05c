// A sector, or a word of a bank, is named with the lanes that want it; what a trace has no lanes of is drawn without
// them.
#include "cli/commands/learn_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "support/source_files.hpp"

namespace warpwright::cli {
namespace {

using record::AccessPicture;

constexpr std::uint32_t kSector = 32, kPerLine = 4, kBanks = 32, kWord = 4;
/// Of a picture.
constexpr std::size_t kMostRows = 16, kMostWavefronts = 8;

/// What is wrong with most of a line's accesses: of those at the line that is told the one that costs most; none where
/// all cost no more than they must.
const record::AccessPicture* told_access(const learn::Verdict& v, const std::string& file) {
    const record::AccessPicture* out = nullptr;
    std::size_t most = 0;
    for (const auto& [name, value] : v.values) {
        const auto* line = std::get_if<std::int64_t>(&value);
        if (name != "line" || !line) continue;
        for (const auto& a : v.view.accesses)
            if (a.file == file && a.line == *line)
                if (const std::size_t cost = std::max<std::size_t>(a.sectors.size(), a.wavefronts);
                    cost > std::max<std::size_t>(most, least_of(a)))
                    most = cost, out = &a;
    }
    return v.done ? nullptr : out;
}

/// "0-7,9": lanes in order.
std::string lanes_text(const std::vector<unsigned>& lanes) {
    std::string out;
    for (std::size_t k = 0; k < lanes.size();) {
        std::size_t end = k;
        while (end + 1 < lanes.size() && lanes[end + 1] == lanes[end] + 1) ++end;
        out += fmt::format("{}{}", out.empty() ? "" : ",", lanes[k]);
        if (end > k) out += fmt::format("-{}", lanes[end]);
        k = end + 1;
    }
    return out;
}

/// The lanes of each sector that the request touches.
std::map<std::uint32_t, std::vector<unsigned>> lanes_of_sectors(const AccessPicture& a) {
    std::map<std::uint32_t, std::vector<unsigned>> out;
    for (const std::uint32_t s : a.sectors) out[s];
    for (unsigned l = 0; l < a.at.size(); ++l) {
        if (a.at[l] < 0) continue;
        const auto first = static_cast<std::uint64_t>(a.at[l]), last = first + std::max(1u, a.bytes) - 1;
        for (auto s = first / kSector; s <= last / kSector; ++s)
            if (const auto it = out.find(static_cast<std::uint32_t>(s)); it != out.end()) it->second.push_back(l);
    }
    return out;
}

/// Of each bank the words that lanes want of it, in the order of the lanes, each with its lanes.
using Wanted = std::vector<std::pair<std::uint64_t, std::vector<unsigned>>>;
std::array<Wanted, kBanks> words_of_banks(const AccessPicture& a) {
    std::array<Wanted, kBanks> out;
    for (unsigned l = 0; l < a.at.size(); ++l) {
        if (a.at[l] < 0) continue;
        const auto first = static_cast<std::uint64_t>(a.at[l]), last = first + std::max(1u, a.bytes) - 1;
        for (auto word = first / kWord; word <= last / kWord; ++word) {
            auto& wanted = out[word % kBanks];
            const auto it = std::find_if(wanted.begin(), wanted.end(), [&](const auto& w) { return w.first == word; });
            if (it == wanted.end())
                wanted.push_back({word, {l}});
            else
                it->second.push_back(l);
        }
    }
    return out;
}

}  // namespace

std::uint32_t least_of(const AccessPicture& a) {
    const std::uint32_t unit = a.sectors.empty() ? 128 : 32;
    return std::max<std::uint32_t>(1, (a.lanes * a.bytes + unit - 1) / unit);
}

std::string access_sentence(const Desk& desk, const AccessPicture& a) {
    const bool shared = a.sectors.empty();
    return desk.words(shared ? "learn.access_shared" : "learn.access_global",
                      {{"line", static_cast<std::int64_t>(a.line)},
                       {"instruction", Text(printable(a.instruction))},
                       {"lanes", static_cast<std::int64_t>(a.lanes)},
                       {"bytes", static_cast<std::int64_t>(a.bytes)},
                       {"count", static_cast<std::int64_t>(shared ? a.wavefronts : a.sectors.size())},
                       {"least", static_cast<std::int64_t>(least_of(a))}});
}

std::string sectors_drawn(const AccessPicture& a, std::size_t width, bool unicode) {
    const std::string touched = unicode ? "■" : "#", none = unicode ? "·" : ".", gap = unicode ? " … " : " ... ";
    const auto sectors = lanes_of_sectors(a);
    std::string out, row;
    std::size_t columns = 0, rows = 0;
    std::optional<std::uint32_t> before;
    for (auto it = sectors.begin(); it != sectors.end();) {
        const std::uint32_t line = it->first / kPerLine;
        std::string drawn = "|";
        std::size_t wide = 1;
        for (std::uint32_t s = 0; s < kPerLine; ++s) {
            std::string cell = none;
            std::size_t letters = 1;
            if (it != sectors.end() && it->first == line * kPerLine + s) {
                cell = it->second.empty() ? touched : lanes_text(it->second);
                letters = it->second.empty() ? 1 : cell.size();
                ++it;
            }
            drawn += cell + "|";
            wide += letters + 1;
        }
        const bool apart = before && line != *before + 1;
        const std::string lead = !before ? "" : apart ? gap : " ";
        const std::size_t lead_wide = !before ? 0 : apart ? (unicode ? 3 : 5) : 1;
        if (columns > 0 && columns + lead_wide + wide > width) {
            out += "    " + row + "\n";
            row.clear(), columns = 0;
            if (++rows == kMostRows) return out + "    ...\n";
        }
        row += (columns ? lead : "") + drawn;
        columns += (columns ? lead_wide : 0) + wide;
        before = line;
    }
    return out + "    " + row + "\n";
}

std::string banks_drawn(const AccessPicture& a, const std::string& bank) {
    const auto words = words_of_banks(a);
    std::size_t rows = 0;
    for (const Wanted& w : words) rows = std::max(rows, w.size());
    constexpr std::uint32_t kHalf = kBanks / 2;
    std::string out;
    for (std::uint32_t from = 0; from < kBanks; from += kHalf) {
        if (std::all_of(words.begin() + from, words.begin() + from + kHalf, [](const Wanted& w) { return w.empty(); }))
            continue;
        out += "    " + bank;
        for (std::uint32_t b = from; b < from + kHalf; ++b) out += fmt::format("{:>4}", b);
        out += "\n";
        for (std::size_t k = 0; k < std::min(rows, kMostWavefronts); ++k) {
            std::string row = fmt::format("    {:>{}}", fmt::format("{}.", k + 1), bank.size());
            for (std::uint32_t b = from; b < from + kHalf; ++b) {
                const Wanted& wanted = words[b];
                if (k >= wanted.size())
                    row += "   .";
                else
                    row += fmt::format(
                        "{:>4}", fmt::format("{}{}", wanted[k].second.front(), wanted[k].second.size() > 1 ? "+" : ""));
            }
            out += row + "\n";
        }
        if (rows > kMostWavefronts) out += "    ...\n";
    }
    return out;
}

std::string access_text(const Desk& desk, const learn::Verdict& v, const std::string& file) {
    const auto* a = told_access(v, file);
    if (!a) return "";
    const std::string sentence = paragraphs(desk, access_sentence(desk, *a), "  ");
    if (!a->sectors.empty()) {
        const std::size_t width = std::max<std::size_t>(desk.console.width() ? desk.console.width() : 100, 40) - 4;
        return sentence + sectors_drawn(*a, width, desk.console.unicode());
    }
    if (a->at.empty()) return sentence;
    return sentence + banks_drawn(*a, "bank");
}

}  // namespace warpwright::cli
