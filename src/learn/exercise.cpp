// Three kinds of file make an exercise: exercise.toml (what counts), ladder.toml (problem, launch, reference, mistakes)
// and a file of texts for each language. Names that one of them uses must be in the others, which is checked here, so
// that an exercise that is read can be run.
#include "learn/exercise.hpp"

#include <algorithm>
#include <filesystem>

#include "ladder/toml_reader.hpp"
#include "learn/exercise_texts.hpp"
#include "record/bottleneck.hpp"
#include "record/finding.hpp"
#include "record/metrics.hpp"
#include "support/read_file.hpp"

namespace warpwright::learn {
namespace {

namespace fs = std::filesystem;
using ladder::TomlReader;

constexpr std::int64_t kSchema = 1;
constexpr const char* kPlainFile = "'file' must be the plain name of a file";

bool is_plain_file(const std::string& name) {
    return !name.empty() && name.find('/') == std::string::npos && name[0] != '.' && name[0] != '-';
}

class Reader {
public:
    Reader(Exercise& out, std::string file) : out_(out), toml_(std::move(file)) {}

    Result<void> read(const toml::table& root) {
        toml_.keys(root,
                   {"schema", "text", "file", "start", "reference", "model", "sizes", "measured", "wrong", "findings",
                    "done", "question", "mistake", "program"},
                   "exercise.toml");
        const auto* schema = root.get_as<std::int64_t>("schema");
        if (!schema || schema->get() != kSchema)
            toml_.fail(toml_.at(root), "'schema' must be 1", "it is the version of the format");
        out_.source = text(root, "text");
        out_.file = text(root, "file");
        out_.start = text(root, "start");
        out_.reference = text(root, "reference");
        out_.model = text(root, "model");
        out_.wrong = text(root, "wrong");
        if (const auto* program = toml_.table(root.get("program"), "program")) read_program(*program);
        read_sizes(root);
        if (const auto* list = toml_.table(root.get("findings"), "findings")) read_findings(*list);
        for (const auto* t : toml_.tables(root.get("done"), "done")) read_requirement(*t);
        for (const auto* t : toml_.tables(root.get("question"), "question")) read_question(*t);
        for (const auto* t : toml_.tables(root.get("mistake"), "mistake"))
            out_.mistakes.push_back({text(*t, "rung"), text(*t, "say"), toml_.at(*t)});
        if (!toml_.error()) check_names(toml_.at(root));
        if (toml_.error()) return *toml_.error();
        return {};
    }

private:
    std::string text(const toml::table& table, std::string_view key) {
        return toml_.text(table.get(key), key).value_or("");
    }

    /// What a ladder says of a kernel: the numbers that the program is given, and the files that stand for rungs.
    void read_program(const toml::table& t) {
        out_.program = true;
        toml_.keys(t, {"arguments", "files"}, "[program]");
        out_.ladder.size_names = toml_.texts(t.get("arguments"), "arguments");
        if (out_.ladder.size_names.empty()) toml_.fail(toml_.at(t), "'arguments' names no number to give the program");
        if (const auto* files = toml_.table(t.get("files"), "files"))
            for (auto&& [key, value] : *files) {
                ladder::Rung rung;
                rung.name = std::string(key.str());
                const std::string file = toml_.text(&value, key.str()).value_or("");
                rung.source = (fs::path(out_.folder) / file).string();
                std::error_code ec;
                if (!is_plain_file(file) || !fs::is_regular_file(rung.source, ec))
                    toml_.fail(toml_.at(value), "there is no file '" + file + "' in the exercise's folder");
                out_.ladder.rungs.push_back(std::move(rung));
            }
    }

    std::vector<std::int64_t> size(const toml::node& node) {
        std::vector<std::int64_t> one;
        const auto* array = node.as_array();
        if (!array) {
            toml_.fail(toml_.at(node), "a size is a list of whole numbers");
            return one;
        }
        for (const toml::node& item : *array) {
            const auto* number = item.as_integer();
            if (!number || number->get() < 0)
                toml_.fail(toml_.at(item), "a size is a list of whole numbers");
            else
                one.push_back(number->get());
        }
        if (one.size() != out_.ladder.size_names.size())
            toml_.fail(toml_.at(node), fmt::format("a size has {} numbers here, and the problem has {}", one.size(),
                                                   out_.ladder.size_names.size()));
        return one;
    }

