#include "cli/commands/dump_ir.hpp"

#include "cli/commands/one_kernel.hpp"
#include "lab/sweep/target.hpp"
#include "ptx/parser.hpp"
#include "simt/passes.hpp"

namespace warpwright::cli {

namespace {

constexpr std::string_view kEach = "each";

}  // namespace

Result<void> check_dump_ir(const std::string& pass) {
    if (pass.empty() || pass == kEach || simt::is_pass(pass)) return {};
    std::string names(simt::kBuild);
    for (const auto& p : simt::passes()) (names += ", ") += p.name;
    return Error{ErrorKind::usage, "--dump-ir: '" + pass + "' is not a pass", Location{}, "passes, in order: " + names};
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
    return {};
}

}  // namespace warpwright::cli
