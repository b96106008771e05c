// What all lanes load is put together in registers, 64 bytes at a time: it will be read in such pieces, and the CPU
// passes a store on to a load only if the load lies in it. Gather instructions take longer (lane_gather.cpp).
#include "engine/runtime/lane_rows.hpp"

#include "engine/runtime/kernel_memory.hpp"
#include "engine/runtime/lane_gather.hpp"
#include "engine/runtime/lane_words.hpp"

namespace warpwright::engine {

namespace {

constexpr std::uint32_t kAll = 0xffffffffu;

#if defined(__x86_64__)
/// One word, or pair of words, of each of 32 lanes.
WARPWRIGHT_AVX512 void load_all_avx512(LaneRows rows, unsigned bytes, char* to) {
    if (bytes == 8) {
        for (unsigned l = 0; l < 32; l += 8) _mm512_storeu_si512(to + 8 * l, eight_pairs(rows.from(l)));
        return;
    }
    for (unsigned l = 0; l < 32; l += 16) {
        const auto a =
            _mm512_inserti64x2(_mm512_castsi128_si512(four_words(rows.from(l))), four_words(rows.from(l + 4)), 1);
        const auto b = _mm512_inserti64x2(a, four_words(rows.from(l + 8)), 2);
        _mm512_storeu_si512(to + 4 * l, _mm512_inserti64x2(b, four_words(rows.from(l + 12)), 3));
    }
}
#endif

bool load_all([[maybe_unused]] const LaneRows& rows, unsigned bytes, [[maybe_unused]] char* to) {
    if (bytes < 4) return false;
#if defined(__x86_64__)
    static const bool has_avx512 = lane_vectors() == LaneVectors::avx512;
    if (has_avx512) return load_all_avx512(rows, bytes, to), true;
#endif
    return false;
}

template <class T>
void move_each(const LaneRows& rows, std::uint32_t mask, char* data, bool store) {
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
        if (store)
            kernel_memory::store_one<T>(rows[lane], data + lane * sizeof(T));
        else
            kernel_memory::load_one<T>(data + lane * sizeof(T), rows[lane]);
    }
}

}  // namespace

void move_rows(const LaneRows& rows, std::uint32_t mask, unsigned bytes, unsigned count, void* data, bool store) {
    auto* at = static_cast<char*>(data);
    for (unsigned e = 0; e < count; ++e, at += std::size_t{32} * bytes) {
        const LaneRows own{rows.first + std::size_t{e} * bytes, rows.step};
        if (!store && mask == kAll && load_all(own, bytes, at)) continue;
        if (bytes == 4)
            move_each<std::uint32_t>(own, mask, at, store);
        else if (bytes == 8)
            move_each<std::uint64_t>(own, mask, at, store);
        else if (bytes == 2)
            move_each<std::uint16_t>(own, mask, at, store);
        else
            move_each<std::uint8_t>(own, mask, at, store);
    }
}

}  // namespace warpwright::engine
