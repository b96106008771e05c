// Name expressions: a program gives NVRTC "my::kernel<float, 3>" and asks afterwards for the symbol in the PTX. Behind
// the source stands a kernel for each, which takes the address of what the expression names.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace warpwright::compilers {

/// The lines that are put behind the source.
std::string marked(const std::vector<std::string>& expressions);

/// The symbols, by expression, from PTX that was made of a marked source; the markers are taken out of it.
std::map<std::string, std::string> lowered_names(std::string& ptx, const std::vector<std::string>& expressions);

}  // namespace warpwright::compilers
