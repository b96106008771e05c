// SIMD video instructions (ISA section "SIMD Video Instructions"): two halves or four bytes at a time. Parts may be
// picked from a and b as one 8-byte pool, and the results masked: without a mask the result replaces all of d, with a
// mask the other parts come from c. With .add the parts' results are summed into c.
#include "engine/codegen/arith/video.hpp"

namespace warpwright::engine::arith {

Result<Values> emit_video_simd(ArithContext& context, const Details& inst, Operands v) {
    Emitter e(context);
    const bool halves = inst.op >= Op::vadd2 && inst.op <= Op::vset2;
    const unsigned parts = halves ? 2 : 4, bits = 32 / parts;
    const bool is_set = inst.op == Op::vset2 || inst.op == Op::vset4;
    const bool d_signed = !is_set && simt::is_signed(inst.type(0));
    const bool a_signed = simt::is_signed(inst.type(is_set ? 0 : 1)),
               b_signed = simt::is_signed(inst.type(is_set ? 1 : 2));

    // Lane i's source: digit i of the selector from the right; by default its own part (b's count from `parts` on).
    auto pick = [&](unsigned operand, unsigned i, bool is_signed) {
        const Selector s = selector_of(inst, operand);
        const unsigned base = operand == 1 ? 0 : parts;
        const unsigned from = s.parts.size() == parts ? s.parts[parts - 1 - i] : base + i;
        return video_part(e, from < parts ? v[0] : v[1], bits, from % parts, is_signed);
    };
    const Selector mask = selector_of(inst, 0);
    bool kept[4] = {false, false, false, false};  // parts of d that are written
    for (unsigned i = 0; i < parts; ++i) kept[i] = mask.parts.empty();
    for (unsigned part : mask.parts)
        if (part < parts) kept[part] = true;

    const bool accumulate = inst.has(Mod::add);
    Value* out = v[2];
    if (!accumulate && mask.parts.empty()) out = e.integer(32, 0);
    for (unsigned i = 0; i < parts; ++i) {
        if (!kept[i]) continue;
        Value *a = pick(1, i, a_signed), *b = pick(2, i, b_signed);
        Value* result = video_operation(e, inst, a, b);
        if (!result) return unsupported(inst, "no such SIMD video operation");
        if (inst.arithmetic.saturate) result = video_saturate(e, result, bits, d_signed);
        result = e.resize(result, 32, false);
        if (accumulate) {
            out = e.b.CreateAdd(out, result);
            continue;
        }
        const std::uint64_t field = ((std::uint64_t{1} << bits) - 1) << (i * bits);
        Value* placed = e.b.CreateAnd(e.b.CreateShl(result, e.integer(32, i * bits)), e.integer(32, field));
        out = e.b.CreateOr(e.b.CreateAnd(out, e.integer(32, ~field & 0xffffffffu)), placed);
    }
    return Values{out};
}

}  // namespace warpwright::engine::arith
