// Tensor cores: multiply-adds a clock and multiprocessor by generation, and the same product by ordinary instructions,
// by tensor cores and with two zeros in four, counted.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lab/experiments/hardware.hpp"

namespace warpwright::lab {

namespace {

using record::Basis;
using record::Count;
using record::Scalar;

class TensorPage {
public:
    TensorPage(const Context& context, const Choices& choices) : context_(context), choices_(choices) {}

    Result<record::Page> run() {
        page_ = begin_page("tensor", {"000"});
        if (auto ok = generations(); !ok) return std::move(ok).error();
        if (auto ok = products(); !ok) return std::move(ok).error();
        page_.recommendations = {message("tensor.recommendation")};
        page_.repeat = {"warpwright lab tensor", "warpwright lab matmul_tensor --rung wmma,mma_sync --size 256",
                        "warpwright lab matmul_sparse --size 256 --axis T=bf16"};
        return std::move(page_);
    }

private:
    Result<void> generations() {
        record::Table t;
        t.id = "generations";
        t.title = message("tensor.table.generations");
        t.columns = {{message("tensor.column.device")}, {message("tensor.column.multiprocessors"), "", Basis::quoted}};
        for (const char* c : {"fp32", "f16", "sparse", "tf32", "fp8"})
            t.columns.push_back({message(fmt::format("tensor.column.{}", c)), "", Basis::quoted, 5});
        t.columns.push_back({message("tensor.column.device_f16"), "", Basis::computed, 6});
        t.columns.push_back({message("tensor.column.rate"), "FLOP/s", Basis::computed});
        t.columns.push_back({message("tensor.column.times"), "", Basis::computed});
        record::Plot p;
        p.id = "rates";
        p.title = message("tensor.plot.rates");
        p.kind = record::Plot::Kind::bar;
        p.x_label = message("tensor.column.device");
        p.y_label = message("tensor.axis.fma");
        p.y_log = true;
        record::Series plain = series(message("tensor.column.fp32"), Basis::quoted),
                       dense = series(message("tensor.column.f16"), Basis::quoted),
                       sparse = series(message("tensor.column.sparse"), Basis::quoted);
        double least = 0, most = 0;
        std::string first, last;
        for (const char* name : {"p100", "v100", "a100", "h100", "h200", "b200"}) {
            auto m = arch::load_model(name);
            if (!m) return std::move(m).error();
            const auto fma = [](double flops) {
                return flops > 0 ? Scalar(static_cast<std::int64_t>(flops / 2)) : Scalar();
            };
            const double rate = m->tensor.f16 > 0 ? m->tensor_rate(m->tensor.f16) : 0;
            t.rows.push_back({m->title, std::int64_t{m->sm.multiprocessors}, static_cast<std::int64_t>(m->units.fp32),
                              fma(m->tensor.f16), fma(m->tensor.sparse_f16), fma(m->tensor.tf32), fma(m->tensor.fp8),
                              fma(m->tensor.f16 * m->sm.multiprocessors), rate > 0 ? Scalar(rate) : Scalar(),
                              rate > 0 ? Scalar(rate / m->flops_f32()) : Scalar()});
            const double x = static_cast<double>(p.categories.size());
            p.categories.push_back(m->name);
            point(plain, x, m->units.fp32);
            point(dense, x, m->tensor.f16 > 0 ? m->tensor.f16 / 2 : std::nan(""));
            point(sparse, x, m->tensor.sparse_f16 > 0 ? m->tensor.sparse_f16 / 2 : std::nan(""));
            if (rate <= 0) continue;
            if (least == 0) least = m->tensor.f16 / 2, first = m->title;
            most = m->tensor.f16 / 2, last = m->title;
            if (m->name == "a100")
                page_.corrections.push_back(
                    message("tensor.correction.a100", {{"multiprocessors", std::int64_t{m->sm.multiprocessors}},
                                                       {"fma", m->tensor.f16 / 2},
                                                       {"all", m->tensor.f16 / 2 * m->sm.multiprocessors}}));
        }
        t.caption = message("tensor.caption.generations");
        p.series = {std::move(plain), std::move(dense), std::move(sparse)};
        page_.conclusions.push_back(
            message("tensor.conclusion.growth",
                    {{"first", first}, {"last", last}, {"least", least}, {"most", most}, {"times", most / least}}));
        page_.sections.push_back({message("tensor.section.generations"),
                                  {paragraph(message("tensor.text.generations")), std::move(t), std::move(p)}});
        return {};
    }

    /// A rung of a ladder that multiplies matrices.
    struct Product {
        const char *ladder, *rung, *name;
        Axes axes;
    };

