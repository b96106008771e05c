// The rooms of src/ as they stand: arrows, foreign headers, printing, sizes, comments (docs/design.md has the map).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "rooms_picture.hpp"
#include "source_tree.hpp"

namespace warpwright::architecture {
namespace rooms_test {

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

std::map<std::string, Room> declared_rooms() {
    std::map<std::string, Room> rooms;
    for (const auto& room : room_folders())
        rooms.merge(parse_rooms(read_text(kRoot / "src" / room / "CMakeLists.txt")));
    return rooms;
}

Arrows declared_arrows() { return arrows_between(declared_rooms()); }

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

TEST(Rooms, EveryArrowIsUsed) {
    Arrows used, included;
    const auto rooms = declared_rooms();
    for (const auto& [name, room] : rooms) {
        included[name] = room.rooms;
        for (const auto& file : files_under(kRoot / "src" / name, kCxx))
            for (const auto& include : parse_includes(read_text(file)))
                used[name].insert(include.path.substr(0, include.path.find('/')));
        for (const auto& [target, reason] : room.linked) {
            EXPECT_GT(std::count(reason.begin(), reason.end(), ' '), 2) << name << " says not why it needs " << target;
            EXPECT_FALSE(used[name].contains(target)) << name << " includes " << target << ": it belongs to ROOMS";
        }
    }
    for (const auto& arrow : stale_arrows(included, used)) ADD_FAILURE() << arrow << ": no include uses this arrow";
}

// FOLDERS of ww_room names a room's folders and what each may include; `.` stands for files directly in the room.
TEST(Folders, AreNamedByTheirRoom) {
    for (const auto& [name, room] : declared_rooms()) {
        std::set<std::string> folders;
        for (const auto& file : files_under(kRoot / "src" / name, kCxx))
            folders.insert(folder_of(fs::relative(file, kRoot / "src" / name).generic_string()));
        if (folders == std::set<std::string>{"."}) folders.clear();  // a room without folders
        for (const auto& folder : folders)
            EXPECT_TRUE(room.folders.contains(folder)) << "src/" << name << " has the folder " << folder
                                                       << ", which FOLDERS of its CMakeLists.txt does not name";
        for (const auto& [folder, targets] : room.folders) {
            EXPECT_TRUE(folders.contains(folder)) << "src/" << name << " has no folder " << folder;
            for (const auto& target : targets)
                EXPECT_TRUE(room.folders.contains(target)) << name << ": " << folder << " names " << target;
        }
    }
}

TEST(Folders, NoArrowRunsInACircle) {
    for (const auto& [name, room] : declared_rooms())
        for (const auto& [folder, reach] : reachable(room.folders))
            EXPECT_FALSE(reach.contains(folder)) << "src/" << name << ": " << folder << " reaches itself";
}

TEST(Folders, IncludesFollowTheArrowsAndUseThem) {
    for (const auto& [name, room] : declared_rooms()) {
        Arrows used;
        for (const auto& file : files_under(kRoot / "src" / name, kCxx)) {
            const std::string source = read_text(file);
            const std::string folder = folder_of(fs::relative(file, kRoot / "src" / name).generic_string());
            for (const auto& include : parse_includes(source)) {
                if (include.path.starts_with(name + "/"))
                    used[folder].insert(folder_of(include.path.substr(name.size() + 1)));
                // A path that begins elsewhere than at src/ would hide the folder that it leads to.
                const bool beside = include.quoted && include.path.find('/') != std::string::npos &&
                                    fs::exists(file.parent_path() / include.path);
                EXPECT_FALSE(beside) << from_root(file) << ":" << include.line << ": " << include.path
                                     << " (a path begins with the room)";
            }
            if (room.folders.empty()) continue;
            for (const auto& wrong : wrong_folder_includes(name, folder, source, room.folders))
                ADD_FAILURE() << from_root(file) << ":" << wrong;
        }
        for (const auto& arrow : stale_arrows(room.folders, used))
            ADD_FAILURE() << "src/" << name << ": " << arrow << ": no include uses this arrow";
    }
}

// The table of docs/design.md, "| `room` | what it holds | knows |", says what the build says.
TEST(Rooms, TheDesignPageDrawsTheSameArrows) {
    const Arrows arrows = declared_arrows();
    const Arrows drawn = parse_room_table(section(read_text(kRoot / "docs/design.md"), "## Rooms"));
    for (const auto& [room, targets] : arrows) {
        ASSERT_TRUE(drawn.contains(room)) << room << " is not in the table of docs/design.md";
        EXPECT_EQ(drawn.at(room), targets) << room;
    }
    for (const auto& [room, targets] : drawn) EXPECT_TRUE(arrows.contains(room)) << room << " is drawn but is no room";
}

TEST(Folders, OnlyTheCodeGeneratorOfTheEngineIncludesLlvm) {
    for (const auto& file : files_under(kRoot / "src/engine", kCxx)) {
        if (folder_of(fs::relative(file, kRoot / "src/engine").generic_string()) == "codegen") continue;
        for (const auto& include : parse_includes(read_text(file)))
            EXPECT_FALSE(include.path.starts_with("llvm")) << from_root(file) << ":" << include.line;
    }
}

// So do the tables of its section on folders, one below the name of each room that has one.
TEST(Folders, TheDesignPageDrawsTheSameArrows) {
    const std::string page = section(read_text(kRoot / "docs/design.md"), "## Folders");
    std::size_t drawn = 0;
    for (const auto& [name, room] : declared_rooms()) {
        const Arrows table = parse_room_table(section(page, "### " + name));
        if (table.empty()) continue;
        ++drawn;
        EXPECT_EQ(table, room.folders) << name;
    }
    EXPECT_GE(drawn, 1u);
}

// docs/rooms.svg is drawn from the same arrows; WARPWRIGHT_UPDATE_GOLDEN=1 draws it again.
TEST(Rooms, ThePictureShowsTheSameArrows) {
    const std::string picture =
        draw_rooms(declared_arrows(), parse_room_notes(section(read_text(kRoot / "docs/design.md"), "## Rooms")));
    const fs::path file = kRoot / "docs/rooms.svg";
    if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) std::ofstream(file, std::ios::binary) << picture;
    EXPECT_TRUE(picture == read_text(file))
        << "docs/rooms.svg shows other arrows: WARPWRIGHT_UPDATE_GOLDEN=1 draws it again";
}

// The rooms that may print or end the process: the command line, other programs, and the libraries that live in a
// user's program, where nobody else can.
const std::set<std::string> kPrinting{"cli", "compilers", "cudart", "cupti", "takeover"};

// Files of other rooms that end a process, each with its reason. Keep this list short.
const std::map<std::string, std::string> kEnding{
    {"src/support/child_process.cpp", "a child that could not become the other program has no caller"},
    {"src/support/watched_child.cpp", "the watcher is a copy of a process whose callers it has no business with"},
    {"src/nvml/smi/main.cpp", "the program nvidia-smi, whose output is what it is for"},
    {"src/support/early_end.cpp", "it does what the signal would have done that it was called for"},
};

TEST(Rooms, OnlyTheCommandLineAndTheInjectedLibrariesPrintOrExit) {
    for (const auto& room : room_folders()) {
        if (kPrinting.contains(room)) continue;
        for (const auto& file : files_under(kRoot / "src" / room, kCxx))
            if (const auto lines = printing_lines(read_text(file)); kEnding.contains(from_root(file)))
                EXPECT_FALSE(lines.empty()) << from_root(file) << " ends nothing any more: take it off the list";
            else
                for (const auto& line : lines) ADD_FAILURE() << from_root(file) << ":" << line;
    }
}

// Whoever starts a process must limit it and end it; one file does all of that. What is left puts another program in
// this one's place, or stands before the C library's functions in a program that starts compilers.
const std::set<std::string> kStarting{"src/support/child_process.cpp",   "src/support/watched_child.cpp",
                                      "src/cli/restart_after_fault.cpp", "src/compilers/nvcc/main.cpp",
                                      "src/takeover/compilers.cpp",      "src/host/processes.cpp"};

TEST(Rooms, ProcessesStartInOnePlace) {
    const std::regex start(R"((^|[^\w.>])(::)?(fork|vfork|posix_spawnp?|popen|system|execv\w*|execl\w*)\s*\()");
    for (const auto& file : files_under(kRoot / "src", kCxx)) {
        const std::string code = code_only(read_text(file));
        EXPECT_EQ(std::regex_search(code, start), kStarting.contains(from_root(file)))
            << from_root(file) << ": processes are started by support/child_process";
    }
}

// The public headers and the headers of rooms that are installed beside them. The matchers are for GoogleTest, and say
// so.
TEST(PublicApi, NeedsNothingButTheStandardLibrary) {
    const std::set<std::string> installed{"support/result.hpp",   "record/counts.hpp",     "record/metrics.inc",
                                          "record/finding.hpp",   "record/findings.inc",   "record/predicted.hpp",
                                          "record/predicted.inc", "record/record.hpp",     "record/extent.hpp",
                                          "record/touched.hpp",   "record/bottleneck.hpp", "record/causes.inc"};
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

// One naming, so that a test is found beside the file that it tests: src/shadow/clock.cpp, tests/shadow/clock_test.cpp.
TEST(Files, OfTestsAreNamedAlike) {
    for (const auto& file : files_under(kRoot / "tests", {".cpp"})) {
        const std::string stem = file.stem().string();
        EXPECT_FALSE(stem.starts_with("test_")) << from_root(file) << ": name it " << stem.substr(5) << "_test.cpp";
        const std::string code = "\n" + code_only(read_text(file));
        for (const char* macro : {"\nTEST(", "\nTEST_F(", "\nTEST_P("})
            EXPECT_TRUE(code.find(macro) == std::string::npos || stem.ends_with("_test"))
                << from_root(file) << ": name it " << stem << "_test.cpp";
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
    // A header says what is offered; the first comment of a source file says how it is done, or why it is separate.
    const auto sources = files_under(kRoot / "src", {".cpp"});
    EXPECT_FALSE(sources.empty());
    for (const auto& file : sources)
        EXPECT_TRUE(starts_with_comment(read_text(file))) << from_root(file) << ": say what this file does, and why";
}

}  // namespace rooms_test
}  // namespace warpwright::architecture
