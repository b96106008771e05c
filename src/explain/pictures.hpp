// Pictures of one request: banks by passes, and lines of global memory with the bytes used and the bytes moved.
#pragma once

#include <string>

#include "explain/access.hpp"
#include "record/page.hpp"
#include "text/message.hpp"

namespace warpwright::explain {

/// "0-3, 8": the lanes of a mask.
std::string lanes_text(std::uint64_t mask);

/// Columns are banks, a row is a pass; a cell names the lanes that the bank serves in it.
record::CellMap bank_picture(const Request& request, const Setting& setting, std::string id, Text title);

/// Rows are the touched lines of 128 bytes, columns their 4-byte words; a cell names the lanes that use it. At most
/// `rows` of them; the caption says how many more there are.
record::CellMap segment_picture(const Request& request, const Setting& setting, std::string id, Text title,
                                std::size_t rows = 16);

}  // namespace warpwright::explain
