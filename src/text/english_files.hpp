// The English texts, data/text/en, as they were when the program was built: where no folder of texts is at hand they
// are what it says.
#pragma once

#include <span>
#include <string_view>

namespace warpwright {

struct EnglishFile {
    std::string_view path;  ///< in the folder: "experiments/banks.toml"
    std::string_view toml;
};

std::span<const EnglishFile> english_files();

}  // namespace warpwright
