// The files of the page, which the build puts into the program (CMakeLists.txt of this room): ours, and those of the
// distribution's CodeMirror.
#pragma once

#include <string_view>

namespace warpwright::serve {

std::string_view page_html();
std::string_view page_css();
std::string_view page_script();
std::string_view codemirror_css();
std::string_view codemirror_script();
std::string_view codemirror_clike();

}  // namespace warpwright::serve
