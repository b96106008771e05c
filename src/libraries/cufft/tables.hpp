// The tables of roots of one that passes read, each once, in double precision.
#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace warpwright::libraries::fft {

using Numbers = std::vector<std::complex<double>>;

/// Transforms 2^n numbers, forwards.
void transform_power_of_two(Numbers& numbers);

/// The tables of a plan, one behind the other; each function gives the place where its table begins.
class Tables {
public:
    static constexpr std::int64_t kNone = -1;

    /// exp(-2 pi i k step / n), k < count.
    std::int64_t roots(std::uint64_t n, std::uint64_t step, std::uint64_t count);
    /// Bluestein's chirp exp(-pi i k k / n), k < n, times `scale`.
    std::int64_t chirp(std::uint64_t n, double scale);
    /// The transform, of length m, of the chirp's conjugate, which stands at both ends.
    std::int64_t chirp_transform(std::uint64_t n, std::uint64_t m);

    const Numbers& all() const { return all_; }

private:
    enum class Name { roots, chirp, chirp_transform };
    using Key = std::pair<Name, std::pair<std::uint64_t, std::uint64_t>>;
    template <class Make>
    std::int64_t once(Key key, Make make);

    Numbers all_;
    std::map<Key, std::int64_t> places_;
};

}  // namespace warpwright::libraries::fft