    /// What a product took to compute; `flops` are those of its definition.
    std::vector<Scalar> product_row(const Product& p, const record::Record& r, double flops) {
        const record::Counts& c = *r.counts;
        std::vector<Scalar> row{
            message(fmt::format("tensor.kernel.{}", p.name)),    static_cast<std::int64_t>(c[Count::instructions]),
            static_cast<std::int64_t>(c[Count::mix_tensor]),     static_cast<std::int64_t>(c[Count::flops]),
            flops / static_cast<double>(c[Count::instructions]), r.bound ? Scalar(r.bound->seconds) : Scalar(),
            r.bound ? name_text(r.bound->binds) : Text()};
        if (context_.real()) row.push_back(measure(p.ladder, p.rung, p.axes));
        return row;
    }

    /// The same product three ways, instruction by instruction.
    Result<void> products() {
        const Product list[] = {{"matmul", "tiled", "tiled", {}},
                                {"matmul", "register_2d", "registers", {}},
                                {"matmul_tensor", "wmma", "wmma", {{"T", {"bf16"}}, {"LAYOUT", {"NT"}}}},
                                {"matmul_tensor", "mma_sync", "mma", {{"T", {"bf16"}}, {"LAYOUT", {"NT"}}}},
                                {"matmul_sparse", "dense_wgmma", "dense", {{"T", {"bf16"}}}},
                                {"matmul_sparse", "sparse_wgmma", "sparse", {{"T", {"bf16"}}}}};
        const std::int64_t n =
            choices_.sizes.empty() || choices_.sizes.front().empty() ? 256 : choices_.sizes.front().front();
        auto counting = Counting::of(context_);
        if (!counting) return std::move(counting).error();
        record::Table t;
        t.id = "products";
        t.title = message("tensor.table.products", {{"n", n}});
        t.columns = {{message("tensor.column.kernel")},
                     {message("tensor.column.instructions"), "", Basis::counted, 5, true},
                     {message("tensor.column.matrix_instructions"), "", Basis::counted, 5},
                     {message("tensor.column.flops"), "", Basis::counted, 5},
                     {message("tensor.column.per_instruction"), "", Basis::computed, 4},
                     {message("tensor.column.bound"), "s", Basis::predicted},
                     {message("tensor.column.binds")}};
        if (context_.real()) t.columns.push_back({message("tensor.column.measured"), "FLOP/s", Basis::measured});
        double plain = 0, tensor = 0;
        for (const Product& p : list) {
            if (!choices_.rungs.empty() &&
                std::find(choices_.rungs.begin(), choices_.rungs.end(), p.rung) == choices_.rungs.end())
                continue;
            auto records = run_into(page_, counting->context(), p.ladder, {p.rung}, p.axes, {{n, n, n}});
            if (!records) {
                page_.problems.push_back(fmt::format("{} {}: {}", p.ladder, p.rung, records.error().text()));
                continue;
            }
            const record::Record* r = find(*records, p.rung);
            if (!r || !r->counts) continue;
            const record::Counts& c = *r->counts;
            const auto instructions = static_cast<double>(c[Count::instructions]);
            const double flops = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
            t.rows.push_back(product_row(p, *r, flops));
            if (c[Count::mix_tensor] == 0)
                plain = std::max(plain, flops / instructions);
            else
                tensor = std::max(tensor, flops / instructions);
        }
        t.caption = message("tensor.caption.products");
        if (plain > 0 && tensor > 0)
            page_.conclusions.push_back(
                message(tensor > plain ? "tensor.conclusion.instructions" : "tensor.conclusion.no_instructions",
                        {{"plain", plain}, {"tensor", tensor}, {"times", tensor / plain}}));
        page_.sections.push_back(
            {message("tensor.section.products"), {paragraph(message("tensor.text.products")), std::move(t)}});
        return {};
    }

    /// The rate at a size that fills the device.
    Scalar measure(const char* ladder, const char* rung, const Axes& axes) {
        const std::int64_t n = choices_.quick ? 2048 : 8192;
        auto records = run_into(page_, context_, ladder, {rung}, axes, {{n, n, n}});
        if (!records) return {};
        const record::Record* r = find(*records, rung);
        if (!r || !r->time || !r->flops || r->time->median_s <= 0) return {};
        return *r->flops / r->time->median_s;
    }

    const Context& context_;
    const Choices& choices_;
    record::Page page_;
};

}  // namespace

Result<record::Page> pages::tensor(const Context& context, const Choices& choices) {
    return TensorPage(context, choices).run();
}

}  // namespace warpwright::lab
