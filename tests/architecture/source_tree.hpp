// Reads the source tree as text for the architecture tests: rooms and their arrows from the ww_room lines of
// src/*/CMakeLists.txt (the one list, which the build uses too), includes, and code without comments and literals.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warpwright::architecture {

struct Include {
    std::string path;
    bool quoted = false;  ///< "path", not <path>
    unsigned line = 0;    ///< 1-based
};

/// A room's name to the rooms it names after ROOMS.
using Arrows = std::map<std::string, std::set<std::string>>;

std::string read_text(const std::filesystem::path& file);

/// Source files under `folder` (recursively), sorted; extensions with their dot. An absent folder has none.
std::vector<std::filesystem::path> files_under(const std::filesystem::path& folder,
                                               const std::set<std::string>& extensions);

/// What a ww_room(name ...) or ww_room_arrows(name ...) of a CMakeLists.txt says of its room (cmake/rooms.cmake).
struct Room {
    std::set<std::string> rooms;                ///< after ROOMS
    std::map<std::string, std::string> linked;  ///< after LINKED: the room, and why no include names it
    Arrows folders;                             ///< after FOLDERS: each folder, and what it may include
};
std::map<std::string, Room> parse_rooms(const std::string& cmake);

/// The arrows between rooms: of ROOMS and of LINKED.
Arrows arrows_between(const std::map<std::string, Room>& rooms);

/// The lines below a heading ("## Rooms"), up to the next one that is no deeper; empty where there is no such heading.
std::string section(const std::string& markdown, const std::string& heading);

/// The arrows that a table of rooms in Markdown draws: rows "| `room` | text | a, b |"; "nothing" for none.
Arrows parse_room_table(const std::string& markdown);

/// What that table says each room holds, without markup.
std::map<std::string, std::string> parse_room_notes(const std::string& markdown);

/// All rooms that can be reached from each room. A room that reaches itself is in its own set: a cycle.
Arrows reachable(const Arrows& arrows);

std::vector<Include> parse_includes(const std::string& source);

/// The source with comments and the insides of string and character literals blanked; lines are kept.
std::string code_only(const std::string& source);

struct Literal {
    std::string text;   ///< as the source has it, without quotes
    unsigned line = 0;  ///< 1-based
};

/// The string and character literals of a source; none of a comment.
std::vector<Literal> literals(const std::string& source);

/// Lines (1-based) on which code prints or ends the process, with the name found: "12: std::cout".
std::vector<std::string> printing_lines(const std::string& source);

struct FunctionSize {
    std::string name;   ///< the line it begins on, up to its parameters
    unsigned line = 0;  ///< 1-based
    long lines = 0;     ///< from that line to its closing brace
};

/// The functions defined at namespace scope in a source that .clang-format has formatted: they begin and end in the
/// first column.
std::vector<FunctionSize> function_sizes(const std::string& source);

/// True when the first thing in the file is a comment.
bool starts_with_comment(const std::string& source);

/// Rates that say "a" for "per" ("registers a thread"), a line each: "12: registers a thread". Only what cannot be
/// anything else: two units of measure, and then the end of the phrase, not a verb ("the bytes a thread reads").
std::vector<std::string> rates_without_per(const std::string& text);

/// Links of a Markdown page whose file, or whose heading, does not exist: "12: run.md#the-report".
std::vector<std::string> broken_links(const std::filesystem::path& page);

/// What is wrong with one file's includes, a line each; empty when all is well. `room` is the file's own.
std::vector<std::string> wrong_includes(const std::string& room, const std::string& source, const Arrows& reach);

/// The folder of a room in which a file lies, its path given from the room: the first part of the path, or "." for a
/// file that lies directly in the room.
std::string folder_of(const std::string& path_in_room);

/// What is wrong with the includes of one file of `room`, which lies in `folder`, between the room's folders.
std::vector<std::string> wrong_folder_includes(const std::string& room, const std::string& folder,
                                               const std::string& source, const Arrows& folders);

/// The arrows that no include uses. `used`: by room or folder, what its files include.
std::vector<std::string> stale_arrows(const Arrows& arrows, const Arrows& used);

}  // namespace warpwright::architecture
