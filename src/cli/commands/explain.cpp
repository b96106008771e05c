// warpwright explain: what an array access costs, drawn, and what would be better. Nothing is run.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "arch/model.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/page_files.hpp"
#include "cli/options/argument_words.hpp"
#include "explain/page.hpp"
#include "report/pages.hpp"

namespace warpwright::cli {

namespace {

struct ExplainOptions {
    std::vector<std::string> expressions, set;
    std::string block = "32", type = "float", model = arch::kDefaultModel, dims, access = "load",
                language;  // empty: that of the locale
    std::optional<std::string> svg;
    std::optional<unsigned> warp;
    std::uint64_t base = 0;
    bool shared = false, global = false, wide = false;
};

Result<std::vector<std::int64_t>> parse_dims(const std::string& text) {
    std::vector<std::int64_t> out;
    if (text.empty()) return out;
    for (const std::string& part : split_list({text}, 'x')) {
        auto n = lab::parse_whole(part, "the extents");
        if (!n) return std::move(n).error();
        if (*n < 1)
            return Error{ErrorKind::usage, fmt::format("an extent must be at least 1, and this one is {}", *n),
                         Location{}, "--dims 32x33"};
        out.push_back(*n);
    }
    return out;
}

/// The access in a statement as it stands in a source: "tile[k]" of "float x = tile[k];" and of "tile[k] = x;".
std::string access_of(std::string text) {
    while (!text.empty() && (text.back() == ';' || text.back() == ' ')) text.pop_back();
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size() || text[equals + 1] == '=' ||
        std::string("<>!").find(text[equals - 1]) != std::string::npos)
        return text;
    // "+=" and its like
    const std::string left = text.substr(0, text.find_last_not_of("+-*/%&|^ ", equals - 1) + 1);
    if (left.find('[') != std::string::npos) return left;
    return text.substr(std::min(text.find_first_not_of(' ', equals + 1), text.size()));
}

Result<record::Page> page(const ExplainOptions& o) {
    explain::Question q;
    for (const std::string& text : o.expressions) q.expressions.push_back(access_of(text));
    q.type = o.type;
    q.warp = o.warp;
    if (o.shared && o.global)
        return Error{ErrorKind::usage, "an array is in shared or in global memory, not in both", Location{},
                     "--shared or --global"};
    auto dims = parse_dims(o.dims);
    if (!dims) return std::move(dims).error();
    q.dims = std::move(*dims);
    explain::Setting& s = q.setting;
    auto model = arch::load_limits(o.model);
    if (!model) return std::move(model).error();
    s.model = std::move(*model);
    // Blocks have a part of global memory each, and all the same indices of shared memory.
    const bool by_block = std::any_of(o.expressions.begin(), o.expressions.end(), [](const std::string& text) {
        for (const char* name : {"blockIdx", "gridDim", "get_group_id", "get_num_groups", "get_global_"})
            if (text.find(name) != std::string::npos) return true;
        return false;
    });
    s.shared = o.shared || !(o.global || by_block);
    s.wide_banks = o.wide;
    s.base = o.base;
    s.op = o.access == "store"    ? counters::SharedOp::store
           : o.access == "atomic" ? counters::SharedOp::atomic
                                  : counters::SharedOp::load;
    if (o.wide && !s.shared) return Error{ErrorKind::usage, "--wide-banks is of shared memory", Location{}, ""};
    if (o.access == "atomic" && !s.shared)
        return Error{ErrorKind::usage, "--access atomic is of shared memory", Location{}, ""};
    s.bytes = explain::type_bytes(o.type);
    if (s.bytes == 0)
        return Error{ErrorKind::usage, "there is no type '" + o.type + "'", Location{},
                     "char, short, half, int, float, double, with 2 or 4 behind for vectors, or i8 to f64"};
    if (s.bytes > 16)
        return Error{ErrorKind::usage, "'" + o.type + "' is wider than one access", Location{},
                     "16 bytes are the most"};
    auto block = parse_extent(o.block, "block");
    if (!block) return std::move(block).error();
    s.block = {block->x, block->y, block->z};
    for (const std::string& text : split_list(o.set)) {
        const std::size_t equals = text.find('=');
        if (equals == 0 || equals == std::string::npos)
            return Error{ErrorKind::usage, "'" + text + "' is not a value of a variable", Location{}, "--set k=3"};
        auto value = lab::parse_whole(text.substr(equals + 1), "the value of " + text.substr(0, equals));
        if (!value) return std::move(value).error();
        s.given[text.substr(0, equals)] = *value;
    }
    return explain::explain(q);
}

/// A terminal need not show all of 32 passes that look alike; a file does.
record::Page shortened(record::Page page) {
    constexpr std::size_t kMost = 12, kFirst = 8, kLast = 2;
    for (record::Section& s : page.sections)
        for (record::Block& b : s.blocks) {
            auto* map = std::get_if<record::CellMap>(&b);
            if (!map || map->rows.size() <= kMost) continue;
            const auto from = static_cast<std::ptrdiff_t>(kFirst),
                       to = static_cast<std::ptrdiff_t>(map->rows.size() - kLast);
            map->rows.erase(map->rows.begin() + from + 1, map->rows.begin() + to);
            map->row_names.erase(map->row_names.begin() + from + 1, map->row_names.begin() + to);
            map->rows[kFirst].assign(map->column_names.size(), record::Cell{});
            map->row_names[kFirst] = "...";
        }
    return page;
}

int run_explain(const ExplainOptions& o, Console& console) {
    const std::string language = page_language(o.language);
    auto words = Words::load(language);
    if (!words) return console.fail(words.error());
    auto made = page(o);
    if (!made) return console.fail(made.error());
    if (o.svg) {
        record::Report report;
        report.language = language;
        report.pages = {*made};
        if (auto ok = report::write_files(*o.svg, report::svgs(report, *words)); !ok) return console.fail(ok.error());
        console.note("written: " + *o.svg);
    }
    // Wide enough for 32 banks in a row, where there is no terminal to say how wide it is.
    const std::size_t width = console.width() ? console.width() : 144;
    console.out(report::text(shortened(std::move(*made)), *words, {console.color(), console.unicode(), width}));
    return 0;
}

}  // namespace

