// Reads a model's TOML through the table of figures and lays it over the model that it inherits from. Unknown keys,
// wrong types and values out of range are errors with their line, because a misspelt figure would silently keep
// another's value.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include "arch/figures.hpp"
#include "support/read_file.hpp"
#include "support/toml_text.hpp"

namespace warpwright::arch {

namespace {

struct Rule {
    Coalescing rule;
    std::string_view name;
    unsigned bytes;  ///< of a transaction; 0: they differ
};
constexpr Rule kRules[] = {
    {Coalescing::half_warp_segments, "half_warp_segments", 0},
    {Coalescing::l1_lines, "l1_lines", 128},
    {Coalescing::l2_segments, "l2_segments", 32},
    {Coalescing::sectors, "sectors", 32},
    {Coalescing::lines_64, "lines_64", 64},
};

constexpr unsigned kDeepest = 4;

Result<DeviceModel> read_model_at(const std::string& path, unsigned depth);

/// Walks a parsed file; it keeps the first error and stops there.
class Reader {
public:
    Reader(const toml::table& root, const std::string& file, unsigned depth)
        : root_(root), file_(file), depth_(depth) {}

    Result<DeviceModel> read() {
        inherit();
        model_.file = file_;
        if (!error_) top_level();
        for (const auto& [key, node] : root_) {
            if (error_) break;
            if (const toml::table* table = node.as_table()) read_table(std::string(key.str()), *table);
        }
        if (!error_) check_complete();
        if (!error_) check_consistent();
        if (error_) return *error_;
        return std::move(model_);
    }

private:
    void fail(const toml::node& node, std::string what, std::string hint = {}) {
        fail(node.source(), std::move(what), std::move(hint));
    }

    void fail(const toml::source_region& at, std::string what, std::string hint = {}) {
        if (error_) return;
        error_ = Error{ErrorKind::input, std::move(what), {file_, at.begin.line, at.begin.column}, std::move(hint)};
    }

    void fail(std::string what) {
        if (!error_) error_ = Error{ErrorKind::input, std::move(what), {file_, 0, 0}, {}};
    }

    /// The model from which this one starts, if it names one. The file's own figures replace that model's.
    void inherit() {
        const toml::node* node = root_.get("inherit");
        if (!node) return;
        const auto* name = node->as_string();
        if (!name || name->get().empty()) return fail(*node, "'inherit' must be the name or path of a device model");
        if (depth_ == kDeepest)
            return fail(*node, fmt::format("'inherit' goes more than {} models deep", kDeepest),
                        "does a model inherit from itself?");
        auto path = find_model(name->get());
        if (path) {
            auto base = read_model_at(*path, depth_ + 1);
            if (base) {
                model_ = std::move(*base);
                inherits_ = true;
                return;
            }
            return fail(*node, fmt::format("the inherited model cannot be read: {}", base.error().text()));
        }
        fail(*node, path.error().what, path.error().hint);
    }

    std::string text(const toml::key& key, const toml::node& node) {
        if (const auto* value = node.as_string()) return value->get();
        fail(node, fmt::format("'{}' must be a string", key.str()));
        return {};
    }

    void top_level() {
        for (const auto& [key, node] : root_) {
            if (error_) return;
            const std::string_view k = key.str();
            if (node.is_table()) continue;
            if (k == "schema") {
                if (node.value<std::int64_t>() != std::optional<std::int64_t>(1) || !node.is_integer())
                    fail(node, "'schema' must be 1", "this build reads device models of schema 1");
            } else if (k == "title") {
                model_.title = text(key, node);
            } else if (k == "vendor") {
                model_.vendor = text(key, node);
            } else if (k == "architecture") {
                model_.architecture = text(key, node);
            } else if (k == "chip") {
                model_.chip = text(key, node);
            } else if (k == "compute_capability") {
                read_capability(text(key, node), node);
            } else if (k != "inherit") {
                fail(key.source(), fmt::format("unknown key '{}'", k));
            }
        }
        for (const char* key : {"schema", "title", "vendor", "architecture"})
            if (inherits_ && std::string_view(key) != "schema")
                continue;
            else if (!error_ && !root_.contains(key))
                fail(fmt::format("'{}' is missing", key));
    }

