// What the page shows of the program as a whole: where its time went, its kernels as rows, copies, calls, findings.
#include "report/program/page_data.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "profile/names.hpp"
#include "profile/side_by_side.hpp"
#include "record/bottleneck_text.hpp"
#include "report/columns.hpp"
#include "report/figures.hpp"
#include "report/finding_text.hpp"
#include "report/format.hpp"
#include "support/demangle.hpp"
#include "text/words.hpp"

namespace warpwright::report {

Speaker::Speaker(const Words& words) {
    for (const std::string& language : words.all_languages()) words_.push_back(words.in(language));
}

PageJson Speaker::one(const std::vector<std::string>& wordings) {
    const bool alike = std::all_of(wordings.begin(), wordings.end(), [&](const auto& w) { return w == wordings[0]; });
    return alike ? PageJson(wordings[0]) : PageJson(wordings);
}

PageJson Speaker::operator()(const Text& text) const {
    std::vector<std::string> wordings;
    for (const Words& w : words_) wordings.push_back(safe(w.render(text)));
    return one(wordings);
}

const PageJson& Speaker::name(const std::string& name) const {
    const auto [at, fresh] = names_.try_emplace(name);
    if (fresh) at->second = (*this)(name_text(safe(name)));
    return at->second;
}

const PageJson& Speaker::count(record::Count count) const {
    const auto [at, fresh] = counts_.try_emplace(count);
    if (fresh) at->second = (*this)(count_text(count));
    return at->second;
}

PageJson Speaker::languages() const {
    PageJson out = PageJson::array();
    for (const Words& w : words_) {
        PageJson texts = PageJson::object(), units = PageJson::object();
        const std::string own = "profile_page.";
        for (const auto& [key, text] : w.texts()) {
            if (key.starts_with(own)) texts[key.substr(own.size())] = text;
            if (key.starts_with("unit.")) units[key.substr(5)] = text;
        }
        for (const char* key : {"report.theme", "report.theme_auto", "report.theme_light", "report.theme_dark",
                                "report.language", "report.previous", "report.next", "report.skip"})
            texts[std::string(key).substr(7)] = w(key);
        out.push_back({{"language", w.language()},
                       {"name", w("report.language_name")},
                       {"decimal", w.has("number.decimal") ? w("number.decimal") : "."},
                       {"group", w.has("number.group") ? w("number.group") : ","},
                       {"units", std::move(units)},
                       {"text", std::move(texts)}});
    }
    return out;
}

std::size_t PageFiles::number(const std::string& file) {
    const auto [at, fresh] = numbers_.try_emplace(file, names_.size());
    if (fresh) names_.push_back(file);
    return at->second;
}

void PageFiles::wants(const std::string& file, unsigned line) { wanted_[number(file)].push_back(line); }

PageJson PageFiles::text(std::size_t number, const SourceText& source, const Profile* base) const {
    constexpr unsigned kMost = 4000, kAround = 12;
    PageJson lines = PageJson::array();
    if (!source) return {{"first", 1}, {"lines", lines}};
    const std::string& file = names_[number];
    for (unsigned line = 1; line <= kMost + 1; ++line) {
        auto text = source(file, line);
        if (!text) break;
        lines.push_back(safe(*text));
    }
    if (lines.size() <= kMost && !lines.empty()) {
        PageJson out{{"first", 1}};
        if (base)
            if (PageJson beside = beside_of(*base, file, lines); !beside.is_null()) out["base"] = std::move(beside);
        out["lines"] = std::move(lines);
        return out;
    }
    // Too long, or its beginning is not at hand: what is near to lines that count.
    PageJson near = PageJson::object();
    if (const auto at = wanted_.find(number); at != wanted_.end())
        for (const unsigned line : at->second)
            for (unsigned n = line > kAround ? line - kAround : 1; n <= line + kAround; ++n) {
                const std::string key = std::to_string(n);
                if (near.contains(key)) continue;
                if (auto text = source(file, n)) near[key] = safe(*text);
            }
    return {{"near", std::move(near)}};
}

const KernelUse* base_of(const PageInput& in, const KernelUse& use) {
    return in.base ? profile::same_kernel(*in.base, use) : nullptr;
}

PageJson causes_data(const std::vector<record::Bottleneck>& causes, const Speaker& say, PageFiles& files) {
    PageJson out = PageJson::array();
    for (const record::Bottleneck& b : causes) {
        PageJson cause{{"cause", b.cause},
                       {"name", say(record::title_text(b))},
                       {"evidence", say(record::evidence_text(b))},
                       {"fix", say(record::fix_text(b))}};
        if (b.share > 0) cause["share"] = b.share;
        if (!b.variable.empty()) cause["variable"] = safe(b.variable);
        if (b.line) cause["file"] = files.number(b.file), cause["line"] = b.line;
        out.push_back(std::move(cause));
    }
    return out;
}

namespace {

using profile::Event;

PageJson times_of(const profile::Times& t) { return {t.calls, t.total, t.average(), t.min, t.max}; }

/// How long the device had kernels, copies, both at once, or nothing, from the first event to the last one's end.
PageJson where_time_goes(const PageInput& in) {
    const Profile& p = in.profile;
    std::vector<std::pair<double, int>> steps;  // what begins: 1 a kernel, 2 a copy; what ends: below zero
    for (const Event& e : p.events) {
        if (e.kind == Event::Kind::call || !(e.seconds >= 0)) continue;
        const int what = e.kind == Event::Kind::kernel ? 1 : 2;
        steps.emplace_back(e.start, what), steps.emplace_back(e.start + e.seconds, -what);
    }
    if (steps.empty()) {
        double kernels = 0, copies = 0;
        for (const auto& k : p.kernels) kernels += k.times.total;
        for (const auto& c : p.copies) copies += c.times.total;
        return {{"summed", true}, {"kernels", kernels}, {"copies", copies}, {"both", 0}, {"idle", 0}};
    }
    std::sort(steps.begin(), steps.end());
    double spent[4] = {}, before = steps.front().first;
    std::int64_t running[3] = {};
    for (const auto& [time, what] : steps) {
        spent[(running[1] > 0) + 2 * (running[2] > 0)] += time - before;
        before = time;
        running[std::abs(what)] += what > 0 ? 1 : -1;
    }
    return {{"summed", false},     {"from", steps.front().first}, {"to", steps.back().first},
            {"kernels", spent[1]}, {"copies", spent[2]},          {"both", spent[3]},
            {"idle", spent[0]}};
}

PageJson row_of(const PageInput& in, const KernelSummary& k, const Speaker& say, double all) {
    const KernelUse& u = *k.use;
    PageJson row{{"name", safe(k.name)},
                 {"grid", extent(u.grid)},
                 {"block", extent(u.block)},
                 {"times", times_of(u.times)},
                 {"share", all > 0 ? u.times.total / all : 0}};
    if (u.from_device) row["nested"] = true;
    if (u.apart) row["apart"] = u.apart;
    if (!bound_mark(in.profile, u).empty()) row["bound"] = true;
    if (const auto causes = causes_of(k); !causes.empty())
        row["cause"] = {say(record::title_text(causes.front())),
                        causes.front().share > 0 ? PageJson(causes.front().share) : PageJson()};
    if (k.occupancy.fraction > 0) row["occupancy"] = k.occupancy.fraction;
    if (u.counted && !in.model.name.empty()) row["roofline"] = roofline_data(in, k);
    if (const KernelUse* base = base_of(in, u)) row["base"] = times_of(base->times);
    for (const profile::OnModel& m : u.models)
        row["models"].push_back(m.why.empty() ? PageJson{m.seconds, m.total, m.predicted} : PageJson());
    return row;
}

/// What was found: in English as it was said then, in other languages by its kind and what it carries.
PageJson message_of(const record::Finding& f, const Speaker& say) {
    const Text text = finding_text(f);
    return say.each([&](const Words& words) {
        return std::vector<std::string>{words.language() == Words::plain().language() ? safe(f.message)
                                                                                      : words.render(text)};
    })[0];
}

PageJson finding_of(const record::Finding& f, const Speaker& say, PageFiles& files) {
    PageJson out{{"kind", record::info(f.kind).name},
                 {"severity", record::name_of(f.severity)},
                 {"message", message_of(f, say)},
                 {"kernel", safe(demangle(f.kernel))},
                 {"count", f.count},
                 {"advice", say(carried_text(safe(f.advice)))}};
    if (f.at.line) {
        out["file"] = files.number(f.at.file), out["line"] = f.at.line;
        files.wants(f.at.file, f.at.line);
    }
    return out;
}

/// Roofs of the model.
PageJson roofs_of(const arch::DeviceModel& m) {
    if (m.name.empty()) return nullptr;
    return {
        {"name", m.name},        {"title", m.title},      {"dram", m.dram_bandwidth()},      {"l2", m.l2_bandwidth()},
        {"fp32", m.flops_f32()}, {"fp64", m.flops_f64()}, {"tensor", m.tensor_flops("f16")}, {"issue", m.issue_rate()}};
}

/// Kernels of the base that this run does not have.
PageJson gone(const PageInput& in) {
    PageJson out = PageJson::array();
    if (!in.base) return out;
    for (const KernelUse& b : in.base->kernels) {
        const bool here =
            std::any_of(in.kernels.begin(), in.kernels.end(), [&](const auto& k) { return base_of(in, *k.use) == &b; });
        if (!here)
            out.push_back({{"name", safe(profile::title(b))},
                           {"grid", extent(b.grid)},
                           {"block", extent(b.block)},
                           {"times", times_of(b.times)}});
    }
    return out;
}

std::string command_of(const Profile& p) {
    std::string out;
    for (const auto& word : p.program) out += (out.empty() ? "" : " ") + word;
    return safe(out);
}

}  // namespace

PageJson overview_data(const PageInput& in, const Speaker& say, PageFiles& files) {
    const Profile& p = in.profile;
    PageJson out{{"program", command_of(p)}, {"measured", p.measured()}, {"time", where_time_goes(in)}};
    out["host"] = p.host_seconds;
    out["about"] = say(p.measured() ? message("program.page.measured", {{"device", safe(p.device)}})
                                    : message("program.page.emulated",
                                              {{"model", in.model.title.empty() ? safe(p.model) : in.model.title}}));
    out["times_are"] =
        say(p.measured() ? message("program.times.measured", {{"device", safe(p.device)}})
                         : message("program.times.activities_" + times_word(p), {{"model", in.model.name}}));
    if (p.host_clock == "modelled" || p.host_clock == "real")
        out["clock"] = say(message("program.host_clock." + p.host_clock));
    double all = 0;
    for (const auto& k : in.kernels) all += k.use->times.total;
    PageJson notes = PageJson::array(), rows = PageJson::array(), copies = PageJson::array(), calls = PageJson::array(),
             faults = PageJson::array(), findings = PageJson::array();
    for (const auto& n : p.notes) notes.push_back(say(carried_text(safe(n))));
    for (const auto& k : in.kernels) rows.push_back(row_of(in, k, say, all));
    for (const auto& c : p.copies)
        copies.push_back({{"name", safe(c.name)}, {"times", times_of(c.times)}, {"bytes", c.bytes}});
    for (const auto& c : p.calls)
        calls.push_back({{"name", safe(c.name)}, {"times", times_of(c.times)}, {"failed", c.failed}});
    for (const auto& f : p.faults)
        faults.push_back(
            say(labelled(message("program.ended_by_error", {{"name", safe(demangle(f.kernel))}}), safe(f.text))));
    for (const auto& f : in.findings) findings.push_back(finding_of(f, say, files));
    out["notes"] = notes, out["faults"] = faults, out["kernels"] = rows, out["copies"] = copies, out["calls"] = calls;
    out["findings"] = findings, out["roofs"] = roofs_of(in.model);
    out["causes"] = causes_data(p.causes, say, files);
    if (p.events_dropped) out["dropped"] = p.events_dropped;
    // Every kernel has the same models.
    if (!p.kernels.empty())
        for (const profile::OnModel& m : p.kernels.front().models) out["models"].push_back(safe(m.model));
    if (in.base) {
        out["base"] = {{"program", command_of(*in.base)}, {"model", safe(in.base->model)}, {"gone", gone(in)}};
        double before = 0;
        for (const auto& k : in.base->kernels) before += k.times.total;
        out["base"]["kernels"] = before;
    }
    return out;
}

}  // namespace warpwright::report
