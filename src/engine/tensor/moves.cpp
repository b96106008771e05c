// Element placement of wmma.load, wmma.store, ldmatrix, stmatrix and movmatrix (ISA sections of those names).
#include <bit>
#include <string>
#include <utility>

#include "engine/tensor/plan.hpp"

#if defined(__x86_64__)
    #include <immintrin.h>
#endif

namespace warpwright::engine {

namespace {

using simt::Details;
using simt::Mod;
using simt::Type;

Error unsupported(const Details& i, const std::string& why) {
    return Error{ErrorKind::input, "unsupported matrix instruction " + i.spelling() + ": " + why,
                 Location{"", i.line, i.column}, ""};
}

/// The operand's part of a form, for place().
MmaForm form_of(const WmmaMap& map) {
    MmaForm f;
    f.wmma = true;
    f.m = map.m, f.n = map.n, f.k = map.k;
    f.a = f.b = f.c = f.d = map.type;
    return f;
}

}  // namespace

Element WmmaMap::element(unsigned lane, unsigned reg, unsigned index) const {
    return place(form_of(*this), operand, lane, reg, index, nullptr);
}

std::uint64_t WmmaMap::offset(unsigned lane, unsigned reg, unsigned index, std::uint64_t stride) const {
    const Element e = element(lane, reg, index);
    const std::uint64_t at = row_major ? e.row * stride + e.col : e.col * stride + e.row;
    return at * element_bits / 8;
}

#if defined(__x86_64__)
namespace {

const bool kHasAvx2 = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") != 0;
}();

/// Four lanes at a time.
__attribute__((target("avx2"))) void addresses_avx2(const WmmaMap::Places& p, unsigned bits, const std::uint64_t* base,
                                                    const std::uint64_t* stride, std::uint64_t* out) {
    const auto left = _mm_cvtsi32_si128(bits >= 8 ? std::countr_zero(bits / 8) : 0),
               right = _mm_cvtsi32_si128(bits >= 8 ? 0 : std::countr_zero(8 / bits));
    const auto* const bases = reinterpret_cast<const __m256i*>(base);
    const auto* const strides = reinterpret_cast<const __m256i*>(stride);
    for (unsigned k = 0; k < 8; ++k) {
        const auto line = _mm256_cvtepu8_epi64(_mm_loadu_si32(p.line + 4 * k)),
                   at = _mm256_cvtepu8_epi64(_mm_loadu_si32(p.at + 4 * k));
        const auto place = _mm256_add_epi64(_mm256_mul_epu32(line, _mm256_loadu_si256(strides + k)), at);
        const auto bytes = _mm256_srl_epi64(_mm256_sll_epi64(place, left), right);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out) + k,
                            _mm256_add_epi64(_mm256_loadu_si256(bases + k), bytes));
    }
}

}  // namespace
#endif

void WmmaMap::addresses(unsigned reg, unsigned index, const std::uint64_t* base, const std::uint64_t* stride,
                        std::uint64_t* out) const {
    const auto& p = places[std::size_t{reg} * per_register + index];
#if defined(__x86_64__)
    if (kHasAvx2) return addresses_avx2(p, element_bits, base, stride, out);
#endif
    for (unsigned l = 0; l < 32; ++l) out[l] = base[l] + (p.line[l] * stride[l] + p.at[l]) * element_bits / 8;
}

bool WmmaMap::register_contiguous() const {
    for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned reg = 0; reg < registers; ++reg)
            for (unsigned index = 1; index < per_register; ++index) {
                const Element before = element(lane, reg, index - 1), e = element(lane, reg, index);
                const bool next = row_major ? e.row == before.row && e.col == before.col + 1
                                            : e.col == before.col && e.row == before.row + 1;
                if (!next) return false;
            }
    return true;
}

