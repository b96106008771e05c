// The rules of CONTRIBUTING.md for words, as far as a rule can be exact: rates say "per", and links of the docs lead
// somewhere. (test_rooms.cpp has the test that every header begins with a comment.)
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "source_tree.hpp"

namespace warpwright::architecture {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = WARPWRIGHT_SOURCE_DIR;

std::string from_root(const fs::path& file) { return file.lexically_relative(kRoot).string(); }

TEST(Words, RatesSayPer) {
    const std::set<std::string> texts{".md", ".toml", ".hpp", ".cpp", ".inc", ".cu", ".cuh", ".cl"};
    auto files = files_under(kRoot / "docs", texts);
    for (const char* folder : {"data", "include", "kernels", "src"})
        for (const auto& file : files_under(kRoot / folder, texts)) files.push_back(file);
    for (const char* page : {"README.md", "CONTRIBUTING.md", "SECURITY.md"}) files.push_back(kRoot / page);
    for (const auto& file : files) {
        const std::string name = from_root(file);
        for (const auto& rate : rates_without_per(read_text(file)))
            ADD_FAILURE() << name << ":" << rate << ": a rate says \"per\"";
    }
}

TEST(Words, LinksOfTheDocsLeadSomewhere) {
    auto pages = files_under(kRoot / "docs", {".md"});
    for (const char* page : {"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"})
        pages.push_back(kRoot / page);
    for (const auto& page : pages)
        for (const auto& link : broken_links(page)) ADD_FAILURE() << from_root(page) << ":" << link;
}

}  // namespace
}  // namespace warpwright::architecture
