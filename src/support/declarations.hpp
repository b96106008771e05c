// What a C++ source text declares, found by looking at its words: the names of a kernel's parameters, the extents of an
// array. Names make messages readable; nothing else may rest on them, because no compiler has looked at the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright {

/// The names of the `count` parameters of a kernel, in order; an unnamed one has an empty name. Empty if the text
/// declares no such kernel, or one with another number of parameters.
std::vector<std::string> parameter_names(const std::vector<std::string>& lines, std::string_view kernel,
                                         std::size_t count);

struct ArrayDeclaration {
    std::string text;                         ///< "float s[8][33]"
    std::string type;                         ///< "float"
    std::size_t dimensions = 0;               ///< pairs of brackets
    std::vector<std::uint64_t> extents = {};  ///< one per dimension, or none where one of them is not a known number
    unsigned line = 0;
};

/// The declaration of a variable in shared, global or constant memory of the GPU: the last one up to line `before`, or
/// the first one behind it.
std::optional<ArrayDeclaration> array_declaration(const std::vector<std::string>& lines, std::string_view name,
                                                  unsigned before);

/// Whether the body of a kernel has a word by which a thread may leave it for good (return, exit, goto, asm, a trap)
/// before `line`, or at all where the line is not in the body. Nothing if the text has no such kernel.
std::optional<bool> returns_before(const std::vector<std::string>& lines, std::string_view kernel, unsigned line);

/// Bytes of a fundamental or vector type of CUDA C++ as people or the demangler write it ("unsigned int", "float4",
/// "const double"); 0: not known.
unsigned type_bytes(std::string_view type);

/// The type to which a function's parameter points, by its demangled signature: "double2" for parameter 1 of
/// "void g<float>(float*, double2*, int)". Empty: no pointer, or no signature.
std::string pointed_type(std::string_view signature, std::size_t parameter);

/// The variable that an allocating call in this line sets: "b" of `cudaMalloc((void**)&b, n)`. `column`: where the call
/// begins, counted from 1; 0: not known, and a line with two such calls names nothing.
std::string allocated_variable(std::string_view line, unsigned column);

}  // namespace warpwright
