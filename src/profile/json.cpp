// A profile as JSON, and back: each type lists its members once, for writing and for reading.
#include "record/finding_fields.hpp"
#include "record/json_fields.hpp"

#include "profile/profile.hpp"

namespace warpwright::record {
template <class V>
static void fields(V& v, Touched& t) {
    v("read_bytes", t.read), v("written_bytes", t.written);
    v.skip("joined_instructions", t.joined.instructions), v.skip("joined_integer", t.joined.integer);
    v.skip("joined_shared_requests", t.joined.shared_requests);
    v.skip("joined_shared_wavefronts", t.joined.shared_wavefronts);
}
template <class V>
void fields(V& v, AccessPicture& a) {
    v.when(a.line != 0, "file", a.file), v.when(a.line != 0, "line", a.line), v("ptx_line", a.ptx_line);
    v("instruction", a.instruction), v("space", a.space), v("lanes", a.lanes), v("bytes", a.bytes);
    v.when(a.wavefronts != 0, "wavefronts", a.wavefronts), v.skip("sectors", a.sectors);
}
template <class V>
void fields(V& v, PtxInstruction& i) {
    v("ptx_line", i.ptx_line), v("text", i.text), v.when(i.line != 0, "file", i.file);
    v.when(i.line != 0, "line", i.line), v("share", i.share), v("state", i.state);
}
template <class V>
void fields(V& v, WarpCourse& w) {
    v("cycles", w.cycles), v("shown", w.shown), v("schedulers", w.schedulers), v("states", w.states);
    v("intervals", w.intervals);
}
template <class V>
void fields(V& v, LaunchPicture& p) {
    v("accesses", p.accesses), v("ptx", p.ptx), v("warps", p.warps);
}
}  // namespace warpwright::record

