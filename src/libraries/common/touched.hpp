// What work of the host reads and writes of the device's memory. A kernel's accesses are each checked; a routine of the
// host's is handed addresses, and numbers that the program left in memory, so these are looked at before it is called.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

namespace warpwright::libraries {

/// A part of memory that a routine touches.
struct Touched {
    const char* name;  ///< of the argument
    const void* at;
    std::uint64_t bytes;
    bool written;
};

/// Whether kernels of the calling thread's device may access all of it. Otherwise a line says who asked for what, and
/// the device has failed as by a kernel with that access (cudaErrorIllegalAddress). `who`: "cuSOLVER: getrs".
bool may_touch(const std::string& who, std::span<const Touched> parts);
inline bool may_touch(const std::string& who, std::initializer_list<Touched> parts) {
    return may_touch(who, std::span(parts.begin(), parts.size()));
}
/// Tells a value that a program has left in memory and that leads nowhere; the device has failed then too.
void tell_wrong_value(const std::string& who, const std::string& what);

/// Bytes of so many elements, as many as there can be where that is more.
inline std::uint64_t bytes_of_elements(std::int64_t elements, std::size_t element) {
    if (elements <= 0) return 0;
    const auto n = static_cast<std::uint64_t>(elements);
    return n > std::numeric_limits<std::uint64_t>::max() / element ? std::numeric_limits<std::uint64_t>::max()
                                                                   : n * element;
}
template <class T>
Touched vector_of(const char* name, T* at, std::int64_t elements) {
    return {name, at, bytes_of_elements(elements, sizeof(T)), !std::is_const_v<T>};
}
/// A matrix by columns, `ld` elements apart; sizes of 32 bits.
template <class T>
Touched matrix_of(const char* name, T* at, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
    return vector_of(name, at, rows > 0 && columns > 0 ? (columns - 1) * ld + rows : 0);
}

/// Whether each of `n` pivots is a row of a matrix of `rows`, as LAPACK counts them, from 1. Otherwise as above.
template <class N>
bool pivots_fit(const std::string& who, const N* pivots, std::int64_t n, std::int64_t rows) {
    for (std::int64_t k = 0; k < n; ++k)
        if (pivots[k] < 1 || pivots[k] > rows) {
            tell_wrong_value(who, "pivot " + std::to_string(k) + " is " + std::to_string(pivots[k]) +
                                      ", and the matrix has rows 1 to " + std::to_string(rows));
            return false;
        }
    return true;
}

}  // namespace warpwright::libraries