    void read_capability(const std::string& value, const toml::node& node) {
        if (error_) return;
        const std::size_t dot = value.find('.');
        const bool shape = (dot == 1 || dot == 2) && value.size() == dot + 2 &&
                           value.find_first_not_of("0123456789.") == std::string::npos;
        if (!shape) return fail(node, "'compute_capability' must read like \"9.0\"");
        model_.compute_capability = std::stoi(value.substr(0, dot)) * 10 + (value[dot + 1] - '0');
    }

    void read_table(const std::string& name, const toml::table& table) {
        const auto& specs = figure_specs();
        const bool known =
            std::any_of(specs.begin(), specs.end(), [&](const auto& spec) { return spec.table == name; });
        if (!known && name != "coalescing") return fail(table, fmt::format("unknown table [{}]", name));

        std::string source;
        if (const toml::node* node = table.get("source")) {
            if (!node->is_string()) return fail(*node, "'source' must be a string");
            source = *node->value<std::string>();
        }
        for (const auto& [key, node] : table) {
            if (error_) return;
            if (key.str() == "source") continue;
            read_figure(name, key, node, source);
        }
    }

    /// A figure is a value, or { value = ..., source = "..." } if it has its own source.
    void read_figure(const std::string& table, const toml::key& key, const toml::node& node, std::string source) {
        const toml::node* value = &node;
        std::optional<double> spread;
        if (const toml::table* pair = node.as_table()) {
            for (const auto& [k, n] : *pair)
                if (k.str() != "value" && k.str() != "source" && k.str() != "spread")
                    return fail(k.source(), fmt::format("unknown key '{}' in the figure '{}'", k.str(), key.str()));
            value = pair->get("value");
            if (!value) return fail(node, fmt::format("the figure '{}' has no 'value'", key.str()));
            if (const toml::node* own = pair->get("source")) {
                if (!own->is_string()) return fail(*own, "'source' must be a string");
                source = *own->value<std::string>();
            }
            if (const toml::node* own = pair->get("spread")) {
                spread = own->is_number() ? own->value<double>() : std::nullopt;
                if (!spread || !std::isfinite(*spread) || *spread < 0)
                    return fail(*own, "'spread' must be a number from 0 on");
            }
        }
        if (source.empty())
            return fail(node, fmt::format("'{}.{}' has no source", table, key.str()),
                        "give the table, or the figure as { value, source }, a 'source'");
        if (table == "coalescing" && key.str() == "rule") {
            read_rule(*value);
        } else {
            const FigureSpec* spec = figure_spec(table, key.str());
            if (!spec) return fail(key.source(), fmt::format("unknown key '{}' in [{}]", key.str(), table));
            store(*spec, *value);
        }
        const std::string figure = fmt::format("{}.{}", table, key.str());
        model_.sources[figure] = source;
        model_.spreads.erase(figure);
        if (spread) model_.spreads[figure] = *spread;
    }

    void read_rule(const toml::node& node) {
        const auto* text = node.as_string();
        if (text)
            if (const auto rule = coalescing_of(text->get())) {
                model_.coalescing = *rule;
                return;
            }
        fail(node,
             "'rule' must be one of \"half_warp_segments\", \"l1_lines\", \"l2_segments\", \"sectors\", \"lines_64\"");
    }

    void store(const FigureSpec& spec, const toml::node& node) {
        std::visit(
            [&](auto* slot) {
                using T = std::remove_pointer_t<decltype(slot)>;
                if constexpr (std::is_same_v<T, std::string>) {
                    if (!node.is_string()) return fail(node, fmt::format("'{}' must be a string", spec.key));
                    *slot = *node.value<std::string>();
                } else {
                    if (!node.is_number() || (std::is_integral_v<T> && !node.is_integer()))
                        return fail(node, fmt::format("'{}' must be {}", spec.key,
                                                      std::is_integral_v<T> ? "a whole number" : "a number"));
                    const double number = *node.value<double>() * spec.scale;
                    double most = std::numeric_limits<double>::infinity();
                    if constexpr (std::is_integral_v<T>) most = double(std::numeric_limits<T>::max());
                    if (!std::isfinite(number) || number < 0 || number > most)
                        return fail(node, fmt::format("'{}' is out of range", spec.key));
                    if (const double in_file = *node.value<double>(); !spec.takes(in_file))
                        return fail(node, in_file < spec.least
                                              ? fmt::format("'{}' must be at least {:g}", spec.key, spec.least)
                                              : fmt::format("'{}' must be at most {:g}", spec.key, spec.most));
                    if (spec.required && number == 0 && spec.key != "reserved_shared")
                        return fail(node, fmt::format("'{}' must be positive", spec.key));
                    *slot = static_cast<T>(number);
                }
            },
            spec.slot(model_));
    }

