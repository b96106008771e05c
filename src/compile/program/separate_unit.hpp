// What the two sides of one file of a program need to know of each other where files share device code (-rdc=true,
// -dc): both give the file's own kernels and device variables, the static ones, names with one mark, and the host's
// side registers the file by a function that has one name in all files.
#pragma once

#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::compile {

/// The words by which the compiler marks the names of a file's own kernels and device variables. The mark depends on
/// the file's place and on `about`, the words that it is compiled with: a file may be in a program twice.
std::vector<std::string> device_unit_words(const std::string& source, const std::vector<std::string>& about);
/// The same for the host's side, which then shares its variables with other files too.
std::vector<std::string> host_unit_words(const std::string& source, const std::vector<std::string>& about);

/// Clang calls a function for the file's registration whose name has a number of the file's, for which NVIDIA's linker
/// makes the function. In an object that is named so here, all call __cudaRegisterLinkedBinary, of our runtime library.
/// ErrorKind::input where it cannot be read or written.
Result<void> register_by_one_name(const std::string& object);

}  // namespace warpwright::compile
