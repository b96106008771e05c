// Files of a test: a folder of its own (tests run side by side, each a process), and what stands in one.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "support/temporary_folder.hpp"

namespace warpwright::test {

/// A folder that goes with the test.
class Folder {
public:
    explicit Folder(const std::string& purpose = "test") : folder_(purpose) {}
    std::filesystem::path path() const { return folder_.path(); }
    std::filesystem::path operator/(const std::string& name) const { return path() / name; }
    std::string string() const { return folder_.path(); }
    /// A file in it, with the folders above it.
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        const auto file = path() / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
        return file;
    }

private:
    TemporaryFolder folder_;
};

/// All that stands in a file; empty where there is none.
inline std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

/// All that was written to a file that is open, which is closed then.
inline std::string drain(std::FILE* file) {
    std::rewind(file);
    std::string text;
    char buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
    std::fclose(file);
    return text;
}

}  // namespace warpwright::test
