// A profile as JSON, and back.
#include <nlohmann/json.hpp>

#include "profile/profile.hpp"

namespace warpwright::profile {
namespace {

using nlohmann::json;
using record::Count;

json counts_json(const record::Counts& c) {
    json out = json::object();
    for (const record::CountName& name : record::count_names())
        if (c[name.count]) out[std::string(name.key)] = c[name.count];
    return out;
}

record::Counts counts_of(const json& j) {
    record::Counts c;
    for (unsigned k = 0; k < record::kCounts; ++k) {
        auto found = j.find(std::string(record::count_key(static_cast<Count>(k))));
        if (found != j.end() && found->is_number_unsigned()) c.values[k] = *found;
    }
    return c;
}

json times_json(const Times& t) {
    return {{"calls", t.calls}, {"total_s", t.total}, {"min_s", t.min}, {"max_s", t.max}};
}
Times times_of(const json& j) {
    Times t;
    t.calls = j.at("calls"), t.total = j.at("total_s"), t.min = j.at("min_s"), t.max = j.at("max_s");
    return t;
}

json extent_json(const record::Extent& e) { return json::array({e.x, e.y, e.z}); }
record::Extent extent_of(const json& j) { return {j.at(0), j.at(1), j.at(2)}; }

}  // namespace

std::string to_json(const Profile& p) {
    json out = {{"schema", 1},
                {"kind", "profile"},
                {"model", p.model},
                {"model_file", p.model_file},
                {"program", p.program},
                {"host_s", p.host_seconds},
                {"counted", p.counted},
                {"per_line", p.per_line},
                {"times", p.measured() ? "measured" : "predicted"}};
    if (p.measured()) {
        out["device"] = p.device, out["counted_keys"] = p.counted_keys;
        out["replayed"] = p.replayed, out["passes"] = p.passes, out["replay_s"] = p.replay_seconds;
    }
    if (!p.notes.empty()) out["notes"] = p.notes;
    out["kernels"] = json::array();
    for (const auto& k : p.kernels) {
        json j = {{"name", k.name},
                  {"grid", extent_json(k.grid)},
                  {"block", extent_json(k.block)},
                  {"dynamic_shared", k.dynamic_shared},
                  {"static_shared", k.static_shared},
                  {"registers", k.registers},
                  {"times", times_json(k.times)},
                  {"emulation_s", k.host_seconds},
                  {"compile_s", k.compile_seconds},
                  {"counted", k.counted},
                  {"counts", counts_json(k.counts)}};
        if (k.from_device) j["from_device"] = true;
        if (k.sample.launches) {
            json widths = json::object();
            for (const record::CountName& name : record::count_names())
                if (const double width = k.sample.half_width[static_cast<unsigned>(name.count)]; width > 0)
                    widths[std::string(name.key)] = width;
            j["sample"] = {{"launches", k.sample.launches}, {"blocks", k.sample.blocks},   {"blocks_run", k.sample.run},
                           {"which", k.sample.which},       {"why_all", k.sample.why_all}, {"half_width_95", widths}};
        }
        if (!k.metrics.empty()) j["metrics"] = k.metrics;
        if (!k.lines.empty()) {
            json& lines = j["lines"] = json::array();
            for (const auto& [where, counts] : k.lines)
                lines.push_back({{"file", where.first}, {"line", where.second}, {"counts", counts_json(counts)}});
        }
        out["kernels"].push_back(std::move(j));
    }
    out["copies"] = json::array();
    for (const auto& c : p.copies)
        out["copies"].push_back({{"name", c.name}, {"times", times_json(c.times)}, {"bytes", c.bytes}});
    out["calls"] = json::array();
    for (const auto& c : p.calls)
        out["calls"].push_back({{"name", c.name}, {"times", times_json(c.times)}, {"failed", c.failed}});
    if (!p.events.empty()) {
        json& events = out["events"] = json::array();
        for (const auto& e : p.events)
            events.push_back(json::array({static_cast<int>(e.kind), e.what, e.lane, e.start, e.seconds}));
        out["events_dropped"] = p.events_dropped;
    }
    out["faults"] = json::array();
    for (const auto& f : p.faults) out["faults"].push_back({{"kernel", f.kernel}, {"text", f.text}});
    return out.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Profile> from_json(const std::string& text, const std::string& file) {
    try {
        const json in = json::parse(text);
        Profile p;
        p.model = in.at("model"), p.model_file = in.at("model_file"), p.program = in.at("program");
        p.host_seconds = in.at("host_s"), p.counted = in.at("counted"), p.per_line = in.at("per_line");
        p.device = in.value("device", ""), p.replayed = in.value("replayed", std::uint64_t{0}),
        p.passes = in.value("passes", 0u);
        p.replay_seconds = in.value("replay_s", 0.0);
        p.notes = in.value("notes", std::vector<std::string>{}),
        p.counted_keys = in.value("counted_keys", std::vector<std::string>{});
        for (const auto& j : in.at("kernels")) {
            KernelUse k;
            k.from_device = j.value("from_device", false);
            k.name = j.at("name"), k.grid = extent_of(j.at("grid")), k.block = extent_of(j.at("block"));
            k.dynamic_shared = j.at("dynamic_shared"), k.static_shared = j.at("static_shared"),
            k.registers = j.at("registers");
            k.times = times_of(j.at("times")), k.host_seconds = j.at("emulation_s"),
            k.compile_seconds = j.at("compile_s");
            k.counted = j.at("counted"), k.counts = counts_of(j.at("counts"));
            if (auto sample = j.find("sample"); sample != j.end()) {
                k.sample.launches = sample->at("launches"), k.sample.blocks = sample->at("blocks"),
                k.sample.run = sample->at("blocks_run");
                k.sample.which = sample->at("which"), k.sample.why_all = sample->at("why_all");
                for (unsigned i = 0; i < record::kCounts; ++i)
                    k.sample.half_width[i] =
                        sample->at("half_width_95").value(std::string(record::count_key(static_cast<Count>(i))), 0.0);
            }
            k.metrics = j.value("metrics", std::map<std::string, double>{});
            if (auto lines = j.find("lines"); lines != j.end())
                for (const auto& l : *lines) k.lines[{l.at("file"), l.at("line")}] = counts_of(l.at("counts"));
            p.kernels.push_back(std::move(k));
        }
        for (const auto& j : in.at("copies"))
            p.copies.push_back({j.at("name"), times_of(j.at("times")), j.at("bytes")});
        for (const auto& j : in.at("calls")) p.calls.push_back({j.at("name"), times_of(j.at("times")), j.at("failed")});
        if (auto events = in.find("events"); events != in.end()) {
            for (const auto& j : *events)
                p.events.push_back({static_cast<Event::Kind>(j.at(0).get<int>()), j.at(1), j.at(2), j.at(3), j.at(4)});
            p.events_dropped = in.at("events_dropped");
        }
        for (const auto& j : in.at("faults")) p.faults.push_back({j.at("kernel"), j.at("text")});
        return p;
    } catch (const json::exception& e) {
        return Error{ErrorKind::input, std::string("no profile: ") + e.what(), {file, 0, 0}, ""};
    }
}

}  // namespace warpwright::profile
