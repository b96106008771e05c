// What a kernel's parameters are in its source, where that is known: PTX has only their sizes, and every pointer is a
// number of 64 bits there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwright::launch {

/// One parameter as the source declares it.
struct Declared {
    std::string type;  ///< "const float*"; empty: unknown
    std::string name;  ///< empty: unknown
    /// Bytes that an element of an array for this pointer may have: 4 of float*, 4 or 16 of float4*. Empty: any, since
    /// it is no pointer, an unknown one, or one to bytes.
    std::vector<unsigned> element_bytes = {};
};

/// The parameters of a kernel: their types from its linkage name, which has them in C++; their names, and in C the
/// types, from the text of its source, where there is one that declares them once. As many as `count` in any case.
std::vector<Declared> declared_parameters(const std::string& linkage_name, std::size_t count,
                                          std::string_view source = {});

/// Whether an array whose elements have so many bytes may be given. One of single bytes always may: it is raw memory.
bool takes_elements(const Declared& parameter, unsigned bytes);

/// "'x' is const float*, whose elements have 4 bytes", of a parameter with known elements.
std::string elements_wanted(const Declared& parameter);
/// The element type of an array that fits it, as values/element.hpp calls it: "f32".
std::string element_to_pass(const Declared& parameter);

}  // namespace warpwright::launch