Command add_explain(CLI::App& app) {
    auto options = std::make_shared<ExplainOptions>();
    CLI::App* c = app.add_subcommand("explain", "the banks or segments of an array access, and what would be better");
    c->add_option("index", options->expressions,
                  "indices as CUDA C or OpenCL C has them: 'tile[threadIdx.x*32 + k]'; several of one array")
        ->required();
    c->add_option("--block", options->block, "threads of the block")->type_name("EXTENT")->capture_default_str();
    c->add_flag("--shared", options->shared,
                "the array is in shared memory (the default for an index without blockIdx)");
    c->add_flag("--global", options->global, "the array is in global memory (the default for an index with blockIdx)");
    c->add_option("--type", options->type, "of an element: float, double2, char, ...")
        ->type_name("TYPE")
        ->capture_default_str();
    c->add_option("--dims", options->dims, "extents of an array with several indices: 32x33")->type_name("EXTENTS");
    c->add_option("--set", options->set, "values of variables; others are tried from 0 to 31")->type_name("NAME=N,..");
    c->add_option("--access", options->access, "load, store or atomic")
        ->check(CLI::IsMember({"load", "store", "atomic"}))
        ->capture_default_str();
    c->add_option("--model", options->model, "device model, or a compute capability: cc1.3, cc3.5, ...")
        ->type_name("NAME")
        ->capture_default_str();
    c->add_flag("--wide-banks", options->wide, "8-byte banks, a mode of compute capability 3.x");
    c->add_option("--base", options->base, "where the array begins, bytes")->type_name("BYTES");
    c->add_option("--warp", options->warp, "which warp is drawn; else the worst")->type_name("N");
    c->add_option("--svg", options->svg, "write the pictures as SVG files")->type_name("DIR");
    c->add_option("--language,--lang", options->language,
                  "of the page: " + known_languages() + "; without it: that of the locale")
        ->type_name("LANG");
    return {c, [options](Console& console) { return run_explain(*options, console); }};
}

}  // namespace warpwright::cli
