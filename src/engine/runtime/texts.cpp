// A place is a line of the user's own source where that is known, also for code that was inlined from a header. Names
// are demangled and lose their parameters, as people write them.
#include "engine/runtime/texts.hpp"

#include "ptx/place.hpp"
#include "support/demangle.hpp"

namespace warpwright::engine {

/// "scale" of "_Z5scalePfi".
std::string readable(const std::string& name) {
    std::string s = demangle(name);
    if (const auto open = s.rfind('('); open != std::string::npos) s.resize(open);
    return s.starts_with("void ") ? s.substr(5) : s;
}

Location location(const ptx::Module& module, const simt::Details* inst) {
    if (!inst) return {module.name, 0, 0};
    return ptx::told_place(module, inst->source, inst->inlined_at, inst->line, inst->column);
}

Location function_place(const ptx::Module& module, ptx::SymbolId function) {
    const auto& f = module.functions[function];
    return ptx::told_place(module, f.source, {}, f.line, 0);
}

std::string block_text(const BlockContext& c) {
    return "block (" + std::to_string(c.ctaid[0]) + "," + std::to_string(c.ctaid[1]) + "," +
           std::to_string(c.ctaid[2]) + ")";
}

std::string thread_text(const BlockContext& c, const WarpFrame& f, unsigned lane) {
    const auto& shape = c.executor->launch.code->options.block;
    const auto linear = std::uint64_t{f.warp} * shape.lanes + lane;
    auto triple = [](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
        return "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ")";
    };
    return "thread " + triple(linear % shape.x, linear / shape.x % shape.y, linear / shape.x / shape.y) + " of block " +
           triple(c.ctaid[0], c.ctaid[1], c.ctaid[2]);
}

}  // namespace warpwright::engine
