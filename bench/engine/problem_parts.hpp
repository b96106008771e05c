// What the files of problems share: buffers from values, drawn inputs, and comparisons of results.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

#include "problems.hpp"

namespace warpwright::bench {

constexpr auto kPoison = std::byte{0xCD};

template <class T>
Bytes to_bytes(const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <class T>
T* as(Bytes& bytes) {
    return reinterpret_cast<T*>(bytes.data());
}

template <class T>
T element(std::span<const std::byte> bytes, std::size_t index) {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
}

inline std::vector<float> random_floats(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    std::vector<float> values(count);
    for (float& value : values) value = uniform(generator);
    return values;
}

inline std::vector<std::uint32_t> random_words(std::size_t count, unsigned seed, std::uint32_t below = 0) {
    std::mt19937 generator(seed);
    std::vector<std::uint32_t> values(count);
    for (auto& value : values)
        value = below ? static_cast<std::uint32_t>(generator()) % below : static_cast<std::uint32_t>(generator());
    return values;
}

/// Equal integers, element by element.
template <class T>
std::string differs(std::span<const std::byte> got, const std::vector<T>& want) {
    for (std::size_t i = 0; i < want.size(); ++i) {
        if (element<T>(got, i) != want[i])
            return "element " + std::to_string(i) + " is " + std::to_string(element<T>(got, i)) + ", not " +
                   std::to_string(want[i]);
    }
    return {};
}

/// Floats that differ by at most `part` of the largest wanted one. Negated so that NaN fails.
inline std::string is_far(std::span<const std::byte> got, const std::vector<float>& want, float part) {
    float largest = 0;
    for (const float x : want) largest = std::max(largest, std::abs(x));
    for (std::size_t i = 0; i < want.size(); ++i) {
        if (!(std::abs(element<float>(got, i) - want[i]) <= part * largest))
            return "element " + std::to_string(i) + " is " + std::to_string(element<float>(got, i)) + ", not " +
                   std::to_string(want[i]);
    }
    return {};
}

/// What the twin leaves in the output buffer.
template <class T>
std::vector<T> wanted(const Problem& problem) {
    std::vector<Bytes> memory = problem.buffers;
    problem.plain(memory);
    std::vector<T> want(memory[problem.output].size() / sizeof(T));
    std::memcpy(want.data(), memory[problem.output].data(), memory[problem.output].size());
    return want;
}

/// The result has to be the twin's: exactly, or within `part` of the largest element.
inline void check_exactly(Problem& problem) {
    problem.check = [want = wanted<std::uint32_t>(problem)](auto got) { return differs(got, want); };
}
inline void check_within(Problem& problem, float part) {
    problem.check = [want = wanted<float>(problem), part](auto got) { return is_far(got, want, part); };
}

/// Whether the name is `form`, which has one %d; that number is `size`.
inline bool is_sized(const std::string& name, const char* form, int& size) {
    int end = 0;
    const std::string whole = std::string(form) + "%n";
    return std::sscanf(name.c_str(), whole.c_str(), &size, &end) == 1 && end == static_cast<int>(name.size());
}
/// The same of a power of two, whose exponent the name has.
inline bool is_power(const std::string& name, const char* form, int& size) {
    int exponent = 0;
    if (!is_sized(name, form, exponent) || exponent < 0 || exponent > 30) return false;
    size = 1 << exponent;
    return true;
}

/// Problems of each file by their names; nothing where the file does not know one.
bool make_numeric_problem(const std::string& name, Problem& problem);
bool make_data_problem(const std::string& name, Problem& problem);

}  // namespace warpwright::bench
