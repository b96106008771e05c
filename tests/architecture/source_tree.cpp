#include "source_tree.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <regex>
#include <sstream>

namespace warpwright::architecture {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<fs::path> files_under(const fs::path& folder, const std::set<std::string>& extensions) {
    std::vector<fs::path> files;
    if (!fs::exists(folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file() && extensions.contains(entry.path().extension().string()))
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

namespace {

/// The words of a call in a CMakeLists.txt; one in quotes is one word, without them.
std::vector<std::string> words_of(const std::string& arguments) {
    static const std::regex word("\"([^\"]*)\"|[^\\s\"]+");
    std::vector<std::string> words;
    for (auto it = std::sregex_iterator(arguments.begin(), arguments.end(), word); it != std::sregex_iterator(); ++it)
        words.push_back((*it)[1].matched ? (*it)[1].str() : it->str());
    return words;
}

/// "a: b" as "a" and "b"; "a" alone has no rest.
std::pair<std::string, std::string> around_colon(const std::string& word) {
    const auto colon = word.find(':');
    if (colon == std::string::npos) return {word, ""};
    const auto rest = word.find_first_not_of(' ', colon + 1);
    return {word.substr(0, colon), rest == std::string::npos ? "" : word.substr(rest)};
}

}  // namespace

std::map<std::string, Room> parse_rooms(const std::string& cmake) {
    static const std::regex comment("(^|\n)\\s*#[^\n]*"),
        call("\\bww_room(?:_arrows)?\\s*\\(((?:[^()\"]|\"[^\"]*\")*)\\)");
    const std::string code = std::regex_replace(cmake, comment, "$1");
    std::map<std::string, Room> rooms;
    for (auto it = std::sregex_iterator(code.begin(), code.end(), call); it != std::sregex_iterator(); ++it) {
        const auto words = words_of((*it)[1].str());
        if (words.empty()) continue;
        auto& room = rooms[words[0]];
        std::string keyword;
        for (std::size_t k = 1; k < words.size(); ++k) {
            // Keywords are capitals: FOLDERS, ROOMS, LIBRARIES, PRIVATE_LIBRARIES.
            if (words[k].find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string::npos) {
                keyword = words[k];
                continue;
            }
            const auto [name, rest] = around_colon(words[k]);
            if (keyword == "ROOMS") room.rooms.insert(words[k]);
            if (keyword == "LINKED") room.linked[name] = rest;
            if (keyword == "FOLDERS") {
                const auto targets = words_of(rest);
                room.folders[name].insert(targets.begin(), targets.end());
            }
        }
    }
    return rooms;
}

Arrows arrows_between(const std::map<std::string, Room>& rooms) {
    Arrows arrows;
    for (const auto& [name, room] : rooms) {
        arrows[name] = room.rooms;
        for (const auto& [target, reason] : room.linked) arrows[name].insert(target);
    }
    return arrows;
}

std::string section(const std::string& markdown, const std::string& heading) {
    const std::size_t depth = heading.find(' ');
    std::istringstream lines(markdown);
    std::string text;
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t marks = std::min(line.find_first_not_of('#'), line.size());
        if (line == heading)
            inside = true;
        else if (inside && marks > 0 && marks <= depth)
            break;
        else if (inside)
            text += line + "\n";
    }
    return text;
}

Arrows parse_room_table(const std::string& markdown) {
    static const std::regex row(R"(^\| `(\w+)` \|.*\| ([^|]*) \|$)");
    static const std::regex name(R"(\w+)");
    Arrows arrows;
    std::istringstream lines(markdown);
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (!std::regex_match(line, match, row)) continue;
        auto& targets = arrows[match[1].str()];
        const std::string list = match[2].str();
        if (list == "nothing") continue;
        for (auto it = std::sregex_iterator(list.begin(), list.end(), name); it != std::sregex_iterator(); ++it)
            targets.insert(it->str());
    }
    return arrows;
}

std::map<std::string, std::string> parse_room_notes(const std::string& markdown) {
    static const std::regex row(R"(^\| `(\w+)` \| (.*) \| [^|]* \|$)"), link(R"(\[([^\]]*)\]\([^)]*\))");
    std::map<std::string, std::string> notes;
    std::istringstream lines(markdown);
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (!std::regex_match(line, match, row)) continue;
        std::string note = std::regex_replace(match[2].str(), link, "$1");
        std::erase_if(note, [](char c) { return c == '`' || c == '*'; });
        notes[match[1].str()] = note;
    }
    return notes;
}

Arrows reachable(const Arrows& arrows) {
    Arrows reach;
    for (const auto& [room, direct] : arrows) {
        std::vector<std::string> open(direct.begin(), direct.end());
        auto& seen = reach[room];
        while (!open.empty()) {
            std::string next = open.back();
            open.pop_back();
            if (!seen.insert(next).second) continue;
            if (auto found = arrows.find(next); found != arrows.end())
                open.insert(open.end(), found->second.begin(), found->second.end());
        }
    }
    return reach;
}

