// The page of `warpwright explain`: the cost of an access, pictures, and cheaper forms.
#pragma once

#include <optional>

#include "explain/access.hpp"
#include "record/page.hpp"
#include "text/message.hpp"

namespace warpwright::explain {

struct Question {
    std::vector<std::string> expressions;  ///< accesses of one array
    std::vector<std::int64_t> dims;        ///< the array's extents, where it has several
    Setting setting;
    std::string type = "float";
    std::optional<unsigned> warp;  ///< the warp that is drawn; absent: the worst
};

/// Bytes of a type as CUDA has it ("float", "double2", "uchar", "half"); 0: no such type.
unsigned type_bytes(const std::string& type);

/// Errors are the user's: expressions (located), a block that the device does not support, an unknown type.
Result<record::Page> explain(const Question& question);

}  // namespace warpwright::explain