    void read_sizes(const toml::table& root) {
        if (const auto* node = root.get("measured")) out_.measured = size(*node);
        const auto* node = root.get("sizes");
        if (!node) return;
        if (const auto* array = node->as_array())
            for (const toml::node& item : *array) out_.sizes.push_back(size(item));
        else
            toml_.fail(toml_.at(*node), "'sizes' must be a list of sizes");
    }

    /// By kinds, by checkers (all of their kinds that have no text of their own), or "other".
    void read_findings(const toml::table& list) {
        const auto kinds = record::finding_kinds();
        const auto checkers = record::checkers();
        std::map<record::Checker, std::string> of_checkers;
        for (auto&& [key, value] : list) {
            const std::string name(key.str()), say = toml_.text(&value, key.str()).value_or("");
            const auto checker =
                std::find_if(checkers.begin(), checkers.end(), [&](const auto& c) { return c.name == name; });
            if (name == "other" ||
                std::any_of(kinds.begin(), kinds.end(), [&](const auto& k) { return k.name == name; }))
                out_.findings[name == "other" ? "" : name] = say;
            else if (checker != checkers.end())
                of_checkers[checker->checker] = say;
            else
                toml_.fail(toml_.at(key.source()), "there is no finding '" + name + "'", "docs/check.md lists them");
        }
        for (const auto& kind : kinds) {
            // How a launch ended is no access that a text could mean.
            if (kind.kind == record::FindingKind::fault || kind.kind == record::FindingKind::deadlock) continue;
            if (const auto say = of_checkers.find(kind.checker); say != of_checkers.end())
                out_.findings.try_emplace(std::string(kind.name), say->second);
        }
    }

    void read_requirement(const toml::table& t) {
        toml_.keys(t, {"metric", "at_most", "at_least", "equal", "say"}, "[[done]]");
        Requirement r;
        r.metric = text(t, "metric");
        r.say = text(t, "say");
        r.where = toml_.at(t);
        const bool cause = r.metric.starts_with("cause.") && record::is_cause(std::string_view(r.metric).substr(6));
        const bool residency =
            std::find(std::begin(kResidency), std::end(kResidency), r.metric) != std::end(kResidency);
        if (r.metric != "predicted_time" && !(out_.program && r.metric == "overlap") && !cause &&
            !(residency && !out_.program) && !record::find_metric(r.metric))
            toml_.fail(r.where, "there is no metric '" + r.metric + "'",
                       "docs/counters.md and docs/causes.md list them");
        int limits = 0;
        using Compare = Requirement::Compare;
        for (const auto& [key, compare] :
             {std::pair{"at_most", Compare::at_most}, {"at_least", Compare::at_least}, {"equal", Compare::equal}})
            if (auto limit = toml_.expression(t.get(key), key))
                r.compare = compare, r.limit = std::move(*limit), ++limits;
        if (limits != 1) toml_.fail(r.where, "[[done]] needs one of at_most, at_least and equal");
        out_.requirements.push_back(std::move(r));
    }

    void read_question(const toml::table& t) {
        toml_.keys(t, {"name", "rung", "value", "within", "say"}, "[[question]]");
        Question q;
        q.name = text(t, "name");
        q.rung = text(t, "rung");
        q.say = text(t, "say");
        q.where = toml_.at(t);
        if (auto value = toml_.expression(t.get("value"), "value"))
            q.value = std::move(*value);
        else
            toml_.fail(q.where, "[[question]] needs a value");
        if (const auto* within = t.get("within")) {
            const auto number = within->value<double>();
            if (!number || *number < 0 || *number > 1)
                toml_.fail(toml_.at(*within), "'within' is a share from 0 to 1");
            else
                q.within = *number;
        }
        out_.questions.push_back(std::move(q));
    }

    void need_rung(const std::string& name, const Location& where) {
        if (!out_.rung(name)) toml_.fail(where, "ladder.toml has no rung '" + name + "'");
    }

    void need_say(const std::string& name, const Location& where) {
        for (const auto& [language, texts] : out_.texts)
            if (!texts.says.contains(name))
                toml_.fail(where, "the texts '" + language + "' have no [say] '" + name + "'");
    }

