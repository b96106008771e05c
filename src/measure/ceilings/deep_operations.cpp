// Latencies of operations by class, and what single warps' products cost.
#include <functional>

#include "measure/ceilings/deep.hpp"
#include "measure/ceilings/fit.hpp"

namespace warpwright::measure {
namespace {

/// Operations of kernels/measure/chain.cu and product.cu in a turn of their loops.
constexpr double kDepth = 256;

using Samples = Result<std::vector<double>>;

double median(const std::vector<double>& samples) { return summarise(samples).median; }

/// Chains of 32-bit values: a kernel and what it begins with. `steps` operations stand in a row for each of its steps.
Samples words_chain(Bench& b, const std::string& kernel, double steps, std::uint32_t turns) {
    auto out = b.buffer(64);
    if (!out) return std::move(out).error();
    Shape s = one_block("chain.cu", kernel, 32, pack(0x1234u, 0x55u, 0x3c003c00u, 0x7fu, 3u, turns, out->at()));
    return cycles_each(b, s, out->at(), steps * kDepth * turns);
}

template <class T>
Samples numbers_chain(Bench& b, const std::string& kernel, T first, T a, double steps = 1) {
    auto out = b.buffer(64);
    if (!out) return std::move(out).error();
    const std::uint32_t turns = b.turns(32);
    return cycles_each(b, one_block("chain.cu", kernel, 32, pack(first, a, a, a, a, turns, out->at())), out->at(),
                       steps * kDepth * turns);
}

/// What is left of a pair's cycles when those of others, each known by its median, are taken away. Without one of them
/// there is none.
void rest(Bench& b, const Subject& subject, const Samples& pair, double factor,
          std::initializer_list<const Samples*> others) {
    if (!pair) return b.leave_out(subject, pair.error().text());
    double less = 0;
    for (const Samples* o : others) {
        if (!*o) return b.leave_out(subject, o->error().text());
        less += median(**o) * factor;
    }
    b.take(subject, scaled_less(*pair, factor, less), true);
}

void register_latency(Bench& b, const Samples& guarded, const Samples& guard, const Samples& logic) {
    const Subject subject = deep_subject(b, "register_latency");
    for (const Samples* s : {&guarded, &guard, &logic})
        if (!*s) return b.leave_out(subject, s->error().text());
    b.take(subject, scaled_less(*guarded, 1, median(*guard) - median(*logic)), true);
}

void chains(Bench& b) {
    const std::uint32_t turns = b.turns(32);
    const auto subject = [&](const char* key) { return deep_subject(b, key); };
    const auto chain = [&](const char* kernel, double steps = 1) { return words_chain(b, kernel, steps, turns); };
    const Samples logic = chain("chain_logic", 2), multiply = chain("chain_multiply");
    b.take(subject("logic"), logic, true);
    b.take(subject("multiply"), multiply, true);
    rest(b, subject("integer"), chain("chain_add_logic"), 1, {&logic});
    rest(b, subject("late_other_pipe"), chain("chain_multiply_logic"), 0.5, {&multiply, &logic});
    const Samples guard = chain("chain_guard");
    rest(b, subject("late_guard"), guard, 1, {&logic, &logic});
    // A compare and a guarded operation, less those of the chain before: the guarded one's own latency is left.
    register_latency(b, chain("chain_register"), guard, logic);
    b.take(subject("half"), chain("chain_half"), true);
    b.take(subject("fp64"), numbers_chain(b, "chain_fp64", 1.0, 0.5), true);
    b.take(subject("special"), numbers_chain(b, "chain_special", 0.5f, 0.5f), true);
    b.take(subject("convert"), numbers_chain(b, "chain_convert", 2.5f, 0.f, 2), true);
    b.take(subject("shuffle"), chain("chain_shuffle"), true);
    b.take(subject("fence"), words_chain(b, "chain_fence", 1, b.turns(4)), true);
}

/// Cycles of a full multiprocessor's scheduler for a product, over those of the data sheet's rate (FLOP per cycle and
/// multiprocessor).
void products_over_sheet(Bench& b, const Subject& subject, const std::string& kernel, std::vector<std::byte> parameters,
                         device::Address out, std::uint32_t turns, double flop, double sheet) {
    if (!(sheet > 0)) return b.leave_out(subject, "the model has no rate of the data sheet's to compare with");
    constexpr std::uint32_t warps = 16, of_turn = 32;
    Shape s = one_block("product.cu", kernel, 32 * warps, std::move(parameters));
    auto cycles = cycles_of_all(b, s, out, double{of_turn} * turns * warps);
    if (!cycles) return b.leave_out(subject, cycles.error().text());
    b.take(subject, scaled_less(*cycles, sheet / flop, 0), true);
}

void products(Bench& b) {
    const Subject latency = deep_subject(b, "product"), of_warp = deep_subject(b, "product_of_warp"),
                  doubles = deep_subject(b, "doubles_of_warp");
    auto out = b.buffer(2048);
    if (!out || b.capability() < 80) {
        for (const Subject& s : {latency, of_warp, doubles})
            b.leave_out(s, out ? "no such product on this compute capability" : out.error().text());
        return;
    }
    const std::uint32_t turns = b.turns(16), more = b.turns(64), ones = 0x3c003c00;
    Shape s = one_block("product.cu", "chain_product", 32, pack(ones, turns, out->at()));
    b.take(latency, cycles_each(b, s, out->at(), kDepth * turns), true);
    products_over_sheet(b, of_warp, "many_products", pack(ones, more, out->at()), out->at(), more, 2.0 * 16 * 8 * 16,
                        b.base().tensor.f16);
    products_over_sheet(b, doubles, "many_products_f64", pack(1.0, more, out->at()), out->at(), more, 2.0 * 8 * 8 * 4,
                        b.base().tensor.f64);
}

}  // namespace

std::vector<Part> operation_parts() {
    return {{"latency of operations", chains}, {"products of single warps", products}};
}

}  // namespace warpwright::measure