namespace warpwright::profile {

namespace {

using Json = nlohmann::json;
using Writer = record::JsonWriter<Json, true>;  // most counts of a line are zero
using Reader = record::JsonReader<Json>;

constexpr std::uint64_t kSchema = 1;
const std::string kKind = "profile";

}  // namespace

// Events are many: a list of six numbers each; earlier profiles have five.
static void put(Json& out, const Event& e) {
    out = Json::array({static_cast<unsigned>(e.kind), e.what, e.lane, e.start, e.seconds, e.number});
}
static void take(Reader& r, const Json& node, const std::string& path, Event& e) {
    if (!node.is_array() || node.size() < 5 || node.size() > 6) return r.fail(path, "must be six numbers");
    unsigned kind = 0;
    r.read(node[0], path, kind), r.read(node[1], path, e.what), r.read(node[2], path, e.lane);
    r.read(node[3], path, e.start), r.read(node[4], path, e.seconds);
    if (node.size() == 6) r.read(node[5], path, e.number);
    if (kind > static_cast<unsigned>(Event::Kind::call)) return r.fail(path, "has no such kind of event");
    e.kind = static_cast<Event::Kind>(kind);
}

template <class V>
void fields(V& v, Times& t) {
    v("calls", t.calls), v("total_s", t.total), v("min_s", t.min), v("max_s", t.max);
}
template <class V>
void fields(V& v, KernelUse::Launches& l) {
    v("count", l.count), v("seconds", l.seconds), v("counts", l.counts);
}
template <class V>
void fields(V& v, KernelUse::Sampled& s) {
    v("launches", s.launches), v("blocks", s.blocks), v("blocks_run", s.run), v("which", s.which);
    v("why_all", s.why_all), v("half_width_95", s.half_width);
}
template <class V>
void fields(V& v, OnModel& m) {
    v("model", m.model), v.skip("why", m.why);
    v.when(m.why.empty(), "seconds", m.seconds), v.when(m.why.empty(), "total_s", m.total);
    v.skip("predicted", m.predicted), v.skip("causes", m.causes);
}
template <class V>
void fields(V& v, KernelUse& k) {
    v("name", k.name), v.skip("from_device", k.from_device), v.skip("device", k.device), v("grid", k.grid),
        v("block", k.block);
    v("dynamic_shared", k.dynamic_shared), v("static_shared", k.static_shared), v("registers", k.registers);
    v.skip("registers_source", k.registers_source), v.skip("apart", k.apart);
    v("times", k.times), v.skip("predicted", k.predicted), record::causes_field(v, k.predicted);
    v.skip("unpredicted", k.unpredicted);
    v.skip("picture", k.picture), v.skip("models", k.models);
    v("emulation_s", k.host_seconds), v("compile_s", k.compile_seconds);
    v("counted", k.counted), v("counts", k.counts), v.skip("launches", k.launches);
    v.skip("launches_left_out", k.launches_left_out);
    v.when(k.sample.launches != 0, "sample", k.sample);
    v.when(k.touched.read + k.touched.written != 0 || !k.touched.joined.empty(), "touched", k.touched);
    v.skip("metrics", k.metrics);
    std::vector<record::LineCounts> lines;
    for (const auto& [where, counts] : k.lines) lines.push_back({where.first, where.second, counts});
    v.skip("lines", lines);
    for (const record::LineCounts& l : lines) k.lines[{l.file, l.line}] = l.counts;
}
template <class V>
void fields(V& v, Profile::Copy& c) {
    v("name", c.name), v("times", c.times), v("bytes", c.bytes);
}
template <class V>
void fields(V& v, Profile::Call& c) {
    v("name", c.name), v("times", c.times), v("failed", c.failed);
}
template <class V>
void fields(V& v, EmulatorTime::Part& p) {
    v("work", p.work), v("seconds", p.seconds);
}
template <class V>
void fields(V& v, EmulatorTime::Line& l) {
    v("kernel", l.kernel), v.when(l.line != 0, "file", l.file), v.when(l.line != 0, "line", l.line);
    v.when(l.line == 0, "ptx_line", l.ptx_line), v("work", l.work), v("seconds", l.seconds);
}
template <class V>
void fields(V& v, EmulatorTime& e) {
    v("processor_s", e.processor_seconds), v("samples", e.samples), v("parts", e.parts), v.skip("lines", e.lines);
}
template <class V>
void fields(V& v, Fault& f) {
    v("kernel", f.kernel), v("text", f.text);
}
template <class V>
void fields(V& v, Profile& p) {
    v("model", p.model), v("model_file", p.model_file), v("program", p.program), v("host_s", p.host_seconds);
    v.skip("host_clock", p.host_clock);
    v("counted", p.counted), v("per_line", p.per_line);
    const bool measured = p.measured();
    v.when(measured, "device", p.device), v.when(measured, "counted_keys", p.counted_keys);
    v.when(measured, "replayed", p.replayed), v.when(measured, "passes", p.passes);
    v.when(measured, "replay_s", p.replay_seconds), v.skip("notes", p.notes);
    v.skip("causes", p.causes);
    v("kernels", p.kernels), v("copies", p.copies), v("calls", p.calls), v("faults", p.faults);
    v.skip("emulator", p.emulator);
    v.skip("findings", p.findings), v.skip("sources", p.sources);
    v.skip("events", p.events), v.when(!p.events.empty(), "events_dropped", p.events_dropped);
}

std::string to_json(const Profile& p) {
    Writer root;
    root.out = {{"schema", kSchema}, {"kind", kKind}, {"times", p.measured() ? "measured" : "predicted"}};
    fields(root, const_cast<Profile&>(p));  // a writer only reads
    return root.out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool is_profile(const std::string& text) {
    // Only the members of the whole are of interest: what lies deeper is read over.
    const auto top = [](int depth, Json::parse_event_t, Json&) { return depth <= 1; };
    const Json in = Json::parse(text, top, false);
    const auto kind = in.is_object() ? in.find("kind") : in.end();
    return kind != in.end() && *kind == kKind;
}

Result<Profile> from_json(const std::string& text, const std::string& file) {
    Error error{ErrorKind::input, "", {file, 0, 0}, ""};
    const Json in = Json::parse(text, nullptr, false);
    if (in.is_discarded()) {
        error.what = "not a profile: the file is not JSON, or it is truncated";
        return error;
    }
    if (const auto version = in.is_object() ? in.find("schema") : in.end();
        version != in.end() && version->is_number_unsigned() && *version != kSchema) {
        error.what =
            "a profile of version " + version->dump() + "; this Warpwright reads version " + std::to_string(kSchema);
        error.hint = "make it anew with `run --json`, or use the Warpwright that wrote it";
        return error;
    }
    record::JsonProblem problem;
    Reader reader(in, "", problem);
    Profile out;
    if (in.is_object()) {
        std::string kind;
        reader("kind", kind);
        if (kind != kKind) reader.fail("kind", "must be \"" + kKind + "\"");
        fields(reader, out);
    }
    if (!problem.any()) return out;
    error.what = "not a profile: '" + problem.path + "' " + problem.what;
    return error;
}

}  // namespace warpwright::profile
