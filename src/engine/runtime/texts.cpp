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
    const auto at = ptx::own_place(module, inst->source, inst->inlined_at);
    if (at.line && at.file < module.files.size()) return {module.files[at.file], at.line, 0};
    // Compilers leave some instructions without a line, and a line of the text that they made is none of the source's.
    if (!module.files.empty() && !module.name.ends_with(".ptx")) return {module.name, 0, 0};
    return {module.name, inst->line, inst->column};
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
