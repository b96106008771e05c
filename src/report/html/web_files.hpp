// The HTML report's style sheet and script, and the chart library of the distribution: files that the build puts into
// the program (CMakeLists.txt of this room), so that it needs none of them when it runs.
#pragma once

#include <string_view>

namespace warpwright::report {

std::string_view web_css();
std::string_view web_script();
std::string_view web_warps_css();
std::string_view web_warps_script();
std::string_view web_profile_css();
std::string_view web_profile_script();
std::string_view web_chart();
std::string_view web_chart_licence();

}  // namespace warpwright::report
