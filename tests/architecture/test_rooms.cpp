// The rooms of src/ as they stand: arrows, foreign headers, printing, sizes, comments (docs/design.md has the map).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

#include "rooms_picture.hpp"
#include "source_tree.hpp"

namespace warpwright::architecture {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = WARPWRIGHT_SOURCE_DIR;
const std::set<std::string> kCxx{".cpp", ".hpp", ".h", ".inc"};

std::string from_root(const fs::path& file) { return fs::relative(file, kRoot).generic_string(); }

std::vector<std::string> room_folders() {
    std::vector<std::string> rooms;
    for (const auto& entry : fs::directory_iterator(kRoot / "src"))
        if (entry.is_directory()) rooms.push_back(entry.path().filename().string());
    std::sort(rooms.begin(), rooms.end());
    return rooms;
}

Arrows declared_arrows() {
    Arrows arrows;
    for (const auto& room : room_folders())
        arrows.merge(parse_rooms(read_text(kRoot / "src" / room / "CMakeLists.txt")));
    return arrows;
}

TEST(Rooms, EveryFolderIsARoomThatTheBuildKnows) {
    const Arrows arrows = declared_arrows();
    const std::string build = read_text(kRoot / "CMakeLists.txt");
    const auto from = build.find("foreach(room ");
    ASSERT_NE(from, std::string::npos);
    std::string order = build.substr(from, build.find(')', from) - from) + " ";
    std::replace(order.begin(), order.end(), '\n', ' ');
    for (const auto& room : room_folders()) {
        EXPECT_TRUE(arrows.contains(room)) << "src/" << room << "/CMakeLists.txt has no ww_room(" << room << " ...)";
        EXPECT_NE(order.find(" " + room + " "), std::string::npos) << room << " is not in the list of CMakeLists.txt";
    }
    EXPECT_GE(arrows.size(), 10u);
}

TEST(Rooms, NoArrowRunsInACircle) {
    const Arrows arrows = declared_arrows();
    for (const auto& [room, reach] : reachable(arrows)) {
        EXPECT_FALSE(reach.contains(room)) << room << " reaches itself";
        for (const auto& target : arrows.at(room)) EXPECT_TRUE(arrows.contains(target)) << room << " names " << target;
    }
}

TEST(Rooms, IncludesFollowTheArrows) {
    const Arrows reach = reachable(declared_arrows());
    for (const auto& room : room_folders()) {
        for (const auto& file : files_under(kRoot / "src" / room, kCxx))
            for (const auto& wrong : wrong_includes(room, read_text(file), reach))
                ADD_FAILURE() << from_root(file) << ":" << wrong;
    }
}

// The table of docs/design.md, "| `room` | what it holds | knows |", says what the build says.
TEST(Rooms, TheDesignPageDrawsTheSameArrows) {
    const Arrows arrows = declared_arrows();
    const Arrows drawn = parse_room_table(read_text(kRoot / "docs/design.md"));
    for (const auto& [room, targets] : arrows) {
        ASSERT_TRUE(drawn.contains(room)) << room << " is not in the table of docs/design.md";
        EXPECT_EQ(drawn.at(room), targets) << room;
    }
    for (const auto& [room, targets] : drawn) EXPECT_TRUE(arrows.contains(room)) << room << " is drawn but is no room";
}

// docs/rooms.svg is drawn from the same arrows; WARPWRIGHT_UPDATE_GOLDEN=1 draws it again.
TEST(Rooms, ThePictureShowsTheSameArrows) {
    const std::string picture = draw_rooms(declared_arrows(), parse_room_notes(read_text(kRoot / "docs/design.md")));
    const fs::path file = kRoot / "docs/rooms.svg";
    if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) std::ofstream(file, std::ios::binary) << picture;
    EXPECT_TRUE(picture == read_text(file))
        << "docs/rooms.svg shows other arrows: WARPWRIGHT_UPDATE_GOLDEN=1 draws it again";
}

// The rooms that may print or end the process: the command line, other programs, and the libraries that live in a
// user's program, where nobody else can.
const std::set<std::string> kPrinting{"cli", "compilers", "cudart", "cupti", "takeover"};