std::vector<Include> parse_includes(const std::string& source) {
    static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
    std::vector<Include> includes;
    std::istringstream lines(source);
    std::string line;
    for (unsigned number = 1; std::getline(lines, line); ++number) {
        std::smatch match;
        if (std::regex_search(line, match, pattern))
            includes.push_back({match[2].str(), match[1].str() == "\"", number});
    }
    return includes;
}

namespace {

/// Calls `comment(from, to)` for each comment and `literal(from, to)` for the inside of each literal; of a raw string
/// with its marks.
template <class Comment, class Literal>
void walk(const std::string& source, Comment comment, Literal literal) {
    std::size_t i = 0;
    while (i < source.size()) {
        const char c = source[i];
        if (source.compare(i, 2, "//") == 0) {
            const std::size_t end = std::min(source.find('\n', i), source.size());
            comment(i, end);
            i = end;
        } else if (source.compare(i, 2, "/*") == 0) {
            std::size_t end = source.find("*/", i + 2);
            end = end == std::string::npos ? source.size() : end + 2;
            comment(i, end);
            i = end;
        } else if (source.compare(i, 2, "R\"") == 0 &&
                   (i == 0 || !std::isalnum(static_cast<unsigned char>(source[i - 1])))) {
            const std::size_t open = source.find('(', i);
            if (open == std::string::npos) break;
            std::string close(1, ')');
            close.append(source, i + 2, open - i - 2).push_back('"');
            std::size_t end = source.find(close, open);
            end = end == std::string::npos ? source.size() : end + close.size();
            literal(i, end);
            i = end;
        } else if (c == '"' || (c == '\'' && (i == 0 || !std::isalnum(static_cast<unsigned char>(source[i - 1]))))) {
            // A ' after a digit or letter separates digits (1'000).
            std::size_t end = i + 1;
            while (end < source.size() && source[end] != c && source[end] != '\n') end += source[end] == '\\' ? 2 : 1;
            literal(i + 1, end);
            i = end + 1;
        } else {
            ++i;
        }
    }
}

}  // namespace

std::string code_only(const std::string& source) {
    std::string out = source;
    const auto blank = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < std::min(to, out.size()); ++i)
            if (out[i] != '\n') out[i] = ' ';
    };
    walk(source, blank, blank);
    return out;
}

std::vector<Literal> literals(const std::string& source) {
    std::vector<Literal> out;
    unsigned line = 1;
    std::size_t counted = 0;
    const auto keep = [&](std::size_t from, std::size_t to) {
        line += static_cast<unsigned>(std::count(source.begin() + static_cast<std::ptrdiff_t>(counted),
                                                 source.begin() + static_cast<std::ptrdiff_t>(from), '\n'));
        counted = from;
        out.push_back({source.substr(from, to - from), line});
    };
    walk(source, [](std::size_t, std::size_t) {}, keep);
    return out;
}

std::vector<std::string> printing_lines(const std::string& source) {
    // Calls that print or end the process; members of the same name (x.exit(), pass->puts()) are not meant.
    static const std::regex pattern(
        R"((^|[^\w.>:])((std::|::)?(printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|putc|fputc|perror|exit|_exit|quick_exit|abort|terminate)\s*\(|std::(cout|cerr|clog)\b|fmt::print\w*\s*\())");
    std::vector<std::string> found;
    std::istringstream lines(code_only(source));
    std::string line;
    for (unsigned number = 1; std::getline(lines, line); ++number) {
        std::smatch match;
        if (std::regex_search(line, match, pattern)) found.push_back(std::to_string(number) + ": " + match[2].str());
    }
    return found;
}

std::vector<FunctionSize> function_sizes(const std::string& source) {
    static const std::regex opening(R"(^[A-Za-z_][^=(]*\()"),
        other(R"(^(namespace|struct|class|enum|union|extern "C" \{|#)\b)");
    std::vector<FunctionSize> sizes;
    std::istringstream lines(code_only(source));
    std::string line, begin;
    unsigned number = 0, begin_line = 0;
    while (std::getline(lines, line)) {
        ++number;
        if (begin.empty() && !line.starts_with(' ') && std::regex_search(line, opening) &&
            !std::regex_search(line, other)) {
            begin = line.substr(0, line.find('('));
            begin_line = number;
            if (line.ends_with("}") || line.ends_with(";")) begin.clear();  // it ends on its first line
        } else if (!begin.empty() && (line.starts_with("}") || (line.ends_with(";") && !line.starts_with(" ")))) {
            sizes.push_back({begin, begin_line, static_cast<long>(number - begin_line + 1)});
            begin.clear();
        }
    }
    return sizes;
}

bool starts_with_comment(const std::string& source) {
    const std::size_t first = source.find_first_not_of(" \t\r\n");
    return first != std::string::npos && (source.compare(first, 2, "//") == 0 || source.compare(first, 2, "/*") == 0);
}

