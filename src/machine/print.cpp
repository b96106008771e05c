// A fact is written only where it is not the usual one, so that a line shows what is special about its operation.
#include "machine/print.hpp"

#include <fmt/format.h>

namespace warpwright::machine {

namespace {

constexpr const char* kPipeNames[] = {"none",    "alu",     "add",    "fp32",     "multiply", "half",    "fp64",
                                      "special", "convert", "memory", "exchange", "tensor",   "texture", "branch"};
static_assert(std::size(kPipeNames) == kPipes);
constexpr const char* kEffectNames[] = {"",           "load",          "store",        "atomic",     "copy",
                                        "copy_group", "copy_wait",     "async",        "bulk_group", "bulk_wait",
                                        "product",    "product_group", "product_wait", "barrier",    "arrive",
                                        "fence",      "sleep"};
constexpr const char* kSpaceNames[] = {"generic", "reg", "sreg", "param", "global", "shared", "local", "constant"};
constexpr const char* kMatrixNames[] = {"f16", "bf16", "tf32", "f64", "int8", "int4", "fp8"};
static_assert(std::size(kMatrixNames) == kMatrixTypes);

std::string values(const std::vector<std::uint32_t>& all) {
    std::string s;
    for (const auto v : all) s += fmt::format("{}v{}", s.empty() ? "" : ", ", v);
    return s;
}

std::string inputs(const Op& op) {
    std::string s;
    for (std::size_t k = 0; k < op.in.size(); ++k) {
        s += fmt::format("{}v{}", s.empty() ? " " : ", ", op.in[k]);
        if (k < op.uses.size() && op.uses[k] == Use::elsewhere) s += " elsewhere";
        if (k < op.uses.size() && op.uses[k] == Use::guard) s += " guard";
    }
    return s;
}

/// What an operation is beyond its pipe: only what is not as for most.
std::string facts(const Op& op) {
    std::string s;
    if (op.effect != Effect::none) s += fmt::format(" {}", kEffectNames[static_cast<std::size_t>(op.effect)]);
    if (op.space != simt::Space::generic) s += fmt::format(" {}", kSpaceNames[static_cast<std::size_t>(op.space)]);
    const auto number = [&](const char* name, double n, double usual) {
        if (n != usual) s += fmt::format(" {}={}", name, n);
    };
    number("bytes", op.bytes, 0);
    number("issues", op.issues, 1);
    number("chain", op.chain, 0);
    number("special", op.special, 0);
    number("work", op.work, 1);
    number("takes", op.takes, 0);
    number("joined", op.joined, 1);
    number("access", op.access, -1);
    number("part", op.part, 0);
    number("pending", op.pending, 0);
    number("constant_at", op.constant_at, 0);
    number("spill", op.spill, -1);
    number("barrier", op.barrier, -1);
    number("flops", op.flops, 0);
    number("operand_bytes", op.operand_bytes, 0);
    if (op.pipe == Pipe::tensor) s += fmt::format(" {}", kMatrixNames[static_cast<std::size_t>(op.matrix)]);
    for (const auto& [set, name] : {std::pair{op.splits, "splits"},
                                    {op.effect == Effect::atomic && !op.returns, "returns_nothing"},
                                    {op.compares, "compares"},
                                    {op.repeats, "repeats"},
                                    {op.by_element, "by_element"},
                                    {op.adds_float, "adds_float"},
                                    {op.wide_constant, "wide_constant"},
                                    {op.of_thread, "of_thread"},
                                    {op.waits_phase, "waits_phase"},
                                    {op.source_only, "source_only"}})
        if (set) (s += ' ') += name;
    return s;
}

void add(std::string& s, const Op& op) {
    const auto out = values(op.out);
    s += fmt::format("  {}{}{}{}{}", out, out.empty() ? "" : " = ", kPipeNames[static_cast<std::size_t>(op.pipe)],
                     facts(op), inputs(op));
    if (op.ptx) s += " ; " + op.ptx->spelling();
    if (op.ptx && op.ptx->source.line) s += fmt::format(" line {}", op.ptx->source.line);
    s += "\n";
}

void add(std::string& s, const std::string& title, const Block& block) {
    s += fmt::format("{}: {} issue slots, {} PTX instructions", title, block.slots, block.counted);
    if (block.accesses) s += fmt::format(", {} accesses", block.accesses);
    if (!block.guards.empty()) s += ", under " + values(block.guards);
    if (block.unrolled >= 0) s += fmt::format(", unrolled{}", block.unrolled);
    if (block.region >= 0) s += fmt::format(", region{}", block.region);
    s += "\n";
    for (const auto& phi : block.phis) {
        s += fmt::format("  v{} = phi", phi.out);
        for (const auto& [from, value] : phi.in) s += fmt::format(" v{}@b{}", value, from);
        s += "\n";
    }
    for (const auto& op : block.ops) add(s, op);
}

}  // namespace

std::string print(const Code& code) {
    std::string s = fmt::format("machine view: {} blocks, {} issue slots, {} values\n", code.blocks.size(),
                                code.instructions, code.values);
    for (std::size_t b = 0; b < code.blocks.size(); ++b) add(s, fmt::format("b{}", b), code.blocks[b]);
    for (std::size_t k = 0; k < code.unrolled.size(); ++k)
        add(s, fmt::format("unrolled{} ({} turns)", k, code.unrolled[k].turns), code.unrolled[k].body);
    for (std::size_t k = 0; k < code.regions.size(); ++k) {
        std::string parts;
        for (const auto& part : code.regions[k].parts)
            parts += fmt::format(" b{}{}", part.block, part.guarded ? "?" : "");
        add(s, fmt::format("region{} ({})", k, parts.substr(parts.empty() ? 0 : 1)), code.regions[k].body);
    }
    return s;
}

}  // namespace warpwright::machine
