// Reads data/prediction/order.toml. Its rows are checked against each other, so that whoever asks may rely on them: the
// share of pairs in the right order does not fall with the distance.
#include "arch/ordering.hpp"

#include <filesystem>

#include <fmt/format.h>
#include "arch/model.hpp"
#include "support/read_file.hpp"
#include "support/toml_text.hpp"

namespace warpwright::arch {

namespace {

Error error_at(const std::string& file, const toml::source_region& at, std::string what) {
    return Error{ErrorKind::input, std::move(what), {file, at.begin.line, at.begin.column}, ""};
}

double share(const OrderRow& row) { return static_cast<double>(row.right) / row.pairs; }

Result<OrderRow> read_row(const toml::node& node, const OrderRow* before, const std::string& file) {
    const toml::table* table = node.as_table();
    if (!table) return error_at(file, node.source(), "a row is a table: { from = 1.10, pairs = 100, right = 97 }");
    const auto from = (*table)["from"].value<double>();
    const auto pairs = (*table)["pairs"].value<std::int64_t>(), right = (*table)["right"].value<std::int64_t>();
    if (!from || !pairs || !right || table->size() != 3 || *pairs < 1 || *pairs > 100'000'000 || *right < 0 ||
        *right > *pairs)
        return error_at(file, node.source(), "a row has 'from', 'pairs', and of these 'right'");
    const OrderRow row{*from, static_cast<unsigned>(*pairs), static_cast<unsigned>(*right)};
    if (before ? !(row.from > before->from) : row.from != 1)
        return error_at(file, node.source(), "the first row is from 1, and each further one from more");
    if (before && share(row) < share(*before))
        return error_at(file, node.source(), "pairs further apart are in the right order more often, not less");
    return row;
}

Result<std::vector<OrderRow>> read_rows(const toml::table& root, std::string_view name, const std::string& file) {
    const toml::array* rows = root[name]["rows"].as_array();
    if (!rows || rows->empty())
        return error_at(file, root.source(), fmt::format("the table '{}' with its 'rows' is missing", name));
    std::vector<OrderRow> out;
    for (const toml::node& node : *rows) {
        auto row = read_row(node, out.empty() ? nullptr : &out.back(), file);
        if (!row) return std::move(row).error();
        out.push_back(*row);
    }
    return out;
}

}  // namespace

OrderRow Ordering::row(bool memory, double ratio) const {
    OrderRow out;
    for (const OrderRow& row : rows(memory))
        if (row.from <= ratio) out = row;
    return out;
}

std::optional<double> Ordering::margin(bool memory) const {
    for (const OrderRow& row : rows(memory))
        if (share(row) >= kSure) return row.from;
    return std::nullopt;
}

Result<Ordering> parse_ordering(const std::string& text, const std::string& file) {
    const auto table = read_toml(text, file);
    if (!table) return table.error();
    const toml::table& root = *table;
    if (root["schema"].value<std::int64_t>() != 1) return error_at(file, root.source(), "'schema' must be 1");
    Ordering out;
    out.device_ = root["device"].value<std::string>().value_or("");
    out.source_ = root["source"].value<std::string>().value_or("");
    if (out.device_.empty() || out.source_.empty())
        return error_at(file, root.source(), "'device' and 'source' say on what the times were measured, and which");
    for (const bool memory : {true, false}) {
        auto rows = read_rows(root, memory ? "memory" : "other", file);
        if (!rows) return std::move(rows).error();
        (memory ? out.memory_ : out.other_) = std::move(*rows);
    }
    return out;
}

const Result<Ordering>& ordering() {
    static const Result<Ordering> table = []() -> Result<Ordering> {
        for (const std::string& folder : model_folders()) {
            const auto path = (std::filesystem::path(folder).parent_path() / "prediction/order.toml").string();
            if (auto text = read_file(path, file_limit::table)) return parse_ordering(*text, path);
        }
        return Error{ErrorKind::input, "no table of the order of predicted times is installed", Location{},
                     "it is prediction/order.toml beside the folder of device models"};
    }();
    return table;
}

}  // namespace warpwright::arch
