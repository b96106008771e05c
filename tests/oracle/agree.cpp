#include "agree.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace oracle {

namespace {

double half_value(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31) return fraction ? std::nan("") : sign * std::numeric_limits<double>::infinity();
    return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

struct Number {
    double value;
    double smallest;  ///< of its type, above zero
};

/// The numbers in a result of a floating-point letter; two for the paired types.
std::vector<Number> numbers(char letter, std::uint64_t bits) {
    const auto low = static_cast<std::uint16_t>(bits), high = static_cast<std::uint16_t>(bits >> 16);
    const auto brain = [](std::uint16_t b) { return double{std::bit_cast<float>(std::uint32_t{b} << 16)}; };
    const double half_least = std::ldexp(1, -24), brain_least = std::ldexp(1, -133);
    switch (letter) {
        case 'd':
            return {{std::bit_cast<double>(bits), 5e-324}};
        case 'e':
            return {{half_value(low), half_least}};
        case 'x':
            return {{half_value(low), half_least}, {half_value(high), half_least}};
        case 'g':
            return {{brain(low), brain_least}};
        case 'y':
            return {{brain(low), brain_least}, {brain(high), brain_least}};
        default:
            return {{std::bit_cast<float>(static_cast<std::uint32_t>(bits)), std::ldexp(1, -149)}};
    }
}

bool close(const Form& form, const Number& ours, const Number& theirs) {
    const double a = ours.value, b = theirs.value;
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (std::isinf(a) || std::isinf(b)) return a == b;
    // The recorded value has the error that the ISA allows, and so may ours.
    const double allowed = 2 * form.tolerance, error = std::fabs(a - b);
    const bool relative = error <= allowed * std::fabs(b) + ours.smallest, absolute = error <= allowed;
    if (form.check == Check::relative) return relative;
    if (form.check == Check::absolute) return absolute;
    return relative || absolute;
}

}  // namespace

bool agrees(const Form& form, char letter, std::uint64_t ours, std::uint64_t theirs) {
    if (form.check == Check::exact || ours == theirs) return ours == theirs;
    const auto a = numbers(letter, ours), b = numbers(letter, theirs);
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!close(form, a[i], b[i])) return false;
    return true;
}

}  // namespace oracle
