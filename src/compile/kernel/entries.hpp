// The kernels of a PTX text, and the search for one by a name as people write it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/result.hpp"

namespace warpwright::compile {

/// Linkage names of the .entry functions, in order of appearance.
std::vector<std::string> list_entries(std::string_view ptx);

/// The one entry called `name`: its linkage name, its base name ("foo", "ns::foo"), or its name with template arguments
/// ("foo<16>"), or the whole signature. None or several: ErrorKind::input, listing what there is.
Result<std::string> find_entry(const std::vector<std::string>& entries, const std::string& name);

}  // namespace warpwright::compile
