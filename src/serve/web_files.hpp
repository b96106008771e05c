// The files of the page, which the build puts into the program: ours, and those of the distribution's CodeMirror.
#pragma once

#include <span>
#include <string_view>

namespace warpwright::serve {

struct WebFile {
    std::string_view path, type, text;
};
std::span<const WebFile> web_files();

}  // namespace warpwright::serve
