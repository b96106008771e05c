// The kernel is loaded on the device first, so that its name is chosen and its errors are reported as for a launch. It
// is then lowered again with a callback after each pass, which prints the code after the pass that was asked for.
#include "cli/commands/dump_ir.hpp"

#include <algorithm>

#include "cli/commands/one_kernel.hpp"
#include "lab/sweep/target.hpp"
#include "machine/print.hpp"
#include "machine/view.hpp"
#include "ptx/parser.hpp"
#include "simt/text.hpp"

namespace warpwright::cli {

namespace {

constexpr std::string_view kEach = "each", kShapes = "shapes";

/// The kernel and the functions that it calls for real, behind each other as the timing model has them.
Result<machine::Code> machine_view(const ptx::Module& module, const simt::Function& kernel) {
    machine::Code code;
    machine::append(code, kernel);
    std::vector<std::uint32_t> todo = kernel.callees;
    for (std::size_t k = 0; k < todo.size(); ++k) {
        auto callee = simt::lower(module, todo[k]);
        if (!callee) return std::move(callee).error();
        machine::append(code, *callee);
        for (const auto next : callee->callees)
            if (std::find(todo.begin(), todo.end(), next) == todo.end()) todo.push_back(next);
    }
    return code;
}

}  // namespace

Result<void> check_dump_ir(const std::string& pass) {
    if (pass.empty() || pass == kEach || pass == kShapes || simt::is_pass(pass)) return {};
    std::string names(simt::kBuild);
    for (const auto& p : simt::passes()) (names += ", ") += p.name;
    return Error{ErrorKind::usage, "--dump-ir: '" + pass + "' is not a pass", Location{},
                 "passes, in order: " + names + "; or " + std::string(kShapes)};
}

Result<void> dump_ir(const LaunchOptions& options, Runtime& runtime, Console& console) {
    auto text = lab::compile_to_ptx(options.file, options.defines, options.includes, *runtime.target);
    if (!text) return std::move(text).error();
    auto loaded = runtime.device->load(options.file, *text);
    if (!loaded) return std::move(loaded).error();
    auto kernel = chosen_kernel(options, **loaded);
    if (!kernel) return std::move(kernel).error();
    auto module = ptx::parse(*text, options.file);
    if (!module) return std::move(module).error();
    simt::LowerOptions lowering;
    lowering.after = [&](std::string_view pass, const simt::Function& f) {
        if (options.dump_ir == kEach || options.dump_ir == pass)
            console.data("; after " + std::string(pass) + "\n" + simt::print(f) + "\n");
    };
    auto lowered = simt::lower(*module, module->find_function((*kernel)->name), lowering);
    if (!lowered) return std::move(lowered).error();
    if (options.dump_ir == kShapes) {
        const auto block = parse_extent(options.block, "block");
        if (!block) return block.error();
        console.data(simt::print(*lowered, simt::analyse(*lowered, {block->x, block->y, block->z})));
    }
    if (options.dump_machine) {
        auto code = machine_view(*module, *lowered);
        if (!code) return std::move(code).error();
        console.data(machine::print(*code));
    }
    return {};
}

}  // namespace warpwright::cli
