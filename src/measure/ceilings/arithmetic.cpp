// Rates of arithmetic by type and unit: the plain units, special functions, tensor cores with and without sparsity.
#include <fmt/format.h>

#include "measure/ceilings/bench.hpp"

namespace warpwright::measure {
namespace {

/// Instructions per thread and turn of kernels/measure/arithmetic.cu: 8 chains, 32 deep.
constexpr double kChained = 8 * 32;

std::uint64_t out_bytes(Bench& b) { return std::uint64_t{b.multiprocessors()} * 2048 * 8; }

void plain(Bench& b) {
    const auto& m = b.base();
    struct Kernel {
        std::string kernel, figure, unit;
        double operations;  ///< per instruction
        std::optional<double> sheet;
        std::function<std::vector<std::byte>(std::uint32_t turns, device::Address out)> parameters;
        std::string title;
    };
    const double cycles = m.sm.multiprocessors * m.clocks.bound;
    const auto words = [](std::uint32_t a, std::uint32_t c) {
        return [=](std::uint32_t turns, device::Address out) { return pack(a, c, turns, out); };
    };
    const auto special = [](std::uint32_t turns, device::Address out) { return pack(0.7f, turns, out); };
    const std::vector<Kernel> kernels{
        {"fma_f32", "fma_f32", "FLOP/s", 2, m.flops_f32(),
         [](std::uint32_t turns, device::Address out) { return pack(1.0001f, 0.5f, turns, out); }, "fma.rn.f32"},
        {"fma_f64", "fma_f64", "FLOP/s", 2, m.flops_f64(),
         [](std::uint32_t turns, device::Address out) { return pack(1.0001, 0.5, turns, out); }, "fma.rn.f64"},
        {"fma_f16x2", "fma_f16", "FLOP/s", 4, m.flops_f16(), words(0x38003801, 0x3c003c01), "fma.rn.f16x2"},
        {"fma_bf16x2", "fma_bf16", "FLOP/s", 4, {}, words(0x3f003f01, 0x3f803f81), "fma.rn.bf16x2"},
        {"mad_i32", "mad_i32", "op/s", 2, 2 * m.units.integer_multiply * cycles, words(12345, 777), "mad.lo.s32"},
        {"special_ex2", "special", "op/s", 1, m.units.special * cycles, special, "ex2.approx.ftz.f32"},
        {"special_lg2", "", "op/s", 1, m.units.special * cycles, special, "lg2.approx.ftz.f32"},
        {"special_rsqrt", "", "op/s", 1, m.units.special * cycles, special, "rsqrt.approx.ftz.f32"},
        {"special_sin", "", "op/s", 1, m.units.special * cycles, special,
         "sin.approx.ftz.f32, a multiplication before each"},
    };
    auto out = b.buffer(out_bytes(b));
    for (const Kernel& k : kernels) {
        const Subject subject{
            "arithmetic", k.kernel, k.figure.empty() ? "" : "ceilings." + k.figure, k.unit, 1, k.sheet, k.title, {}};
        if (!out) {
            b.leave_out(subject, out.error().text());
            continue;
        }
        std::vector<Shape> shapes;
        for (auto [block, each] : {std::pair{256u, 1u}, {512u, 1u}, {1024u, 1u}, {512u, 2u}, {1024u, 2u}}) {
            const std::uint32_t turns = b.turns(256);
            Shape s;
            s.file = "arithmetic.cu";
            s.kernel = k.kernel;
            s.grid = each * b.multiprocessors();
            s.block = block;
            s.parameters = k.parameters(turns, out->at());
            s.amount = kChained * k.operations * turns * s.grid * block;
            shapes.push_back(std::move(s));
        }
        b.rate(subject, shapes);
    }
}

/// Bit patterns of a type's random numbers (`base | hash & mask`, kernels/measure/measure.cuh): signs and fractions of
/// numbers from 1 to 2, all bits of integers.
struct Type {
    std::string name;
    std::uint32_t base, mask;
    int k;  ///< length of a dense mma.sync and wgmma
};
const Type kTypes[] = {{"f16", 0x3c003c00, 0x83ff83ff, 16},
                       {"bf16", 0x3f803f80, 0x807f807f, 16},
                       {"tf32", 0x3f800000, 0x807fffff, 8},
                       {"fp8", 0x38383838, 0x87878787, 32},
                       {"int8", 0, 0xffffffff, 32}};

double sheet_of(const arch::DeviceModel& m, const std::string& type) {
    const auto& t = m.tensor;
    const double per_cycle = type == "f16"    ? t.f16
                             : type == "bf16" ? t.bf16
                             : type == "tf32" ? t.tf32
                             : type == "fp8"  ? t.fp8
                             : type == "int8" ? t.int8
                             : type == "f64"  ? t.f64
                                              : 0;
    return m.tensor_rate(per_cycle);
}

Shape product(Bench& b, const std::string& file, const std::string& kernel, std::uint32_t grid, std::uint32_t block,
              std::uint32_t turns, double flop_a_turn_and_thread) {
    Shape s;
    s.file = file;
    s.kernel = kernel;
    if (file == "mma.cu" && b.capability() >= 89) s.defines.push_back("FP8");
    if (file == "mma.cu" && b.capability() >= 90) s.defines.push_back("FP64_WIDE");
    s.grid = grid;
    s.block = block;
    s.amount = flop_a_turn_and_thread * turns * grid * block;
    return s;
}

/// One type's products by all instructions there are, on random numbers (the figure) and on zeros (to show how much
/// higher the clock is when little power is drawn).
void dense(Bench& b, const Type& t) {
    const bool integer = t.name == "int8";
    auto out = b.buffer(out_bytes(b));
    for (const bool zeros : {false, true}) {
        const std::uint32_t base = zeros ? 0 : t.base, mask = zeros ? 0 : t.mask;
        const Subject subject{"tensor",
                              "tensor_" + t.name,
                              zeros ? "" : "ceilings.tensor_" + t.name,
                              integer ? "op/s" : "FLOP/s",
                              1,
                              sheet_of(b.base(), t.name),
                              "dense products, the best instruction",
                              {{"data", std::string(zeros ? "zeros" : "random")}}};
        if (!out) {
            b.leave_out(subject, out.error().text());
            continue;
        }
        if (b.capability() < (t.name == "fp8" ? 89 : 80)) {
            b.leave_out(subject, "no such product on this compute capability");
            continue;
        }
        const std::uint32_t turns = b.turns(2000);
        std::vector<Shape> shapes;
        for (auto [block, each] : {std::pair{128u, 1u}, {256u, 1u}, {256u, 2u}, {512u, 1u}, {512u, 2u}}) {
            shapes.push_back(product(b, "mma.cu", "mma_" + t.name, each * b.multiprocessors(), block, turns,
                                     8 * 2.0 * 16 * 8 * t.k / 32));
            shapes.back().text = "mma.sync";
        }
        if (b.capability() / 10 == 9)
            for (std::uint32_t block : {128u, 256u}) {
                shapes.push_back(product(b, "wgmma.cu", "wgmma_" + t.name, b.multiprocessors(), block, turns,
                                         4 * 2.0 * 64 * 256 * t.k / 128));
                shapes.back().text = "wgmma";
            }
        for (Shape& s : shapes) s.parameters = pack(base, mask, turns, out->at());
        b.rate(subject, shapes);
    }
}

void sparse(Bench& b, const Type& t) {
    const bool integer = t.name == "int8";
    const Subject subject{"tensor",
                          "sparse_" + t.name,
                          "ceilings.sparse_" + t.name,
                          integer ? "op/s" : "FLOP/s",
                          1,
                          2 * sheet_of(b.base(), t.name),
                          "products with 2:4 sparsity, operations of the dense ones",
                          {{"data", std::string("random")}}};
    if (b.capability() / 10 != 9)
        return b.leave_out(subject, "measured with wgmma.sp, which only compute capability 9.0 has");
    auto out = b.buffer(out_bytes(b));
    if (!out) return b.leave_out(subject, out.error().text());
    const std::uint32_t turns = b.turns(4000);
    std::vector<Shape> shapes;
    for (auto [block, where] : {std::pair{128u, ""}, {256u, ""}, {128u, "_registers"}, {256u, "_registers"}}) {
        shapes.push_back(product(b, "wgmma_sparse.cu", "sparse_" + t.name + where, b.multiprocessors(), block, turns,
                                 2 * 2.0 * 64 * 256 * 2 * t.k / 128));
        shapes.back().parameters = pack(t.base, t.mask, turns, out->at());
        shapes.back().text = *where ? "wgmma.sp, A in registers" : "wgmma.sp";
    }
    b.rate(subject, shapes);
}

void double_products(Bench& b) {
    const Subject subject{"tensor",
                          "tensor_f64",
                          "ceilings.tensor_f64",
                          "FLOP/s",
                          1,
                          sheet_of(b.base(), "f64"),
                          "dense products, the best instruction",
                          {}};
    if (b.capability() < 80) return b.leave_out(subject, "no such product on this compute capability");
    auto out = b.buffer(out_bytes(b));
    if (!out) return b.leave_out(subject, out.error().text());
    const std::uint32_t turns = b.turns(1000);
    std::vector<Shape> shapes;
    for (auto [block, each] : {std::pair{128u, 1u}, {256u, 1u}, {512u, 1u}, {512u, 2u}}) {
        shapes.push_back(
            product(b, "mma.cu", "mma_f64", each * b.multiprocessors(), block, turns, 8 * 2.0 * 8 * 8 * 4 / 32));
        shapes.back().text = "m8n8k4";
        if (b.capability() < 90) continue;
        shapes.push_back(
            product(b, "mma.cu", "mma_f64_wide", each * b.multiprocessors(), block, turns, 8 * 2.0 * 16 * 8 * 16 / 32));
        shapes.back().text = "m16n8k16";
    }
    for (Shape& s : shapes) s.parameters = pack(1.0001, 0.37, turns, out->at());
    b.rate(subject, shapes);
}

}  // namespace

std::vector<Part> arithmetic_parts() { return {{"arithmetic", plain}}; }

std::vector<Part> tensor_parts() {
    std::vector<Part> out;
    for (const Type& t : kTypes) out.emplace_back("tensor cores, " + t.name, [t](Bench& b) { dense(b, t); });
    out.emplace_back("tensor cores, f64", double_products);
    for (const Type& t : kTypes) out.emplace_back("tensor cores, sparse " + t.name, [t](Bench& b) { sparse(b, t); });
    return out;
}

}  // namespace warpwright::measure
