// The numbers are checked before anything is computed from them: no product of a program's lengths can wrap.
#include "libraries/cufft/layout.hpp"

namespace warpwright::libraries::fft {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

/// value *= factor, unless the product is out of bounds.
bool multiply(std::int64_t& value, std::int64_t factor) {
    return factor >= 1 && !__builtin_mul_overflow(value, factor, &value) && value <= kMostElements;
}

bool is_possible(const Embedding& e, int rank, std::int64_t batch) {
    std::int64_t extent = 1, lines = 1;
    if (!multiply(extent, e.stride)) return false;
    // The outermost length is never used: programs give what they like there.
    for (int d = 1; d < rank; ++d)
        if (!multiply(extent, e.length[d])) return false;
    return e.distance >= (batch > 1 ? 1 : 0) && e.distance <= kMostElements && multiply(lines, batch) &&
           (e.distance == 0 || multiply(lines, e.distance));
}

}  // namespace

Side Transform::side(bool input, bool in_place) const {
    Side side;
    if (const auto& given = input ? in : out) {
        std::int64_t stride = given->stride;
        for (int d = rank - 1; d >= 0; --d) {
            side.stride[d] = stride;
            if (d > 0) stride *= given->length[d];
        }
        side.distance = given->distance;
        return side;
    }
    const bool real = kind == (input ? Kind::real_to_complex : Kind::complex_to_real);
    std::int64_t innermost = kind == Kind::complex ? length[rank - 1] : half();
    if (real) innermost = in_place ? 2 * half() : length[rank - 1];
    std::int64_t stride = 1;
    for (int d = rank - 1; d >= 0; --d) {
        side.stride[d] = stride;
        stride *= d == rank - 1 ? innermost : length[d];
    }
    side.distance = stride;
    return side;
}

bool is_possible(const Transform& t) {
    if (t.rank < 1 || t.rank > kMostRank) return false;
    std::int64_t all = 1;
    for (int d = 0; d < t.rank; ++d)
        if (!multiply(all, t.length[d])) return false;
    if (!multiply(all, t.batch) || t.in.has_value() != t.out.has_value()) return false;
    return !t.in || (is_possible(*t.in, t.rank, t.batch) && is_possible(*t.out, t.rank, t.batch));
}

}  // namespace warpwright::libraries::fft
