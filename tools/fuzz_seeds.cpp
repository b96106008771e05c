// Writes the kernels from which the kernel target starts besides its corpus: each form of the instruction oracle as a
// module of its own. Run: ww_fuzz_seeds FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "oracle/forms.hpp"

int main(int count, char** words) {
    if (count != 2) {
        std::fputs("usage: ww_fuzz_seeds FOLDER\n", stderr);
        return 2;
    }
    const std::filesystem::path folder = words[1];
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    const auto forms = oracle::all_forms();
    for (std::size_t i = 0; i < forms.size(); ++i) {
        std::ofstream file(folder / ("form_" + std::to_string(i) + ".ptx"));
        file << oracle::module_text(forms, i, 1);
        if (!file.flush()) {
            std::fprintf(stderr, "ww_fuzz_seeds: cannot write to %s\n", words[1]);
            return 3;
        }
    }
    std::printf("%zu kernels in %s\n", forms.size(), words[1]);
}
