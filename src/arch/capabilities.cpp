// Reads data/capabilities: the figures that a compute capability fixes. The keys are those of a device model's limits,
// allocation and shared tables, without the tables.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include "arch/figures.hpp"
#include "support/read_file.hpp"
#include "support/toml_text.hpp"

namespace warpwright::arch {

namespace {

constexpr std::string_view kTables[] = {"limits", "allocation", "shared"};

const FigureSpec* spec_of(std::string_view key) {
    for (const FigureSpec& s : figure_specs())
        for (std::string_view table : kTables)
            if (s.table == table && s.key == key) return &s;
    return nullptr;
}

Error error_at(const std::string& file, const toml::source_region& at, std::string what, std::string hint = {}) {
    return Error{ErrorKind::input, std::move(what), {file, at.begin.line, at.begin.column}, std::move(hint)};
}

/// "10.3" -> 103; 0 where the text is no compute capability.
int number_of(std::string_view text) {
    const std::size_t dot = text.find('.');
    if (dot == 0 || dot > 2 || text.size() != dot + 2 ||
        text.find_first_not_of("0123456789.") != std::string_view::npos || text[dot + 1] == '.')
        return 0;
    return std::stoi(std::string(text.substr(0, dot))) * 10 + (text[dot + 1] - '0');
}

std::string complete(const DeviceModel& model) {
    for (const FigureSpec& spec : figure_specs()) {
        if (!spec.required || spec.key == "wavefronts_per_cycle") continue;
        for (std::string_view table : kTables)
            if (spec.table == table && !model.known(fmt::format("{}.{}", spec.table, spec.key)))
                return std::string(spec.key);
    }
    return model.known("coalescing.rule") ? std::string() : std::string("rule");
}

/// One key of a capability's table, into the model.
Result<void> read_key(DeviceModel& model, const toml::key& key, const toml::node& node, const std::string& source,
                      const std::string& file) {
    const std::string_view k = key.str();
    if (k == "like" || k == "source") return {};
    if (k == "architecture" && node.is_string()) {
        model.architecture = *node.value<std::string>();
        return {};
    }
    if (k == "rule") {
        const auto text = node.value<std::string>();
        const auto rule = text ? coalescing_of(*text) : std::nullopt;
        if (!rule) return error_at(file, node.source(), "'rule' is not a coalescing rule");
        model.coalescing = *rule;
        model.sources["coalescing.rule"] = source;
        return {};
    }
    const FigureSpec* spec = spec_of(k);
    if (!spec) return error_at(file, key.source(), fmt::format("unknown key '{}'", k));
    const Slot target = spec->slot(model);
    const auto value = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
    if (!value || *value < 0 || *value > 0xFFFFFFFFll || !std::holds_alternative<std::uint32_t*>(target))
        return error_at(file, node.source(), fmt::format("'{}' must be a whole number", k));
    *std::get<std::uint32_t*>(target) = static_cast<std::uint32_t>(*value);
    model.sources[fmt::format("{}.{}", spec->table, spec->key)] = source;
    return {};
}

/// Whether a capability's figures go together, and none is missing.
Result<void> check_figures(const DeviceModel& model, const std::string& name, const toml::table& table,
                           const std::string& file) {
    if (const std::string missing = complete(model); !missing.empty())
        return error_at(file, table.source(), fmt::format("compute capability {} has no '{}'", name, missing));
    const auto& l = model.limits;
    if (std::uint64_t{l.warps_per_sm} * l.warp != l.threads_per_sm)
        return error_at(file, table.source(), "'warps_per_sm' times 'warp' is not 'threads_per_sm'");
    if (model.allocation.sub_partitions == 0 || model.allocation.register_unit == 0 ||
        model.allocation.shared_unit == 0 || l.registers_per_sm % model.allocation.sub_partitions != 0)
        return error_at(file, table.source(), "the units of allocation do not fit");
    if (l.shared_per_block > l.shared_per_block_optin ||
        std::uint64_t{l.shared_per_block_optin} + model.allocation.reserved_shared > l.shared_per_sm)
        return error_at(file, table.source(), "a block's shared memory is over the multiprocessor's");
    return {};
}

Result<DeviceModel> read_one(const std::string& name, const toml::table& table, const std::string& file,
                             const std::vector<DeviceModel>& earlier) {
    DeviceModel model;
    if (const toml::node* like = table.get("like")) {
        const auto text = like->value<std::string>();
        const DeviceModel* base = nullptr;
        for (const DeviceModel& m : earlier)
            if (text && m.name == "cc" + *text) base = &m;
        if (!base) return error_at(file, like->source(), "'like' must name a compute capability further up");
        model = *base;
    }
    model.name = "cc" + name;
    model.title = "compute capability " + name;
    model.vendor = "NVIDIA";
    model.file = file;
    model.compute_capability = number_of(name);
    if (model.compute_capability == 0)
        return error_at(file, table.source(), fmt::format("'{}' is not a compute capability", name),
                        "it reads like \"9.0\"");
    const auto source = table["source"].value<std::string>();
    if (!source || source->empty())
        return error_at(file, table.source(), fmt::format("compute capability {} has no source", name));

    for (const auto& [key, node] : table)
        if (auto ok = read_key(model, key, node, *source, file); !ok) return std::move(ok).error();
    // Figures that were taken over get this table's source too, because it has them as well.
    for (auto& [figure, text] : model.sources) text = *source;

    if (auto ok = check_figures(model, name, table, file); !ok) return std::move(ok).error();
    return model;
}

}  // namespace

Result<std::vector<DeviceModel>> parse_capabilities(const std::string& text, const std::string& file) {
    const auto root = read_toml(text, file);
    if (!root) return root.error();
    // The parser sorts its keys; `like` refers to the file's order.
    std::vector<std::pair<const toml::key*, const toml::table*>> tables;
    for (const auto& [key, node] : *root) {
        if (const toml::table* table = node.as_table())
            tables.emplace_back(&key, table);
        else if (key.str() != "schema" || node.value<std::int64_t>() != 1)
            return error_at(file, node.source(), fmt::format("unknown key '{}', or a schema that is not 1", key.str()));
    }
    std::sort(tables.begin(), tables.end(),
              [](const auto& a, const auto& b) { return a.first->source().begin.line < b.first->source().begin.line; });
    std::vector<DeviceModel> out;
    for (const auto& [key, table] : tables) {
        auto model = read_one(std::string(key->str()), *table, file, out);
        if (!model) return std::move(model).error();
        out.push_back(std::move(*model));
    }
    return out;
}

Result<std::vector<DeviceModel>> load_capabilities() {
    for (const std::string& folder : model_folders()) {
        const std::string path = (std::filesystem::path(folder).parent_path() / "capabilities/nvidia.toml").string();
        if (auto text = read_file(path, file_limit::table)) return parse_capabilities(*text, path);
    }
    return Error{ErrorKind::input, "no table of compute capabilities is installed", Location{},
                 "it is capabilities/nvidia.toml beside the folder of device models"};
}

Result<DeviceModel> load_limits(const std::string& name) {
    if (!name.starts_with("cc") || name.find_first_of("/") != std::string::npos || name.ends_with(".toml"))
        return load_model(name);
    auto all = load_capabilities();
    if (!all) return std::move(all).error();
    std::string known;
    for (DeviceModel& m : *all) {
        if (m.name == name) return std::move(m);
        known += (known.empty() ? "" : ", ") + m.name;
    }
    return Error{ErrorKind::usage, fmt::format("there is no compute capability '{}'", name), Location{},
                 "there are: " + known};
}

}  // namespace warpwright::arch
