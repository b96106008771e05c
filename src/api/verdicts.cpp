// Verdicts on a profile: a sentence with figures, then the source lines that they come from, the most important
// first.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "record/metrics.hpp"
#include "support/source_files.hpp"
#include "warpwright/profile.hpp"

namespace warpwright {

using record::Checker;
using record::Count;
using record::Counts;
using record::Derived;

namespace {

constexpr std::size_t kLines = 3;  ///< source lines that a text names

std::uint64_t conflicts_of(const Counts& c) { return total(c, Derived::shared_bank_conflicts); }

std::uint64_t sectors_of(const Counts& c) { return total(c, Derived::global_sectors); }

/// 0 where nothing was counted.
double per(const Counts& c, Derived quotient) { return value(c, quotient).value_or(0); }

std::string source_line(const Profile& p, const std::string& file, unsigned line) {
    std::string text;
    bool known = false;
    for (const auto& [name, source] : p.sources) {
        if (name != file) continue;
        known = true;
        std::istringstream in(source);
        for (unsigned k = 0; k < line; ++k)
            if (!std::getline(in, text)) return "";
    }
    if (!known) text = SourceFiles().line(file, line).value_or("");
    const auto first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first);
}

/// The lines with most `weight`, each with the text that `words` makes for it.
std::string lines(const Profile& p, const std::function<double(const Counts&)>& weight,
                  const std::function<std::string(const Counts&)>& words) {
    std::vector<const record::LineCounts*> of;
    for (const auto& l : p.counts.lines)
        if (weight(l.counts) > 0) of.push_back(&l);
    std::stable_sort(of.begin(), of.end(),
                     [&](const auto* a, const auto* b) { return weight(a->counts) > weight(b->counts); });
    std::string out;
    for (std::size_t k = 0; k < of.size() && k < kLines; ++k) {
        out += fmt::format("\n  at {}:{}: {}", of[k]->file, of[k]->line, words(of[k]->counts));
        if (const auto text = source_line(p, of[k]->file, of[k]->line); !text.empty()) out += "\n      " + text;
    }
    if (of.size() > kLines) out += fmt::format("\n  and {} further lines", of.size() - kLines);
    return out;
}

std::string place(const Profile& p, const char* lead, const record::FindingPlace& at) {
    std::string out =
        fmt::format("\n  {} {}", lead, at.line ? fmt::format("{}:{}", at.file, at.line) : std::string("?"));
    if (!at.access.empty()) out += ": " + at.access;
    if (at.line)
        if (const auto text = source_line(p, at.file, at.line); !text.empty()) out += "\n      " + text;
    return out;
}

std::string text_of(const Profile& p, const record::Finding& f) {
    std::string out = fmt::format("{}[{}]: {}", record::name_of(f.severity), record::info(f.kind).name, f.message);
    if (f.at.line) out += place(p, "at", f.at);
    if (f.other) out += place(p, "and", *f.other);
    if (f.count > 1) out += fmt::format("\n  seen {} times", f.count);
    if (!f.advice.empty()) out += "\n  what to do: " + f.advice;
    return out;
}

/// The findings that `chosen` selects; the error that ended the launch always counts.
Verdict none_of(const Profile& p, std::uint32_t wanted, const std::function<bool(const record::Finding&)>& chosen) {
    for (const auto& c : record::checkers())
        if (wanted & record::kKernelCheckers & ~p.checkers & static_cast<std::uint32_t>(c.checker))
            return {false, fmt::format("was not looked at: the device was opened without the checker '{}'", c.name)};
    std::string text;
    std::size_t count = 0;
    for (const auto& f : p.findings)
        if (chosen(f)) text += "\n" + text_of(p, f), ++count;
    if (p.error && count == 0) return {false, "did not complete: " + p.error->text()};
    if (count == 0) return {true, "nothing found"};
    return {false, fmt::format("has {} finding{}{}", count, count == 1 ? "" : "s", text)};
}

/// A launch that ended early has incomplete counts, so there is no verdict on them.
std::optional<Verdict> unfinished(const Profile& p) {
    if (!p.error) return std::nullopt;
    return Verdict{false, "did not complete: " + p.error->text()};
}

Verdict at_most(const Profile& p, std::uint64_t value, std::uint64_t most, const std::string& what,
                const std::string& where) {
    if (auto early = unfinished(p)) return *early;
    if (value <= most) return {true, fmt::format("has {} {}", value, what)};
    return {false, fmt::format("has {} {}{}", value, what, where)};
}

}  // namespace

std::uint64_t Profile::global_bytes() const { return total(counts.total, Derived::global_bytes_moved); }
std::uint64_t Profile::bank_conflicts() const { return conflicts_of(counts.total); }
double Profile::branch_efficiency() const { return value(counts.total, Derived::branch_efficiency).value_or(1); }
double Profile::lane_efficiency() const { return value(counts.total, Derived::lane_efficiency).value_or(1); }
double Profile::global_efficiency() const { return value(counts.total, Derived::global_efficiency).value_or(1); }

