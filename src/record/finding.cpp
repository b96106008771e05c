// The list of findings becomes tables at compile time, which are never destroyed: the runtime library still writes
// findings while the process ends.
#include "record/finding.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "record/finding_fields.hpp"

namespace warpwright::record {

namespace {

/// "race_shared" to "race-shared", with its end.
template <std::size_t n>
constexpr std::array<char, n> dashed(const char (&key)[n]) {
    std::array<char, n> out{};
    for (std::size_t k = 0; k < n; ++k) out[k] = key[k] == '_' ? '-' : key[k];
    return out;
}

namespace names {
#define WARPWRIGHT_FINDING(key, ...) constexpr auto key = dashed(#key);
#include "record/findings.inc"
}  // namespace names

// Nothing here is ever destroyed: the runtime library still writes findings when the process ends.
constexpr FindingKindInfo kKinds[] = {
#define WARPWRIGHT_FINDING(key, severity, checker, title, meaning, advice) \
    {FindingKind::key,                                                     \
     {names::key.data(), names::key.size() - 1},                           \
     Severity::severity,                                                   \
     Checker::checker,                                                     \
     title,                                                                \
     meaning,                                                              \
     advice},
#include "record/findings.inc"
};

constexpr CheckerInfo kCheckers[] = {
#define WARPWRIGHT_CHECKER(key, of) {Checker::key, #key, CheckerScope::of},
#include "record/findings.inc"
};

constexpr std::string_view kAll = "all";

Error no_checkers(std::string what) {
    return Error{ErrorKind::usage, std::move(what), {}, checker_names(kAllCheckers, ", ") + " or " + std::string(kAll)};
}

}  // namespace

std::span<const FindingKindInfo> finding_kinds() { return kKinds; }
const FindingKindInfo& info(FindingKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::span<const CheckerInfo> checkers() { return kCheckers; }

std::string_view name_of(Checker checker) {
    const auto* found = std::ranges::find(kCheckers, checker, &CheckerInfo::checker);
    return found == std::end(kCheckers) ? "" : found->name;
}

std::string_view name_of(Severity severity) { return severity == Severity::error ? "error" : "warning"; }

std::string checker_names(std::uint32_t set, std::string_view between) {
    std::string out;
    for (const auto& c : kCheckers)
        if (set & static_cast<std::uint32_t>(c.checker)) out.append(out.empty() ? "" : between).append(c.name);
    return out;
}

Result<std::uint32_t> parse_checkers(std::string_view text) {
    std::uint32_t set = 0;
    while (!text.empty()) {
        const auto comma = text.find(',');
        const auto word = text.substr(0, comma);
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
        const auto* found = std::ranges::find(kCheckers, word, &CheckerInfo::name);
        if (word == kAll)
            set |= kAllCheckers;
        else if (found != std::end(kCheckers))
            set |= static_cast<std::uint32_t>(found->checker);
        else
            return no_checkers("'" + std::string(word) + "' is not a checker");
    }
    if (set == 0) return no_checkers("no checker is chosen");
    return set;
}

std::string FindingPlace::text() const { return Location{file, line, column}.text(); }

std::string FindingPlace::thread_text() const {
    if (!thread || !block) return "";
    const auto triple = [](const std::array<std::uint32_t, 3>& v) {
        return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
    };
    return "thread " + triple(*thread) + " of block " + triple(*block);
}

Finding finding_of(FindingKind kind) {
    Finding f;
    f.kind = kind;
    f.severity = info(kind).severity;
    f.advice = info(kind).advice;
    return f;
}

using nlohmann::json;

std::string findings_json(const std::vector<Finding>& findings) {
    return json{{"schema", 1}, {"findings", JsonWriter<json>::write(findings)}}.dump(2, ' ', false,
                                                                                     json::error_handler_t::replace) +
           "\n";
}

Result<std::vector<Finding>> read_findings(const std::string& text) {
    const auto wrong = [](const std::string& why) {
        return Error{ErrorKind::input, "these are no findings: " + why, {}, ""};
    };
    const json in = json::parse(text, nullptr, false);
    if (in.is_discarded()) return wrong("the text is not JSON");
    JsonProblem problem;
    JsonReader<json> reader(in, "", problem);
    std::vector<Finding> out;
    if (in.is_object()) {
        std::uint32_t schema = 0;
        reader("schema", schema);
        if (schema != 1) reader.fail("schema", "must be 1");
        reader("findings", out);
    }
    if (problem.any()) return wrong("'" + problem.path + "' " + problem.what);
    return out;
}

}  // namespace warpwright::record