Result<WmmaMap> decode_wmma_memory(const Details& i) {
    WmmaMap map;
    if (i.op != simt::Op::wmma || !(i.has(Mod::load) || i.has(Mod::store)))
        return unsupported(i, "not a fragment load or store");
    map.store = i.has(Mod::store);
    const std::pair<Mod, char> operands[] = {{Mod::a, 'a'}, {Mod::b, 'b'}, {Mod::c, 'c'}, {Mod::d, 'd'}};
    map.operand = 0;
    for (const auto& [mod, name] : operands)
        if (i.has(mod)) map.operand = name;
    if (map.operand == 0 || map.store != (map.operand == 'd')) return unsupported(i, "operand");
    map.row_major = i.has(Mod::row);
    if (map.row_major == i.has(Mod::col)) return unsupported(i, "needs one layout");
    map.type = i.type();
    const Type t = map.type;
    struct Shape {
        Mod mod;
        unsigned m, n, k;
    };
    const Shape shapes[] = {{Mod::m16n16k16, 16, 16, 16}, {Mod::m8n32k16, 8, 32, 16}, {Mod::m32n8k16, 32, 8, 16},
                            {Mod::m16n16k8, 16, 16, 8},   {Mod::m8n8k4, 8, 8, 4},     {Mod::m8n8k32, 8, 8, 32},
                            {Mod::m8n8k128, 8, 8, 128}};
    for (const Shape& s : shapes)
        if (i.has(s.mod)) map.m = s.m, map.n = s.n, map.k = s.k;
    if (map.m == 0) return unsupported(i, "unknown shape");
    const bool factor = map.operand == 'a' || map.operand == 'b';
    bool ok = false;
    switch (map.k) {
        case 16:
            ok = factor ? t == Type::f16 || t == Type::bf16 || t == Type::s8 || t == Type::u8
                        : t == Type::f16 || t == Type::f32 || t == Type::s32;
            break;
        case 8:
            ok = factor ? t == Type::tf32 : t == Type::f32;
            break;
        case 4:
            ok = t == Type::f64;
            break;
        case 32:
            ok = factor ? t == Type::s4 || t == Type::u4 : t == Type::s32;
            break;
        default:
            ok = factor ? t == Type::b1 : t == Type::s32;
            break;
    }
    if (!ok) return unsupported(i, "no such shape for ." + std::string(simt::spelling(t)));
    if (factor && map.k >= 32 && map.row_major != (map.operand == 'a'))
        return unsupported(i, "layout of a type below 8 bits");
    map.rows = map.operand == 'b' ? map.k : map.m;
    map.cols = map.operand == 'a' ? map.k : map.n;
    map.element_bits = fragment_bits(t);
    map.per_register = map.element_bits >= 32 ? 1 : 32 / map.element_bits;
    map.registers = operand_words(form_of(map), map.operand) / (map.element_bits == 64 ? 2 : 1);
    map.default_stride = map.row_major ? map.cols : map.rows;
    for (unsigned reg = 0; reg < map.registers; ++reg)
        for (unsigned index = 0; index < map.per_register; ++index) {
            auto& places = map.places.emplace_back();
            for (unsigned lane = 0; lane < 32; ++lane) {
                const Element e = map.element(lane, reg, index);
                places.line[lane] = static_cast<std::uint8_t>(map.row_major ? e.row : e.col);
                places.at[lane] = static_cast<std::uint8_t>(map.row_major ? e.col : e.row);
            }
        }
    return map;
}

MatrixMove::Source MatrixMove::source(unsigned lane, unsigned reg) const {
    // Register `reg` of lane 4g + t holds bytes 4t .. 4t+3 of row g of an 8-row, 16-byte-wide matrix; with .trans the
    // matrix is transposed, so the two elements of a register lie in neighbouring rows of one column.
    Source s;
    const unsigned g = lane >> 2, t = lane & 3;
    if (!trans) {
        s.source_lane[0] = std::uint8_t(reg * rows + g);
        s.byte[0] = std::uint8_t(4 * t);
        return s;
    }
    s.piece_bytes = element_bytes;
    s.pieces = 4 / element_bytes;
    for (unsigned p = 0; p < s.pieces; ++p) {
        s.source_lane[p] = std::uint8_t(reg * rows + s.pieces * t + p);
        s.byte[p] = std::uint8_t(g * element_bytes);
    }
    return s;
}

Result<MatrixMove> decode_matrix_move(const Details& i) {
    MatrixMove move;
    if (i.op != simt::Op::ldmatrix && i.op != simt::Op::stmatrix) return unsupported(i, "not ldmatrix or stmatrix");
    move.store = i.op == simt::Op::stmatrix;
    move.trans = i.has(Mod::trans);
    move.matrices = i.has(Mod::x4) ? 4 : i.has(Mod::x2) ? 2 : 1;
    if (!i.has(Mod::m8n8) || i.type() != Type::b16)
        return unsupported(i, "only .m8n8 with .b16 exists on sm_90 and before");
    move.registers = move.matrices;
    const simt::Written* registers = nullptr;
    if (i.operands.size() == 2) registers = &i.operands[move.store ? 1 : 0];
    const std::size_t count = !registers                                       ? 0
                              : registers->kind == simt::Written::Kind::vector ? registers->elements.size()
                                                                               : 1;
    if (count != move.registers) return unsupported(i, "wrong number of registers");
    return move;
}

void run_movmatrix(const std::uint32_t* a, std::uint32_t* d) {
    std::uint32_t out[32];
    const auto element = [&](unsigned row, unsigned col) {
        return (a[4 * row + col / 2] >> (16 * (col & 1))) & 0xffff;
    };
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned row = lane >> 2, col = 2 * (lane & 3);
        out[lane] = element(col, row) | element(col + 1, row) << 16;
    }
    for (unsigned lane = 0; lane < 32; ++lane) d[lane] = out[lane];
}

}  // namespace warpwright::engine