Verdict no_findings(const Profile& p) {
    return none_of(p, record::kKernelCheckers, [](const auto&) { return true; });
}
Verdict no_errors(const Profile& p) {
    return none_of(p, record::kKernelCheckers, [](const auto& f) { return f.severity == record::Severity::error; });
}
Verdict no_findings_of(const Profile& p, Checker checker) {
    return none_of(p, static_cast<std::uint32_t>(checker), [&](const auto& f) {
        return record::info(f.kind).checker == checker || f.kind == record::FindingKind::fault;
    });
}

Verdict has_finding(const Profile& p, const std::string& kind, unsigned line) {
    std::string others;
    for (const auto& f : p.findings) {
        const bool there = line == 0 || f.at.line == line || (f.other && f.other->line == line);
        if (record::info(f.kind).name == kind && there) return {true, "has it: " + text_of(p, f)};
        others += "\n" + text_of(p, f);
    }
    const auto& kinds = record::finding_kinds();
    if (std::none_of(kinds.begin(), kinds.end(), [&](const auto& k) { return k.name == kind; }))
        return {false, "'" + kind + "' is not a kind of finding"};
    return {false, others.empty() ? "has no findings" : "has other findings:" + others};
}

Verdict no_bank_conflicts(const Profile& p) { return bank_conflicts_at_most(p, 0); }
Verdict bank_conflicts_at_most(const Profile& p, std::uint64_t most) {
    const auto words = [](const Counts& c) {
        return fmt::format("{} bank conflicts in {} requests", conflicts_of(c), total(c, Derived::shared_requests));
    };
    return at_most(p, p.bank_conflicts(), most, "bank conflicts",
                   lines(p, [](const Counts& c) { return static_cast<double>(conflicts_of(c)); }, words));
}

Verdict sectors_per_request_at_most(const Profile& p, double most) {
    if (auto early = unfinished(p)) return *early;
    const auto& c = p.counts.total;
    const double loads = per(c, Derived::global_load_sectors_per_request);
    const double stores = per(c, Derived::global_store_sectors_per_request);
    const auto figures = [](double l, double s) {
        return fmt::format("{}{}{}", l > 0 ? fmt::format("{:.4g} sectors per load", l) : "", l > 0 && s > 0 ? ", " : "",
                           s > 0 ? fmt::format("{:.4g} per store", s) : "");
    };
    if (loads <= most && stores <= most)
        return {true, "has " + (loads + stores > 0 ? figures(loads, stores) : "no access of global memory")};
    // Sorted by the sectors beyond the minimum.
    const auto excess = [&](const Counts& l) {
        const auto over = [&](Count sectors, Count requests) {
            return std::max(0.0, static_cast<double>(l[sectors]) - most * static_cast<double>(l[requests]));
        };
        return over(Count::global_load_sectors, Count::global_load_requests) +
               over(Count::global_store_sectors, Count::global_store_requests);
    };
    const auto words = [&](const Counts& l) {
        return figures(per(l, Derived::global_load_sectors_per_request),
                       per(l, Derived::global_store_sectors_per_request)) +
               fmt::format(", of {} requests", l[Count::global_load_requests] + l[Count::global_store_requests]);
    };
    return {false, "has " + figures(loads, stores) + lines(p, excess, words)};
}

Verdict global_bytes_at_most(const Profile& p, std::uint64_t most) {
    return at_most(p, p.global_bytes(), most, "bytes of global memory moved",
                   lines(
                       p, [](const Counts& c) { return static_cast<double>(sectors_of(c)); },
                       [](const Counts& c) {
                           return fmt::format("{} bytes in {} sectors", total(c, Derived::global_bytes_moved),
                                              sectors_of(c));
                       }));
}

namespace {

Verdict at_least(const Profile& p, double value, double least, const std::string& what, const std::string& where) {
    if (auto early = unfinished(p)) return *early;
    const auto figure = fmt::format("has {} of {:.4g}", what, value);
    return {value >= least, value >= least ? figure : figure + where};
}

}  // namespace

Verdict global_efficiency_at_least(const Profile& p, double least) {
    const auto wasted = [](const Counts& c) {
        return std::max(0.0, static_cast<double>(total(c, Derived::global_bytes_moved)) -
                                 static_cast<double>(c[Count::global_bytes_requested]));
    };
    return at_least(p, p.global_efficiency(), least, "a global efficiency", lines(p, wasted, [](const Counts& c) {
                        return fmt::format("{} bytes asked for, {} moved", c[Count::global_bytes_requested],
                                           total(c, Derived::global_bytes_moved));
                    }));
}

