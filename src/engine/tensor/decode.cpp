// Decodes mma, mma.sp and wmma.mma to an MmaForm, checked against the shapes and types of the ISA (sections "mma",
// "mma.sp", "wmma.mma").
#include <algorithm>
#include <iterator>

#include "engine/tensor/plan.hpp"

namespace warpwright::engine {

namespace {

using simt::Details;
using simt::Mod;
using simt::Type;

struct Shape {
    Mod mod;
    unsigned m, n, k;
};
constexpr Shape kShapes[] = {
    {Mod::m8n8k4, 8, 8, 4},       {Mod::m8n8k16, 8, 8, 16},     {Mod::m8n8k32, 8, 8, 32},
    {Mod::m8n8k128, 8, 8, 128},   {Mod::m16n8k4, 16, 8, 4},     {Mod::m16n8k8, 16, 8, 8},
    {Mod::m16n8k16, 16, 8, 16},   {Mod::m16n8k32, 16, 8, 32},   {Mod::m16n8k64, 16, 8, 64},
    {Mod::m16n8k128, 16, 8, 128}, {Mod::m16n8k256, 16, 8, 256}, {Mod::m16n16k8, 16, 16, 8},
    {Mod::m16n16k16, 16, 16, 16}, {Mod::m8n32k16, 8, 32, 16},   {Mod::m32n8k16, 32, 8, 16},
};

enum class Kind : std::uint8_t { dense, sparse, wmma };

/// A shape that the ISA has for operands of a type.
struct Allowed {
    Kind kind;
    unsigned m, n, k;
    Type a;
};
constexpr Allowed kAllowed[] = {
    {Kind::dense, 8, 8, 4, Type::f16},     {Kind::dense, 16, 8, 8, Type::f16},    {Kind::dense, 16, 8, 16, Type::f16},
    {Kind::dense, 16, 8, 8, Type::bf16},   {Kind::dense, 16, 8, 16, Type::bf16},  {Kind::dense, 16, 8, 4, Type::tf32},
    {Kind::dense, 16, 8, 8, Type::tf32},   {Kind::dense, 16, 8, 16, Type::e4m3},  {Kind::dense, 16, 8, 32, Type::e4m3},
    {Kind::dense, 8, 8, 4, Type::f64},     {Kind::dense, 16, 8, 4, Type::f64},    {Kind::dense, 16, 8, 8, Type::f64},
    {Kind::dense, 16, 8, 16, Type::f64},   {Kind::dense, 8, 8, 16, Type::s8},     {Kind::dense, 16, 8, 16, Type::s8},
    {Kind::dense, 16, 8, 32, Type::s8},    {Kind::dense, 8, 8, 32, Type::s4},     {Kind::dense, 16, 8, 32, Type::s4},
    {Kind::dense, 16, 8, 64, Type::s4},    {Kind::dense, 8, 8, 128, Type::b1},    {Kind::dense, 16, 8, 128, Type::b1},
    {Kind::dense, 16, 8, 256, Type::b1},   {Kind::sparse, 16, 8, 16, Type::f16},  {Kind::sparse, 16, 8, 32, Type::f16},
    {Kind::sparse, 16, 8, 16, Type::bf16}, {Kind::sparse, 16, 8, 32, Type::bf16}, {Kind::sparse, 16, 8, 8, Type::tf32},
    {Kind::sparse, 16, 8, 16, Type::tf32}, {Kind::sparse, 16, 8, 32, Type::s8},   {Kind::sparse, 16, 8, 64, Type::s8},
    {Kind::sparse, 16, 8, 64, Type::s4},   {Kind::sparse, 16, 8, 128, Type::s4},  {Kind::sparse, 16, 8, 64, Type::e4m3},
    {Kind::wmma, 16, 16, 16, Type::f16},   {Kind::wmma, 8, 32, 16, Type::f16},    {Kind::wmma, 32, 8, 16, Type::f16},
    {Kind::wmma, 16, 16, 16, Type::bf16},  {Kind::wmma, 8, 32, 16, Type::bf16},   {Kind::wmma, 32, 8, 16, Type::bf16},
    {Kind::wmma, 16, 16, 16, Type::s8},    {Kind::wmma, 8, 32, 16, Type::s8},     {Kind::wmma, 32, 8, 16, Type::s8},
    {Kind::wmma, 16, 16, 8, Type::tf32},   {Kind::wmma, 8, 8, 4, Type::f64},      {Kind::wmma, 8, 8, 32, Type::s4},
    {Kind::wmma, 8, 8, 128, Type::b1},
};

/// The type that represents, in the table, a family whose members mix freely.
Type family(Type t) {
    switch (t) {
        case Type::u8:
            return Type::s8;
        case Type::u4:
            return Type::s4;
        case Type::e5m2:
            return Type::e4m3;
        default:
            return t;
    }
}

bool accumulator_fits(const MmaForm& f) {
    switch (family(f.a)) {
        case Type::f16: {
            const bool ok = (f.c == Type::f16 || f.c == Type::f32) && (f.d == Type::f16 || f.d == Type::f32);
            if (f.wmma) return ok;
            // mma: m8n8k4 may widen, the others keep the type
            return ok && (f.c == f.d || (f.m == 8 && f.c == Type::f16));
        }
        case Type::e4m3:
            return f.c == f.d && (f.c == Type::f32 || (f.c == Type::f16 && !f.sparse));
        case Type::bf16:
        case Type::tf32:
            return f.c == Type::f32 && f.d == Type::f32;
        case Type::f64:
            return f.c == Type::f64 && f.d == Type::f64;
        default:
            return f.c == Type::s32 && f.d == Type::s32;
    }
}

Error unsupported(const Details& i, const std::string& why) {
    return Error{ErrorKind::input, "unsupported matrix instruction " + i.spelling() + ": " + why,
                 Location{"", i.line, i.column}, "see the shapes and types of the PTX ISA for mma and wmma"};
}

/// Suffixes that a matrix product may have beside its shape, layouts and types.
bool known(Mod mod, bool wmma) {
    constexpr Mod either[] = {Mod::sync, Mod::aligned, Mod::row, Mod::col, Mod::satfinite, Mod::xor_,
                              Mod::and_, Mod::popc_,   Mod::rn,  Mod::rz,  Mod::rm,        Mod::rp};
    if (std::find(std::begin(either), std::end(either), mod) != std::end(either)) return true;
    for (const Shape& s : kShapes)
        if (s.mod == mod) return true;
    return wmma ? mod == Mod::mma : mod == Mod::sp || mod == Mod::ordered_metadata;
}

/// Shape, layouts and rounding, from the suffixes.
Result<void> read_suffixes(const Details& i, MmaForm& f) {
    unsigned layouts = 0;
    for (const Mod mod : i.mods) {
        if (!known(mod, f.wmma)) return unsupported(i, "suffix ." + std::string(simt::spelling(mod)));
        for (const Shape& s : kShapes)
            if (s.mod == mod) f.m = s.m, f.n = s.n, f.k = s.k;
        if (mod == Mod::row || mod == Mod::col) {
            if (layouts == 0) f.a_row = mod == Mod::row;
            if (layouts == 1) f.b_col = mod == Mod::col;
            ++layouts;
        }
    }
    if (f.m == 0) return unsupported(i, "unknown shape");
    if (layouts != 2) return unsupported(i, "needs the layouts of a and b");
    f.rounding = i.arithmetic.rounding;
    f.satfinite = i.has(Mod::satfinite);
    f.sparse = i.has(Mod::sp) || i.has(Mod::ordered_metadata);
    f.bit_op = i.has(Mod::xor_) ? BitOp::xor_popc : i.has(Mod::and_) ? BitOp::and_popc : BitOp::none;
    return {};
}

Result<void> read_types(const Details& i, MmaForm& f) {
    if (f.wmma && i.types.size() == 2) {  // f16: only d and c are named
        f.d = i.types[0], f.c = i.types[1];
        f.a = f.b = Type::f16;
    } else if (i.types.size() == 4) {
        f.d = i.types[0], f.a = i.types[1], f.b = i.types[2], f.c = i.types[3];
    } else {
        return unsupported(i, "needs the types of d, a, b and c");
    }
    return {};
}

/// Whether there is such a product: shape and types, layouts, operations of bits, saturation, rounding.
Result<void> check_form(const Details& i, const MmaForm& f) {
    const Kind kind = f.wmma ? Kind::wmma : f.sparse ? Kind::sparse : Kind::dense;
    const bool allowed = std::any_of(std::begin(kAllowed), std::end(kAllowed), [&](const Allowed& x) {
        return x.kind == kind && x.m == f.m && x.n == f.n && x.k == f.k && x.a == family(f.a);
    });
    if (!allowed) return unsupported(i, "no such shape for ." + std::string(simt::spelling(f.a)));
    const bool mixes = family(f.a) == Type::s8 || family(f.a) == Type::s4 || family(f.a) == Type::e4m3;
    if (family(f.a) != family(f.b) || (!mixes && f.a != f.b) || (f.wmma && f.a != f.b))
        return unsupported(i, "types of a and b do not go together");
    if (!accumulator_fits(f)) return unsupported(i, "accumulator types");
    const bool any_layout =
        (f.wmma && family(f.a) != Type::s4 && f.a != Type::b1) || (!f.wmma && f.m == 8 && f.a == Type::f16);
    if (!any_layout && !(f.a_row && f.b_col)) return unsupported(i, "layouts other than .row.col");
    if ((f.a == Type::b1) != (f.bit_op != BitOp::none)) return unsupported(i, ".xor.popc or .and.popc goes with .b1");
    const bool integer = family(f.a) == Type::s8 || family(f.a) == Type::s4;
    if (f.satfinite && !integer && !(f.wmma && f.a == Type::f16)) return unsupported(i, ".satfinite");
    if (f.wmma && f.a == Type::f16 && f.satfinite)
        return unsupported(i, ".satfinite on floating point, which the ISA has removed");
    if (f.rounding != simt::Rounding::nearest_even && f.a != Type::f64) return unsupported(i, "a rounding mode");
    return {};
}

/// Which lanes of a quad have the metadata of a sparse product.
Result<void> read_selector(const Details& i, MmaForm& f) {
    // d, a, b, c, metadata, selector
    if (i.operands.size() != 6 || i.operands[5].kind != simt::Written::Kind::integer)
        return unsupported(i, "needs metadata and a constant selector");
    const std::uint64_t pairs = std::uint64_t(f.k) / (f.a == Type::tf32 ? 2 : family(f.a) == Type::s4 ? 8 : 4);
    const std::uint64_t lanes = pairs * f.m * 4 / 256;  // of a quad
    if (i.operands[5].value >= 4 / lanes) return unsupported(i, "sparsity selector out of range");
    f.selector = unsigned(i.operands[5].value);
    return {};
}

}  // namespace

Result<MmaForm> decode_mma(const Details& i) {
    MmaForm f;
    f.wmma = i.op == simt::Op::wmma;
    if (!f.wmma && i.op != simt::Op::mma) return unsupported(i, "not a matrix product");
    if (f.wmma && !i.has(Mod::mma)) return unsupported(i, "not a matrix product");
    if (auto ok = read_suffixes(i, f); !ok) return ok.error();
    if (auto ok = read_types(i, f); !ok) return ok.error();
    if (auto ok = check_form(i, f); !ok) return ok.error();
    if (f.sparse)
        if (auto ok = read_selector(i, f); !ok) return ok.error();
    f.plan = plan_of(f);
    const auto words = [&](std::size_t operand, unsigned wanted, Type type) {
        if (operand >= i.operands.size()) return false;
        const simt::Written& o = i.operands[operand];
        const std::size_t count = o.kind == simt::Written::Kind::vector ? o.elements.size() : 1;
        return count * (type == Type::f64 ? 2 : 1) == wanted;
    };
    const RegisterCounts& counts = f.plan->counts;
    if (!words(0, counts.d, f.d) || !words(1, counts.a, f.a) || !words(2, counts.b, f.b) || !words(3, counts.c, f.c))
        return unsupported(i, "wrong number of registers");
    return f;
}

RegisterCounts register_counts(const MmaForm& form) { return form.plan->counts; }

double flops(const MmaForm& form) { return 2.0 * form.m * form.n * form.k * form.plan->products; }

void run_mma(const MmaForm& form, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
             std::uint32_t* d, const std::uint32_t* metadata) {
    form.plan->kernel(form, a, b, c, d, metadata);
}

}  // namespace warpwright::engine
