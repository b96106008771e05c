// The kernels of a PTX text as a caller sees them: names, parameters, requirements on the launch. Bodies are skipped,
// so this also reads text whose instructions the parser does not know (a newer compiler's, for a real GPU).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.hpp"

namespace warpwright::ptx {

struct EntryParameter {
    std::string name;
    std::string type;          ///< "u64", "f32", "b8" (structs and arrays)
    std::uint32_t offset = 0;  ///< bytes from the start of the parameter block
    std::uint32_t size = 0;    ///< bytes
    std::uint32_t align = 0;   ///< bytes
};

struct EntrySignature {
    std::string name;
    std::vector<EntryParameter> parameters;
    std::uint32_t required_block[3] = {0, 0, 0};    ///< .reqntid; 0 = free
    std::uint32_t max_threads = 0;                  ///< .maxntid product; 0 = free
    std::uint32_t required_cluster[3] = {0, 0, 0};  ///< .reqnctapercluster; 0 = free
    std::uint32_t max_cluster = 0;                  ///< .maxclusterrank; 0 = free
    bool explicit_cluster = false;                  ///< .explicitcluster
    bool has_line_information = false;
    bool prints = false;  ///< calls vprintf
};

/// The .entry functions with a body, in order of appearance. `name` is the text's name in messages.
Result<std::vector<EntrySignature>> read_signatures(std::string_view text, const std::string& name);

}  // namespace warpwright::ptx
