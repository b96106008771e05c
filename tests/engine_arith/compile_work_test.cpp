// The work that a kernel's form makes for LLVM is bounded by counts of the kernel alone. Each slot that can become a
// register is merged at the start of each block, whose number LLVM's passes over live ranges take to the square.
#include <gtest/gtest.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <string>

#include "engine/codegen/codegen.hpp"
#include "ptx/parser.hpp"
#include "simt/passes.hpp"

namespace warpwright::engine {
namespace compile_work_test {

struct Work {
    std::uint64_t blocks = 0, registers = 0;  ///< of PTX; slots that can become registers
    std::uint64_t merges() const { return blocks * registers; }
};

enum class Kind { predicates, vectors, scalars };

/// So many values of a kind, all of them used in each of so many blocks that lanes may or may not enter.
std::string kernel(Kind kind, unsigned values, unsigned branches) {
    std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %q, %z<200>;\n"
        ".reg .b32 %s, %t, %r<200>;\n.reg .b64 %d<2>;\nld.param.u64 %d0, [p];\nmov.u32 %t, %tid.x;\n"
        "mul.wide.u32 %d1, %t, 4;\nadd.u64 %d1, %d1, %d0;\n";
    for (unsigned v = 0; v < values; ++v) {
        const auto n = std::to_string(v), address = "[" + std::string(kind == Kind::scalars ? "%d0" : "%d1") + "+" +
                                                    std::to_string(128 * v) + "];\n";
        text += "ld.global.u32 %r" + n + ", " + address;
        if (kind == Kind::predicates) text += "setp.lt.u32 %z" + n + ", %r" + n + ", 5;\n";
    }
    for (unsigned b = 0; b < branches; ++b) {
        const auto n = std::to_string(b), v = std::to_string(b % values);
        text += "ld.global.u32 %t, [%d1+" + std::to_string(4 * b) + "];\nsetp.eq.u32 %q, %t, " + n + ";\n@%q bra L" +
                n + ";\n";
        if (kind == Kind::predicates) text += "selp.u32 %s, 1, 2, %z" + v + ";\n";
        text += "st.global.u32 [%d1+" + std::to_string(4 * b) + "], " + (kind == Kind::predicates ? "%s" : "%r" + v) +
                ";\n";
        text += "L" + n + ":\n";
    }
    return text + "ret;\n}\n";
}

/// What is made of it as a kernel, or as a function that is called.
Work work(const std::string& text, bool function) {
    const auto parsed = ptx::parse(text, "k.ptx");
    if (!parsed) throw std::runtime_error(parsed.error().text());
    const auto lowered = simt::lower(*parsed, 0);
    if (!lowered) throw std::runtime_error(lowered.error().text());
    llvm::LLVMContext context;
    llvm::Module module("k", context);
    CodegenOptions options;
    options.block = {32, 1, 1, 32};
    options.function = function;
    KernelLayout layout;
    if (auto r = codegen::write_function(module, *lowered, options, layout, "k"); !r)
        throw std::runtime_error(r.error().text());
    Work made{lowered->blocks.size(), 0};
    for (const auto& block : *module.getFunction("k"))
        for (const auto& i : block)
            if (const auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&i))
                made.registers += !slot->isArrayAllocation() && llvm::isAllocaPromotable(slot);
    return made;
}

class CompileWork : public testing::TestWithParam<std::tuple<Kind, bool>> {};

TEST_P(CompileWork, of_many_values_in_many_blocks_is_bounded) {
    const auto [kind, function] = GetParam();
    // The most merges of scalars, predicates and vectors, and a few slots besides for each block.
    constexpr std::uint64_t kMost = 4096 + 4096 + 16384, kBesides = 16;
    const auto few = work(kernel(kind, 8, 8), function);
    EXPECT_GE(few.registers, 8u);
    for (const unsigned branches : {40u, 90u, 180u, 360u, 720u}) {
        const auto many = work(kernel(kind, 90, branches), function);
        EXPECT_GT(many.blocks, branches);
        EXPECT_LE(many.merges(), kMost + kBesides * many.blocks) << branches;
    }
    // Few blocks keep their values in registers, however many there are, and so do many blocks with few values.
    EXPECT_GE(work(kernel(kind, 90, 12), function).registers, kind == Kind::scalars ? 8u : 12u);
    EXPECT_GE(work(kernel(kind, 4, 180), function).registers, 4u);
}

INSTANTIATE_TEST_SUITE_P(All, CompileWork,
                         testing::Combine(testing::Values(Kind::predicates, Kind::vectors, Kind::scalars),
                                          testing::Bool()));

}  // namespace compile_work_test
}  // namespace warpwright::engine
