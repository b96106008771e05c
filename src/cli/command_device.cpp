// warpwright device and warpwright occupancy: what is known of a GPU, without running anything.
#include <fmt/format.h>

#include "arch/model.hpp"
#include "arch/occupancy.hpp"
#include "cli/options.hpp"
#include "cli/parse.hpp"

namespace warpwright::cli {

int device(const std::string& name, Console& console) {
    std::string out;
    if (name.empty()) {
        for (const std::string& model_name : arch::list_models()) {
            auto model = arch::load_model(model_name);
            if (!model) return console.fail(model.error());
            std::string capability = model->compute_capability > 0
                                         ? fmt::format("compute capability {}.{}", model->compute_capability / 10,
                                                       model->compute_capability % 10)
                                         : model->architecture;
            out += fmt::format("{:<10} {:<28} {}, {} multiprocessors, {:.0f} GB/s\n", model_name, model->title,
                               capability, model->sm.multiprocessors, model->memory.bandwidth / 1e9);
        }
        if (out.empty())
            return console.fail(Error{ErrorKind::input, "no device models are installed", Location{},
                                      "WARPWRIGHT_DEVICES names folders of models"});
        console.out(out);
        return 0;
    }
    auto model = arch::load_model(name);
    if (!model) return console.fail(model.error());
    out = fmt::format("{}: {}\n{}\n", model->name, model->title, model->file);
    std::string table;
    for (const arch::Figure& f : arch::figures(*model)) {
        if (f.table != table) out += "\n" + f.table + "\n";
        table = f.table;
        out += fmt::format("  {:<24} {:<16} {}\n", f.key, f.value, f.source);
    }
    console.out(out);
    return 0;
}

int occupancy(const OccupancyOptions& options, Console& console) {
    auto model = arch::load_model(options.model);
    if (!model) return console.fail(model.error());
    std::vector<std::uint64_t> blocks;
    if (!options.block.empty()) {
        auto block = parse_extent(options.block, "block");
        if (!block) return console.fail(block.error());
        std::uint64_t threads = std::uint64_t{block->x} * block->y;
        if (__builtin_mul_overflow(threads, block->z, &threads)) threads = ~std::uint64_t{0};
        blocks.push_back(threads);
    } else {
        for (std::uint64_t t = model->limits.warp; t <= model->limits.threads_per_block; t *= 2) blocks.push_back(t);
    }
    std::string out = fmt::format(
        "{}: {} registers a thread, {} bytes of shared memory a block\n\n{:>8} {:>8} {:>8} {:>10}  {}\n", model->name,
        options.registers, options.shared, "threads", "blocks", "warps", "occupancy", "limited by");
    for (std::uint64_t threads : blocks) {
        arch::Occupancy o = arch::occupancy(*model, options.registers, options.shared, threads);
        if (o.blocks == 0 && blocks.size() == 1)
            return console.fail(Error{ErrorKind::limit, o.refusal, Location{}, ""});
        out += fmt::format("{:>8} {:>8} {:>8} {:>8.1f} %  {}\n", threads, o.blocks, o.warps, 100 * o.fraction,
                           o.limiter_text());
    }
    console.out(out);
    return 0;
}

}  // namespace warpwright::cli
