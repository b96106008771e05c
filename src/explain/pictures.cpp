// Draws a request as a map of cells: which lanes meet in which bank and pass, and which bytes of each line are used.
#include "explain/pictures.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "counters/rules.hpp"
#include "counters/schedule.hpp"

namespace warpwright::explain {

namespace {

constexpr std::size_t kShort = 6;  ///< characters that a cell takes ("10, 26"); the whole text is shown on hovering

record::Cell cell(std::uint64_t lanes, int tone) {
    record::Cell out;
    out.tone = tone;
    const std::string all = lanes_text(lanes);
    out.text = all.size() <= kShort ? all : fmt::format("x{}", std::popcount(lanes));
    out.hover = message("explain.hover.lanes", {{"lanes", all}});
    return out;
}

}  // namespace

std::string lanes_text(std::uint64_t mask) {
    std::string out;
    for (unsigned i = 0; i < 64; ++i) {
        if (!(mask >> i & 1)) continue;
        unsigned end = i;
        while (end + 1 < 64 && (mask >> (end + 1) & 1)) ++end;
        out += out.empty() ? "" : ", ";
        out += end == i ? std::to_string(i) : fmt::format("{}-{}", i, end);
        i = end;
    }
    return out;
}

record::CellMap bank_picture(const Request& request, const Setting& setting, std::string id, Text title) {
    const counters::BankRule rule = counters::bank_rule(setting.model, setting.wide_banks);
    const std::vector<std::uint32_t> address = request.small();
    const counters::BankSchedule schedule =
        counters::shared_schedule(setting.op, address.data(), request.mask, setting.bytes, request.lanes, rule);
    record::CellMap map{std::move(id), std::move(title), {}, {}, {}, {}, {}};
    for (unsigned b = 0; b < rule.banks; ++b) map.column_names.push_back(std::to_string(b));
    // Lanes and different words by pass and bank.
    std::vector<std::vector<std::uint64_t>> lanes(schedule.passes, std::vector<std::uint64_t>(rule.banks, 0));
    // By group of lanes and first bank: the passes it works in.
    std::map<std::pair<unsigned, unsigned>, std::uint64_t> in_bank;
    std::vector<unsigned> group_of(schedule.passes, 0);
    for (unsigned i = 0; i < request.lanes; ++i) {
        const auto& l = schedule.lanes[i];
        if (!l.active) continue;
        for (unsigned b = l.bank; b < l.bank + schedule.width; ++b) lanes[l.pass][b] |= std::uint64_t{1} << i;
        group_of[l.pass] = l.group;
        if (l.pass < 64) in_bank[{l.group, l.bank}] |= std::uint64_t{1} << l.pass;
    }
    for (unsigned p = 0; p < schedule.passes; ++p) {
        map.row_names.push_back(message("explain.pass", {{"n", std::int64_t{p + 1}}}));
        std::vector<record::Cell> row;
        for (unsigned b = 0; b < rule.banks; ++b) {
            const std::uint64_t who = lanes[p][b];
            const bool again = std::popcount(in_bank[{group_of[p], b / schedule.width * schedule.width}]) > 1;
            row.push_back(who == 0 ? record::Cell{} : cell(who, again ? 2 : std::popcount(who) > 1 ? 1 : 0));
        }
        map.rows.push_back(std::move(row));
    }
    map.legend = {{0, message("explain.legend.one")},
                  {1, message("explain.legend.several")},
                  {2, message("explain.legend.conflict")}};
    map.caption = message("explain.caption.banks", {{"banks", std::int64_t{rule.banks}},
                                                    {"width", std::int64_t{rule.bank_bytes}},
                                                    {"passes", std::int64_t{schedule.passes}}});
    return map;
}

record::CellMap segment_picture(const Request& request, const Setting& setting, std::string id, Text title,
                                std::size_t rows) {
    constexpr std::uint64_t kLine = 128, kWord = 4;
    const auto pieces = counters::global_pieces(request.address.data(), request.mask, setting.bytes, request.lanes,
                                                counters::coalescing_rule(setting.model));
    struct Word {
        std::uint64_t lanes = 0;
        unsigned moved = 0;
    };
    std::map<std::uint64_t, std::vector<Word>> lines;
    const auto word = [&](std::uint64_t address) -> Word& {
        auto& line = lines[address / kLine];
        line.resize(kLine / kWord);
        return line[address % kLine / kWord];
    };
    std::int64_t moved = 0, sectors = 0;
    for (const auto& p : pieces) {
        moved += p.bytes;
        ++sectors;
        for (std::uint64_t a = p.address; a < p.address + p.bytes; a += kWord) ++word(a).moved;
    }
    for (unsigned i = 0; i < request.lanes; ++i)
        if (request.mask >> i & 1)
            for (std::uint64_t a = request.address[i] / kWord * kWord; a < request.address[i] + setting.bytes;
                 a += kWord)
                word(a).lanes |= std::uint64_t{1} << i;

    record::CellMap map{std::move(id), std::move(title), {}, {}, {}, {}, {}};
    for (std::uint64_t w = 0; w < kLine / kWord; ++w) map.column_names.push_back(std::to_string(w * kWord));
    for (const auto& [line, content] : lines) {
        if (map.rows.size() == rows) break;
        map.row_names.push_back(std::to_string(line * kLine));
        std::vector<record::Cell> row;
        for (const Word& w : content) {
            if (w.moved == 0)
                row.push_back({});
            else if (w.lanes == 0)
                row.push_back({"", w.moved > 1 ? 2 : 1, std::numeric_limits<double>::quiet_NaN(),
                               message("explain.hover.unwanted")});
            else
                row.push_back(cell(w.lanes, w.moved > 1 ? 2 : 0));
        }
        map.rows.push_back(std::move(row));
    }
    map.legend = {{0, message("explain.legend.wanted")},
                  {1, message("explain.legend.unwanted")},
                  {2, message("explain.legend.again")}};
    map.caption = message("explain.caption.segments", {{"count", sectors}, {"moved", moved}});
    if (lines.size() > map.rows.size())
        map.caption +=
            " " + message("explain.caption.more", {{"n", static_cast<std::int64_t>(lines.size() - map.rows.size())}});
    return map;
}

}  // namespace warpwright::explain