std::vector<std::string> rates_without_per(const std::string& text) {
    static const std::regex rate(
        "\\b(registers|threads|sectors|wavefronts|blocks|warps|requests|results|FLOP|bytes|sums|elements|words|memory|"
        "lanes|"
        "barriers|rows|neighbours|values|products) "
        "(a|an) (thread|block|warp|lane|cycle|clock|multiprocessor|request|instruction|second|element|pixel)"
        "(?=$|[.,;:)\"{\\\\]| and | \\()");
    std::vector<std::string> found;
    std::istringstream lines(text);
    std::string line;
    for (unsigned number = 1; std::getline(lines, line); ++number) {
        // The expression is slow, and few lines have the article.
        if (line.find(" a ") == std::string::npos && line.find(" an ") == std::string::npos) continue;
        if (std::smatch match; std::regex_search(line, match, rate))
            found.push_back(std::to_string(number) + ": " + match.str());
    }
    return found;
}

namespace {

/// The anchor of a heading, as GitHub makes it: lower case, blanks to hyphens, everything else but letters, digits,
/// hyphens and underscores dropped.
std::string anchor_of(const std::string& heading) {
    std::string out;
    for (const char c : heading) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) || c == '-' || c == '_' || byte >= 0x80)
            out += static_cast<char>(std::tolower(byte));
        else if (c == ' ')
            out += '-';
    }
    return out;
}

std::set<std::string> anchors_of(const std::string& markdown) {
    std::set<std::string> anchors;
    std::istringstream lines(markdown);
    for (std::string line; std::getline(lines, line);)
        if (const auto text = line.find_first_not_of('#'); text > 0 && text != std::string::npos && line[text] == ' ')
            anchors.insert(anchor_of(line.substr(text + 1)));
    return anchors;
}

}  // namespace

std::vector<std::string> broken_links(const fs::path& page) {
    static const std::regex link(R"(\]\(([^)\s]+)\))");
    const std::string markdown = read_text(page);
    std::vector<std::string> broken;
    std::istringstream lines(markdown);
    std::string line;
    for (unsigned number = 1; std::getline(lines, line); ++number) {
        for (auto it = std::sregex_iterator(line.begin(), line.end(), link); it != std::sregex_iterator(); ++it) {
            const std::string target = (*it)[1].str();
            if (target.find("://") != std::string::npos) continue;
            const auto hash = target.find('#');
            const std::string file = target.substr(0, hash);
            const fs::path there = file.empty() ? page : page.parent_path() / file;
            const bool whole = hash == std::string::npos;
            if (!fs::exists(there) || (!whole && !anchors_of(read_text(there)).contains(target.substr(hash + 1))))
                broken.push_back(std::to_string(number) + ": " + target);
        }
    }
    return broken;
}

std::vector<std::string> wrong_includes(const std::string& room, const std::string& source, const Arrows& reach) {
    std::vector<std::string> wrong;
    for (const auto& include : parse_includes(source)) {
        const auto report = [&](const std::string& why) {
            wrong.push_back(std::to_string(include.line) + ": " + include.path + " (" + why + ")");
        };
        const std::string first = include.path.substr(0, include.path.find('/'));
        const bool has_folder = first != include.path;
        if (include.path.find("..") != std::string::npos) report("leaves its folder by ..");
        if ((first == "llvm" || first == "llvm-c" || first == "clang") && room != "engine" && room != "debuginfo")
            report("LLVM outside src/engine and src/debuginfo");
        if ((include.path == "cuda.h" || first == "CL") && room != "device")
            report("a driver's header outside src/device");
        if ((include.path == "sqlite3.h" || include.path.starts_with("SQLiteCpp/")) && room != "store")
            report("SQLite outside src/store");
        if (!has_folder || first == room || !reach.contains(first)) continue;
        if (!reach.at(room).contains(first)) report("src/" + room + " has no arrow to " + first);
    }
    return wrong;
}

std::string folder_of(const std::string& path_in_room) {
    const auto slash = path_in_room.find('/');
    return slash == std::string::npos ? "." : path_in_room.substr(0, slash);
}

std::vector<std::string> wrong_folder_includes(const std::string& room, const std::string& folder,
                                               const std::string& source, const Arrows& folders) {
    std::vector<std::string> wrong;
    for (const auto& include : parse_includes(source)) {
        if (!include.path.starts_with(room + "/")) continue;
        const std::string target = folder_of(include.path.substr(room.size() + 1));
        const auto allowed = folders.find(folder);
        if (target == folder || (allowed != folders.end() && allowed->second.contains(target))) continue;
        wrong.push_back(std::to_string(include.line) + ": " + include.path + " (the folder " + folder + " of src/" +
                        room + " has no arrow to " + target + ")");
    }
    return wrong;
}

std::vector<std::string> stale_arrows(const Arrows& arrows, const Arrows& used) {
    std::vector<std::string> stale;
    for (const auto& [from, targets] : arrows) {
        const auto of = used.find(from);
        for (const auto& target : targets)
            if (of == used.end() || !of->second.contains(target)) stale.push_back(from + " -> " + target);
    }
    return stale;
}

}  // namespace warpwright::architecture
