// A script in the place of NVIDIA's ptxas, which says what a test wants it to say.
#pragma once

#include <filesystem>
#include <string>

#include "common/files.hpp"

namespace warpwright::test {

/// What NVIDIA's says to --version.
inline constexpr const char* kPtxasVersion =
    "ptxas: NVIDIA (R) Ptx optimizing assembler\\nCuda compilation tools, release 99.1, V99.1.7\\n";

/// What it says of a kernel.
inline std::string ptxas_says(const std::string& kernel, unsigned registers, unsigned frame = 0, unsigned stores = 0,
                              unsigned loads = 0) {
    return "ptxas info    : Compiling entry function '" + kernel + "' for 'sm_90'\n" +
           "ptxas info    : Function properties for " + kernel + "\n    " + std::to_string(frame) +
           " bytes stack frame, " + std::to_string(stores) + " bytes spill stores, " + std::to_string(loads) +
           " bytes spill loads\nptxas info    : Used " + std::to_string(registers) + " registers, used 0 barriers\n";
}

/// A script in `folder`: it answers --version as NVIDIA's does; else it writes its arguments as a line of the file
/// "calls" there, prints the text of the file "said" as its errors, and then does `then`.
inline std::string fake_ptxas(const Folder& folder, const std::string& said, const std::string& then = "exit 0",
                              const std::string& version = kPtxasVersion) {
    folder.write("said", said);
    const auto file = folder.write("ptxas", "#!/bin/sh\nif [ \"$1\" = --version ]; then printf '" + version +
                                                "'; exit 0; fi\necho \"$@\" >> '" + (folder / "calls").string() +
                                                "'\ncat '" + (folder / "said").string() + "' >&2\n" + then + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
}

}  // namespace warpwright::test