TEST(Rooms, OnlyTheCommandLineAndTheInjectedLibrariesPrintOrExit) {
    for (const auto& room : room_folders()) {
        if (kPrinting.contains(room)) continue;
        for (const auto& file : files_under(kRoot / "src" / room, kCxx))
            for (const auto& line : printing_lines(read_text(file))) ADD_FAILURE() << from_root(file) << ":" << line;
    }
}

// The public headers and the headers of rooms that are installed beside them. The matchers are for GoogleTest, and say
// so.
TEST(PublicApi, NeedsNothingButTheStandardLibrary) {
    const std::set<std::string> installed{"support/result.hpp", "record/counts.hpp",    "record/metrics.inc",
                                          "record/finding.hpp", "record/predicted.hpp", "record/predicted.inc",
                                          "record/record.hpp",  "record/touched.hpp",   "record/extent.hpp"};
    const std::string package = read_text(kRoot / "cmake/package.cmake");
    for (const auto& header : installed)
        EXPECT_NE(package.find("src/" + header), std::string::npos) << header << " is not installed";
    auto files = files_under(kRoot / "include", kCxx);
    EXPECT_FALSE(files.empty());
    for (const auto& header : installed) files.push_back(kRoot / "src" / header);
    for (const auto& file : files) {
        for (const auto& include : parse_includes(read_text(file))) {
            const bool own = include.path.starts_with("warpwright/") || installed.contains(include.path);
            const bool standard = !include.quoted && include.path.find_first_of("/.") == std::string::npos;
            // GoogleMock is what this one is for.
            const bool matchers =
                from_root(file) == "include/warpwright/matchers.hpp" && include.path == "gmock/gmock.h";
            // The C interface includes C's own.
            const bool of_c = file.extension() == ".h" && (include.path == "stddef.h" || include.path == "stdint.h");
            EXPECT_TRUE(own || standard || matchers || of_c)
                << from_root(file) << ":" << include.line << ": " << include.path;
        }
    }
}

// Files that may be longer than kMaxLines, each with its reason. Keep this list short.
const std::map<std::string, std::string> kLongFiles{};

constexpr long kMaxLines = 600;

TEST(Files, AreShortEnoughToRead) {
    const std::set<std::string> sources{".cpp", ".hpp", ".h", ".inc", ".cu", ".cuh", ".cl", ".toml", ".cmake", ".txt"};
    for (const char* folder : {"src", "tests", "include", "bench", "toolchain", "kernels", "cmake"}) {
        for (const auto& file : files_under(kRoot / folder, sources)) {
            const std::string name = from_root(file);
            // Golden data is measured or printed, not written.
            if (name.find("/golden/") != std::string::npos || name.find("/data/") != std::string::npos) continue;
            const std::string text = read_text(file);
            const long lines = std::count(text.begin(), text.end(), '\n');
            if (kLongFiles.contains(name))
                EXPECT_GT(lines, kMaxLines) << name << " is short again: take it off the list";
            else
                EXPECT_LE(lines, kMaxLines) << name;
        }
    }
}

// Functions that may be longer than a screen and a half, by file and name, each with its reason. Keep this list short.
const std::map<std::string, std::string> kLongFunctions{};

constexpr long kMostFunctionLines = 100;

TEST(Functions, FitAScreenAndAHalf) {
    for (const auto& file : files_under(kRoot / "src", {".cpp", ".hpp"})) {
        for (const auto& function : function_sizes(read_text(file))) {
            const std::string name = from_root(file) + ": " + function.name;
            if (kLongFunctions.contains(name))
                EXPECT_GT(function.lines, kMostFunctionLines) << name << " is short again: take it off the list";
            else
                EXPECT_LE(function.lines, kMostFunctionLines)
                    << from_root(file) << ":" << function.line << ": " << function.name;
        }
    }
}

TEST(Files, HeadersSayWhatTheyAreFor) {
    for (const char* folder : {"src", "tests", "include", "bench", "toolchain"})
        for (const auto& file : files_under(kRoot / folder, {".hpp", ".h", ".inc"}))
            EXPECT_TRUE(starts_with_comment(read_text(file))) << from_root(file);
}

}  // namespace
}  // namespace warpwright::architecture
