// The sentences stand in data/text/<language>/findings.toml. Each kind is given all arguments; its text uses some.
#include "report/finding_text.hpp"

#include <fmt/format.h>

#include "text/words.hpp"

namespace warpwright::report {
namespace {

using record::Finding;
using record::FindingKind;
using record::FindingPlace;

std::int64_t whole(std::uint64_t n) { return static_cast<std::int64_t>(n); }

std::string triple(const std::array<std::uint32_t, 3>& v) { return fmt::format("({},{},{})", v[0], v[1], v[2]); }

Text thread_text(const FindingPlace& at) {
    if (!at.thread || !at.block) return {};
    return message("finding.part.thread", {{"thread", Text(triple(*at.thread))}, {"block", Text(triple(*at.block))}});
}

Text access_text(const FindingPlace& at) {
    return at.access.empty() ? message("finding.part.here") : carried_text(at.access);
}

/// ", by thread (3,0,0) of block (1,0,0)"; nothing where it is not known.
Text by_text(const FindingPlace& at) {
    Text thread = thread_text(at);
    return thread.empty() ? thread : message("finding.part.by", {{"thread", std::move(thread)}});
}

/// One of the two that meet: who, with what, and where; the file where it is not that of the finding.
Text side_text(const FindingPlace& at, const std::string& finding_file) {
    const Text access = access_text(at);
    Text who = thread_text(at);
    if (at.line == 0)
        return who.empty() ? access
                           : message("finding.part.side_nowhere", {{"who", std::move(who)}, {"access", access}});
    if (at.file != finding_file) {
        const Text place(at.text());
        if (who.empty()) return message("finding.part.side_alone_at", {{"access", access}, {"place", place}});
        return message("finding.part.side_at", {{"who", std::move(who)}, {"access", access}, {"place", place}});
    }
    const auto line = static_cast<std::int64_t>(at.line);
    if (who.empty()) return message("finding.part.side_alone", {{"access", access}, {"line", line}});
    return message("finding.part.side", {{"who", std::move(who)}, {"access", access}, {"line", line}});
}

/// What was accessed, as closely as it is known.
Text what_text(const Finding& f) {
    const bool range = f.kind == FindingKind::unwritten_copy;  // whose element is a phrase
    if (f.array && !range && !f.array->element.empty()) return Text(f.array->element);
    if (!f.allocated_as.empty()) return Text(f.allocated_as);
    if (f.space == "shared" || f.space == "local")
        return message("finding.part.offset", {{"offset", whole(f.address)}});
    if (f.address && !range)
        return message("finding.part.address", {{"address", Text(fmt::format("{:#x}", f.address))}});
    return message("finding.part.memory");
}

/// Where an access out of bounds went.
Text where_text(const Finding& f) {
    if (f.array && !f.array->declaration.empty())
        return message("finding.part.array", {{"array", Text(f.array->declaration)}});
    if (!f.allocation) return f.space == "global" ? message("finding.part.nowhere") : Text();
    const auto& a = *f.allocation;
    const Value size = whole(a.bytes);
    if (f.address < a.address)
        return message("finding.part.before", {{"bytes", whole(a.address - f.address)}, {"size", size}});
    const auto in = f.address - a.address;
    if (in < a.bytes) return message("finding.part.across", {{"size", size}});
    if (in == a.bytes) return message("finding.part.end", {{"size", size}});
    return message("finding.part.past", {{"bytes", whole(in - a.bytes)}, {"size", size}});
}

}  // namespace

Text finding_text(const Finding& f) {
    const bool ended = f.kind == FindingKind::fault || f.kind == FindingKind::deadlock;
    if (ended)
        if (auto known = known_text(f.message)) return std::move(*known);
    const bool words = ended || f.kind == FindingKind::api_error;
    return message("finding." + std::string(record::info(f.kind).name),
                   {{"access", access_text(f.at)},
                    {"what", words ? Text(f.message) : what_text(f)},
                    {"where", where_text(f)},
                    {"by", by_text(f.at)},
                    {"address", Text(fmt::format("{:#x}", f.address))},
                    {"bytes", whole(f.bytes)},
                    {"one", side_text(f.at, f.at.file)},
                    {"other", f.other ? side_text(*f.other, f.at.file) : message("finding.part.memory")}});
}

}  // namespace warpwright::report