    /// What one file names and another must have.
    void check_names(const Location& top) {
        const bool kernel = out_.questions.empty();
        if (kernel) {
            need_rung(out_.reference, top);
            need_rung(out_.start, top);
            if (out_.sizes.empty()) toml_.fail(top, "'sizes' names no size to try the kernel at");
            need_say(out_.wrong, top);
        }
        if (!is_plain_file(out_.file)) toml_.fail(top, kPlainFile);
        if (out_.measured.empty()) toml_.fail(top, "'measured' is missing: the size at which counts are looked at");
        for (const auto& [kind, say] : out_.findings) need_say(say, top);
        for (const Requirement& r : out_.requirements) need_say(r.say, r.where);
        for (const Question& q : out_.questions) need_rung(q.rung, q.where), need_say(q.say, q.where);
        for (const Mistake& m : out_.mistakes) need_rung(m.rung, m.where), need_say(m.say, m.where);
        if (kernel && out_.mistakes.empty())
            toml_.fail(top, "there is no [[mistake]]", "an exercise is tried with at least one wrong solution");
    }

    Exercise& out_;
    TomlReader toml_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> Requirement::own_figures(const Exercise& exercise) const {
    std::vector<std::pair<std::string, std::string>> out;
    const auto& names = limit.names();
    for (const auto& [name, rung] : {std::pair{"reference", &exercise.reference}, {"start", &exercise.start}})
        if (std::find(names.begin(), names.end(), name) != names.end()) out.emplace_back(name, *rung);
    return out;
}

std::string Exercise::size_text(const std::vector<std::int64_t>& size) const {
    std::string out;
    for (const std::int64_t n : size) out += (out.empty() ? "" : program ? " " : " x ") + std::to_string(n);
    return out;
}

const ladder::Rung* Exercise::rung(std::string_view wanted) const {
    const auto it =
        std::find_if(ladder.rungs.begin(), ladder.rungs.end(), [&](const auto& r) { return r.name == wanted; });
    return it == ladder.rungs.end() ? nullptr : &*it;
}

std::string Exercise::start_file() const {
    return questions.empty() ? rung(start)->source : (fs::path(folder) / start).string();
}

std::string Exercise::reference_file() const {
    return questions.empty() ? rung(reference)->source : (fs::path(folder) / reference).string();
}

const ExerciseTexts& Exercise::texts_in(const std::string& language) const {
    const auto it = texts.find(language);
    return it == texts.end() ? texts.at("en") : it->second;
}

Result<Heading> read_heading(const std::string& folder, const std::string& language) {
    const fs::path place(folder);
    const std::string file = (place / "exercise.toml").string();
    std::error_code ec;
    const bool own = fs::exists(place / (language + ".toml"), ec);
    const std::string titles = (place / ((own ? language : "en") + ".toml")).string();
    Heading out{place.lexically_normal().filename().string(), "", "", ""};
    auto text = read_file(file, file_limit::table);
    auto said = read_file(titles, file_limit::table);
    if (!text || !said) return std::move(text ? said : text).error();
    auto root = read_toml(*text, file);
    auto words = read_toml(*said, titles);
    if (!root || !words) return std::move(root ? words : root).error();
    TomlReader toml(file);
    out.file = toml.text(root->get("file"), "file").value_or("");
    out.source = toml.text(root->get("text"), "text").value_or("");
    out.title = toml.text(words->get("title"), "title").value_or("");
    if (!is_plain_file(out.file)) toml.fail(toml.at(*root), kPlainFile);
    if (toml.error()) return *toml.error();
    return out;
}

Result<Exercise> read_exercise(const std::string& folder) {
    Exercise out;
    out.folder = folder;
    out.name = fs::path(folder).lexically_normal().filename().string();
    const std::string file = (fs::path(folder) / "exercise.toml").string();
    auto text = read_file(file, file_limit::table);
    if (!text) return std::move(text).error();
    auto parsed = read_toml(*text, file);
    if (!parsed) return std::move(parsed).error();
    if (!parsed->contains("program")) {
        auto ladder = ladder::read_ladder(folder);
        if (!ladder) return std::move(ladder).error();
        out.ladder = std::move(*ladder);
    }
    auto texts = read_texts(folder);
    if (!texts) return std::move(texts).error();
    out.texts = std::move(*texts);
    const toml::table& root = *parsed;
    if (auto ok = Reader(out, file).read(root); !ok) return std::move(ok).error();
    return out;
}

}  // namespace warpwright::learn
