// warpwright occupancy: the blocks and warps that a multiprocessor holds, by what a kernel uses.
#include "arch/occupancy.hpp"

#include <fmt/format.h>

#include "arch/model.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/argument_words.hpp"
#include "cli/options/common_options.hpp"
#include "cli/paragraphs.hpp"
#include "text/counted.hpp"

namespace warpwright::cli {
namespace {

/// One row: what comes first, then what a multiprocessor holds.
std::string occupancy_row(const std::string& first, const arch::Occupancy& o) {
    return fmt::format("{:>8} {:>8} {:>8} {:>8.1f} %  {}\n", first, o.blocks, o.warps, 100 * o.fraction,
                       o.limiter_text());
}

/// Over registers or shared memory: a row for each stretch in which nothing changes.
std::string occupancy_over(const arch::DeviceModel& model, const OccupancyOptions& o, std::uint64_t threads) {
    const bool registers = o.over == "registers";
    const std::uint64_t most = registers ? model.limits.registers_per_thread : model.limits.shared_per_block_optin;
    const std::uint64_t step = registers ? 1 : model.allocation.shared_unit;
    std::string out = fmt::format("{:>17} {:>8} {:>8} {:>10}  {}\n", registers ? "registers" : "shared bytes", "blocks",
                                  "warps", "occupancy", "limited by");
    std::uint64_t from = registers ? 1 : 0;
    const auto at = [&](std::uint64_t x) {
        return registers ? arch::occupancy(model, static_cast<std::uint32_t>(x), o.shared, threads)
                         : arch::occupancy(model, o.registers, x, threads);
    };
    for (std::uint64_t x = from; x <= most; x = x + step) {
        const arch::Occupancy now = at(x);
        if (x + step <= most && at(x + step).blocks == now.blocks && at(x + step).limiters == now.limiters) continue;
        out += fmt::format("{:>8} to {:>5} {:>8} {:>8} {:>8.1f} %  {}\n", from, x, now.blocks, now.warps,
                           100 * now.fraction, now.limiter_text());
        from = x + step;
    }
    return out;
}

int occupancy(const OccupancyOptions& options, Console& console) {
    std::uint64_t threads = 256;
    if (!options.block.empty()) {
        auto block = parse_extent(options.block, "block");
        if (!block) return console.fail(block.error());
        threads = std::uint64_t{block->x} * block->y;
        if (__builtin_mul_overflow(threads, block->z, &threads)) threads = ~std::uint64_t{0};
    }
    if (options.all && !options.over.empty())
        return console.fail(
            Error{ErrorKind::usage, "--all and --over cannot go together", Location{}, "leave one of them out"});
    const std::string asked = fmt::format("{} per thread, {} of shared memory per block",
                                          counted(options.registers, "registers"), counted(options.shared, "bytes"));
    const auto header = [](const char* first) {
        return fmt::format("{:>8} {:>8} {:>8} {:>10}  {}\n", first, "blocks", "warps", "occupancy", "limited by");
    };
    if (options.all) {
        auto all = arch::load_capabilities();
        if (!all) return console.fail(all.error());
        std::string out =
            paragraph(fmt::format("{}, {} per block", asked, counted(threads, "threads")), console.width()) + "\n" +
            header("cc");
        for (const arch::DeviceModel& m : *all)
            out += occupancy_row(m.name.substr(2), arch::occupancy(m, options.registers, options.shared, threads));
        console.out(out);
        return 0;
    }
    auto model = arch::load_limits(options.model);
    if (!model) return console.fail(model.error());
    if (!options.over.empty()) {
        const bool registers = options.over == "registers";
        console.out(fmt::format("{}: {} per block, {}\n\n{}", model->name, counted(threads, "threads"),
                                registers ? counted(options.shared, "bytes") + " of shared memory per block"
                                          : counted(options.registers, "registers") + " per thread",
                                occupancy_over(*model, options, threads)));
        return 0;
    }
    std::vector<std::uint64_t> blocks;
    if (!options.block.empty())
        blocks.push_back(threads);
    else
        for (std::uint64_t t = model->limits.warp; t <= model->limits.threads_per_block; t *= 2) blocks.push_back(t);
    std::string out = fmt::format("{}: {}\n\n{}", model->name, asked, header("threads"));
    for (std::uint64_t t : blocks) {
        arch::Occupancy o = arch::occupancy(*model, options.registers, options.shared, t);
        if (o.blocks == 0 && blocks.size() == 1)
            return console.fail(Error{ErrorKind::limit, o.refusal, Location{}, ""});
        out += occupancy_row(std::to_string(t), o);
    }
    console.out(out);
    return 0;
}

}  // namespace

Command add_occupancy(CLI::App& app) {
    auto o = std::make_shared<OccupancyOptions>();
    auto* c = app.add_subcommand("occupancy", "blocks and warps that a multiprocessor holds");
    c->add_option("--model", o->model, "device model, or a compute capability: cc1.3, cc3.5, ...")
        ->type_name("NAME")
        ->capture_default_str();
    add_number(*c, "--registers", o->registers, "registers per thread")->type_name("N");
    add_number(*c, "--shared", o->shared, "shared memory per block, bytes")->type_name("BYTES");
    c->add_option("--block", o->block, "threads of a block; without it: a table over block sizes")->type_name("EXTENT");
    c->add_flag("--all", o->all, "on every compute capability (block: 256 threads unless given)");
    c->add_option("--over", o->over, "a table over registers or shared memory instead")
        ->type_name("registers|shared")
        ->check(CLI::IsMember({"registers", "shared"}));
    return {c, [o](Console& console) { return occupancy(*o, console); }};
}

}  // namespace warpwright::cli
