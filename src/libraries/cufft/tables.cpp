// Double precision and exact reductions of the angle, on the host: a table is made once for a plan, and read by every
// transform.
#include "libraries/cufft/tables.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace warpwright::libraries::fft {
namespace {

/// exp(-2 pi i k / n). The angle is brought into an eighth of a turn first: what is exact of the root is exact then.
std::complex<double> root(std::uint64_t k, std::uint64_t n) {
    const std::uint64_t quarter = 4 * (k % n) / n, rest = 4 * (k % n) - quarter * n;
    const auto angle = [n](std::uint64_t part) {
        return std::numbers::pi / 2 * (static_cast<double>(part) / static_cast<double>(n));
    };
    const bool near = 2 * rest <= n;
    const double cosine = near ? std::cos(angle(rest)) : std::sin(angle(n - rest));
    const double sine = near ? std::sin(angle(rest)) : std::cos(angle(n - rest));
    const std::complex<double> turned[] = {{cosine, sine}, {-sine, cosine}, {-cosine, -sine}, {sine, -cosine}};
    return std::conj(turned[quarter]);
}

}  // namespace

void transform_power_of_two(Numbers& x) {
    const std::size_t n = x.size();
    Numbers roots(n / 2 + 1), y(n);
    for (std::size_t k = 0; k < n / 2; ++k) roots[k] = root(k, n);
    // Stockham's order again, radix 2.
    for (std::size_t done = 1; done < n; done *= 2) {
        for (std::size_t b = 0; b < n / 2; ++b) {
            const std::size_t k = b % done;
            const auto first = x[b], second = x[b + n / 2] * roots[k * (n / 2 / done)];
            y[(b - k) * 2 + k] = first + second;
            y[(b - k) * 2 + k + done] = first - second;
        }
        x.swap(y);
    }
}

template <class Make>
std::int64_t Tables::once(Key key, Make make) {
    const auto [at, is_new] = places_.try_emplace(key, static_cast<std::int64_t>(all_.size()));
    if (is_new) make();
    return at->second;
}

std::int64_t Tables::roots(std::uint64_t n, std::uint64_t step, std::uint64_t count) {
    return once({Name::roots, {n, step}}, [&] {
        for (std::uint64_t k = 0; k < count; ++k) all_.push_back(root(k * step, n));
    });
}

std::int64_t Tables::chirp(std::uint64_t n, double scale) {
    return once({Name::chirp, {n, std::bit_cast<std::uint64_t>(scale)}}, [&] {
        for (std::uint64_t k = 0; k < n; ++k) all_.push_back(root(k * k % (2 * n), 2 * n) * scale);
    });
}

std::int64_t Tables::chirp_transform(std::uint64_t n, std::uint64_t m) {
    return once({Name::chirp_transform, {n, m}}, [&] {
        Numbers b(m);
        for (std::uint64_t k = 0; k < n; ++k) {
            b[k] = std::conj(root(k * k % (2 * n), 2 * n));
            if (k > 0) b[m - k] = b[k];
        }
        transform_power_of_two(b);
        all_.insert(all_.end(), b.begin(), b.end());
    });
}

}  // namespace warpwright::libraries::fft