Verdict no_local_memory(const Profile& p) {
    const auto requests = [](const Counts& c) { return total(c, Derived::local_requests); };
    if (p.local_bytes == 0 && requests(p.counts.total) == 0) return {true, "has no local memory"};
    return {false, fmt::format("has {} bytes of local memory per thread", p.local_bytes) +
                       lines(
                           p, [&](const Counts& c) { return static_cast<double>(requests(c)); },
                           [&](const Counts& c) { return fmt::format("{} requests", requests(c)); })};
}

Verdict shared_bytes_at_most(const Profile& p, std::uint64_t most) {
    return {p.occupancy.shared <= most, fmt::format("has {} bytes of shared memory per block", p.occupancy.shared)};
}

Verdict branch_efficiency_at_least(const Profile& p, double least) {
    return at_least(p, p.branch_efficiency(), least, "a branch efficiency",
                    lines(
                        p, [](const Counts& c) { return static_cast<double>(c[Count::divergent_branches]); },
                        [](const Counts& c) {
                            return fmt::format("{} of {} branches split their warp", c[Count::divergent_branches],
                                               c[Count::branches]);
                        }));
}

Verdict lane_efficiency_at_least(const Profile& p, double least) {
    const auto idle = [](const Counts& c) {
        return 32.0 * static_cast<double>(c[Count::instructions]) - static_cast<double>(c[Count::thread_instructions]);
    };
    return at_least(p, p.lane_efficiency(), least, "a lane efficiency", lines(p, idle, [](const Counts& c) {
                        return fmt::format("{:.3g} of 32 lanes active in {} instructions",
                                           per(c, Derived::lanes_per_instruction), c[Count::instructions]);
                    }));
}

Verdict occupancy_at_least(const Profile& p, double least) {
    const auto& o = p.occupancy;
    return {o.fraction >= least,
            fmt::format("has an occupancy of {:.4g} on {}: {} warps per multiprocessor, limited by "
                        "{} ({} registers per thread{}, {} bytes of shared memory per block)",
                        o.fraction, p.model, o.warps, o.limiter, o.registers,
                        record::registers_note(o.registers_source), o.shared)};
}

Verdict registers_at_most(const Profile& p, std::uint32_t most) {
    return {p.occupancy.registers <= most, fmt::format("has {} registers per thread{}", p.occupancy.registers,
                                                       record::registers_note(p.occupancy.registers_source))};
}

Verdict count_at_most(const Profile& p, Count count, std::uint64_t most) {
    return at_most(p, p[count], most, std::string(record::count_key(count)),
                   lines(
                       p, [&](const Counts& c) { return static_cast<double>(c[count]); },
                       [&](const Counts& c) { return fmt::format("{}", c[count]); }));
}

namespace {

/// "divergence, 63 % at k.cu:12: 16 of 32 lanes ...; <what to do>"
std::string cause_text(const record::Bottleneck& b) {
    std::string out = "\n  " + b.cause + fmt::format(", {:.0f} %", 100 * b.share);
    if (b.line != 0) out += fmt::format(" at {}:{}", b.file, b.line);
    return out + ": " + evidence_english(b) + "\n  what to do: " + fix_english(b);
}

std::optional<Verdict> without_time(const Profile& p) {
    if (auto early = unfinished(p)) return early;
    if (p.predicted) return std::nullopt;
    return Verdict{false, "has no predicted time, from which causes follow: the device was opened with checkers"};
}

}  // namespace

Verdict not_held_back_by(const Profile& p, const std::string& cause, double share) {
    if (auto none = without_time(p)) return *none;
    if (!record::is_cause(cause))
        return {false, "cannot be asked for '" + cause + "', which is no cause (docs/causes.md)"};
    for (const record::Bottleneck& b : p.predicted->causes)
        if (b.cause == cause && b.share >= share) return {false, "is held back by" + cause_text(b)};
    return {true, "is not held back by " + cause};
}

Verdict near_the_limit(const Profile& p, double share) {
    if (auto none = without_time(p)) return *none;
    std::string out;
    for (const record::Bottleneck& b : p.predicted->causes)
        if (b.cause != record::kNearTheLimit && b.share >= share) out += cause_text(b);
    return out.empty() ? Verdict{true, "is near its limit"} : Verdict{false, "is held back by" + out};
}

std::string describe(const Profile& p) {
    const auto& c = p.counts.total;
    std::string out = fmt::format("{} with a grid of {}x{}x{} blocks of {}x{}x{} threads", p.kernel, p.grid.x, p.grid.y,
                                  p.grid.z, p.block.x, p.block.y, p.block.z);
    if (p.error) return out + ", which did not complete: " + p.error->text();
    out += fmt::format(" ({} warp instructions, {} global sectors in {} requests, {} bank conflicts, occupancy {:.3g})",
                       c[Count::instructions], sectors_of(c), total(c, Derived::global_requests), p.bank_conflicts(),
                       p.occupancy.fraction);
    return out;
}

}  // namespace warpwright
