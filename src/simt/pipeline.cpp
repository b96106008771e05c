// The list of passes, and the function that runs it.
#include <algorithm>
#include <array>

#include "ptx/place.hpp"
#include "simt/passes.hpp"
#include "support/cause.hpp"
#include "support/settings.hpp"

namespace warpwright::simt {

namespace {

constexpr std::array kPasses = {
    Pass{"promote-parameters", promote_parameters},
    Pass{"order-blocks", order_blocks},
    Pass{"split-at-waits", split_at_waits},
    Pass{"order-split-blocks", order_blocks},
    Pass{"to-ssa", to_ssa},
    Pass{"remove-dead", remove_dead},
    Pass{"find-spins", find_spins},
    Pass{"estimate-registers", estimate_registers},
};

}  // namespace

std::span<const Pass> passes() { return kPasses; }

bool is_pass(std::string_view name) {
    return name == kBuild || std::any_of(kPasses.begin(), kPasses.end(), [&](const Pass& p) { return p.name == name; });
}

bool LowerOptions::verifies_by_default() {
#ifdef NDEBUG
    static const bool on = settings::flag(Setting::verify_ir, false);
    return on;
#else
    return true;
#endif
}

Error pass_error(const Function& f, const std::string& what, const std::string& hint) {
    return Error{ErrorKind::input, what, {f.module->name, f.source->line, 0}, hint};
}

Error out_of_time(const ptx::Module& module, const ptx::Function& function) {
    return Error{ErrorKind::fault, "the code of '" + function.name + "' was not made in time",
                 ptx::told_place(module, function.source, {}, function.line, 0), "a longer --timeout",
                 Cause::time_limit};
}

Result<Function> lower(const ptx::Module& module, ptx::SymbolId function, const LowerOptions& options) {
    auto built = build(module, function, options.build);
    if (!built) return built;
    Function& f = *built;
    // The IR that a pass leaves must be valid before anything else uses it, including the printer.
    auto done = [&](std::string_view pass, bool last) -> Result<void> {
        if (options.verify_each || last)
            if (auto broken = verify(f); !broken.empty())
                return Error{ErrorKind::internal,
                             "the warp IR of '" + f.name + "' is broken after " + std::string(pass) + ": " + broken,
                             ptx::told_place(module, f.source->source, {}, f.source->line, 0), ""};
        if (options.after) options.after(pass, f);
        if (options.limit.over()) return out_of_time(module, *f.source);
        return {};
    };
    if (auto r = done(kBuild, false); !r) return r.error();
    for (const auto& pass : kPasses) {
        if (auto r = pass.run(f); !r) return r.error();
        if (auto r = done(pass.name, &pass == &kPasses.back()); !r) return r.error();
    }
    return built;
}

Result<Function> lower(const ptx::Module& module, ptx::SymbolId function, bool places) {
    LowerOptions options;
    options.build.places = places;
    return lower(module, function, options);
}

}  // namespace warpwright::simt