    void check_complete() {
        for (const FigureSpec& spec : figure_specs()) {
            const std::string figure = fmt::format("{}.{}", spec.table, spec.key);
            if (spec.required && !model_.known(figure)) return fail(fmt::format("'{}' is missing", figure));
        }
        if (!model_.known("coalescing.rule")) fail("'coalescing.rule' is missing");
    }

    void check_consistent() {
        const auto& l = model_.limits;
        const auto at = [&](const char* table, const char* key) -> const toml::node& {
            // An inherited figure has no place in this file; then the place is the file as a whole.
            const toml::table* own = root_.contains(table) ? root_.get(table)->as_table() : nullptr;
            const toml::node* node = own ? own->get(key) : nullptr;
            return node ? *node : static_cast<const toml::node&>(root_);
        };
        if (l.warp != 16 && l.warp != 32 && l.warp != 64) fail(at("limits", "warp"), "'warp' must be 16, 32 or 64");
        if (std::uint64_t{l.warps_per_sm} * l.warp != l.threads_per_sm)
            fail(at("limits", "warps_per_sm"), "'warps_per_sm' times 'warp' is not 'threads_per_sm'");
        if (l.threads_per_block > l.threads_per_sm)
            fail(at("limits", "threads_per_block"), "'threads_per_block' is over 'threads_per_sm'");
        if (l.shared_per_block > l.shared_per_block_optin)
            fail(at("limits", "shared_per_block"), "'shared_per_block' is over 'shared_per_block_optin'");
        if (std::uint64_t{l.shared_per_block_optin} + model_.allocation.reserved_shared > l.shared_per_sm)
            fail(at("limits", "shared_per_block_optin"),
                 "'shared_per_block_optin' and 'reserved_shared' together are over 'shared_per_sm'");
        if (l.registers_per_sm % model_.allocation.sub_partitions != 0)
            fail(at("allocation", "sub_partitions"), "'sub_partitions' does not divide 'registers_per_sm'");
        const auto& t = model_.timing;
        if (t.branch && t.branch_taken && *t.branch_taken < *t.branch)
            fail(at("timing", "branch_taken"), "'branch_taken' is less than 'branch', which every branch takes");
        if (t.compare_turn && t.compare_round && *t.compare_turn > *t.compare_round)
            fail(at("timing", "compare_turn"),
                 "'compare_turn' is over 'compare_round': a round has its turn within it");
    }

    const toml::table& root_;
    const std::string& file_;
    unsigned depth_;
    bool inherits_ = false;
    DeviceModel model_;
    std::optional<Error> error_;
};

Result<DeviceModel> parse_at(const std::string& text, const std::string& file, unsigned depth) {
    const auto root = read_toml(text, file);
    return root ? Reader(*root, file, depth).read() : root.error();
}

Result<DeviceModel> read_model_at(const std::string& path, unsigned depth) {
    auto text = read_file(path, file_limit::table, "cannot read the device model: ");
    if (!text) return std::move(text).error();
    auto model = parse_at(*text, path, depth);
    if (model) {
        const std::size_t from = path.find_last_of('/') + 1;
        model->name = path.substr(from);
        if (model->name.ends_with(".toml")) model->name.resize(model->name.size() - 5);
    }
    return model;
}

}  // namespace

std::string_view coalescing_name(Coalescing rule) {
    for (const Rule& row : kRules)
        if (row.rule == rule) return row.name;
    return {};
}

unsigned transaction_bytes(Coalescing rule) {
    for (const Rule& row : kRules)
        if (row.rule == rule) return row.bytes;
    return 0;
}

std::optional<Coalescing> coalescing_of(std::string_view text) {
    for (const Rule& row : kRules)
        if (row.name == text) return row.rule;
    return std::nullopt;
}

Result<DeviceModel> parse_model(const std::string& text, const std::string& file) { return parse_at(text, file, 0); }

Result<DeviceModel> read_model(const std::string& path) { return read_model_at(path, 0); }

}  // namespace warpwright::arch
