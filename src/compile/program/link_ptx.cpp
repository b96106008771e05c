// Links on the level of text: items of all modules in one, with names that are local to a module made different, and
// only modules that a kernel needs. PTX has no object format.
#include "compile/program/link_ptx.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

#include "compile/failure.hpp"

namespace warpwright::compile {
namespace {

constexpr std::string_view kMark = "// several modules, linked\n";

enum class Linkage { local, visible, weak, external };

/// A declaration or definition at the top level of a module.
struct Item {
    std::string text;
    std::string name;
    Linkage linkage = Linkage::local;
    bool function = false, entry = false, body = false;
    bool shared = false;  ///< .extern .shared: dynamic shared memory, which has no definition
};

struct Unit {
    std::vector<std::string> head, files;  ///< .version and the like; .file
    std::vector<Item> items;
    std::map<std::string, std::string, std::less<>> renamed;  ///< in all of it
    bool used = false;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }

/// The text without comments; strings stay as they are.
std::string without_comments(const std::string& text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') {
            const auto end = text.find('"', i + 1);
            out.append(text, i, (end == std::string::npos ? text.size() : end + 1) - i);
            if (end == std::string::npos) break;
            i = end;
        } else if (text.compare(i, 2, "//") == 0) {
            i = std::min(text.find('\n', i), text.size());
            out += '\n';
        } else if (text.compare(i, 2, "/*") == 0) {
            const auto end = text.find("*/", i + 2);
            i = end == std::string::npos ? text.size() : end + 1;
        } else {
            out += text[i];
        }
    }
    return out;
}

std::string_view next_word(std::string_view text, std::size_t& at) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
    const auto first = at;
    if (at < text.size() && (text[at] == '.' || is_word(text[at]))) {
        ++at;
        while (at < text.size() && is_word(text[at])) ++at;
    } else if (at < text.size()) {
        ++at;
    }
    return text.substr(first, at - first);
}

Item read_item(std::string text) {
    Item item;
    item.text = std::move(text);
    std::size_t at = 0;
    const std::string_view view = item.text;
    for (auto word = next_word(view, at); !word.empty(); word = next_word(view, at)) {
        if (word == ".visible")
            item.linkage = Linkage::visible;
        else if (word == ".weak" || word == ".common")  // of both, one definition serves all files
            item.linkage = Linkage::weak;
        else if (word == ".extern")
            item.linkage = Linkage::external;
        else if (word == ".func")
            item.function = true;
        else if (word == ".entry")
            item.function = item.entry = true;
        else if (word == ".shared")
            item.shared = true;
        else if (word == "(")
            at = std::min(view.find(')', at), view.size() - 1) + 1;  // what a function returns
        else if (word == ".align" || word == ".attribute" || word == ".ptr") {
            (void)next_word(view, at);
        } else if (word[0] != '.' && is_word(word[0]) && !std::isdigit(static_cast<unsigned char>(word[0]))) {
            item.name = word;
            break;
        }
    }
    item.body = item.function && item.text.find('{') != std::string::npos;
    return item;
}

Unit read_unit(const std::string& module) {
    Unit unit;
    const std::string text = without_comments(module);
    for (std::size_t at = 0; at < text.size();) {
        if (std::isspace(static_cast<unsigned char>(text[at]))) {
            ++at;
            continue;
        }
        const auto line_end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, line_end - at);
        if (line.starts_with(".version") || line.starts_with(".target") || line.starts_with(".address_size")) {
            unit.head.push_back(line);
            at = line_end;
            continue;
        }
        if (line.starts_with(".file")) {
            unit.files.push_back(line);
            at = line_end;
            continue;
        }
        // Up to the ';' or the '}' that ends it; an initialiser's braces are followed by a ';'.
        const bool section = line.starts_with(".section");
        int depth = 0;
        bool initialiser = false;
        std::size_t end = at;
        for (; end < text.size(); ++end) {
            const char c = text[end];
            if (c == '"')
                end = std::min(text.find('"', end + 1), text.size() - 1);
            else if (c == '=' && depth == 0)
                initialiser = true;
            else if (c == '{')
                ++depth;
            else if (c == '}' && --depth == 0 && !initialiser)
                break;
            else if (c == ';' && depth == 0)
                break;
        }
        end = std::min(end + 1, text.size());
        if (!section) unit.items.push_back(read_item(text.substr(at, end - at)));
        at = end;
    }
    return unit;
}

/// The item with other names, and the numbers of its source files shifted by `files`. Parts of a line about functions
/// that were inlined there are removed: they name debug sections, which are not kept.
std::string rewritten(const std::string& text, const std::map<std::string, std::string, std::less<>>& names,
                      unsigned files) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '"') {
            const auto end = std::min(text.find('"', at + 1), text.size() - 1) + 1;
            out.append(text, at, end - at);
            at = end;
        } else if (text.compare(at, 5, ".loc\t") == 0 || text.compare(at, 5, ".loc ") == 0) {
            const auto end = std::min(text.find('\n', at), text.size());
            std::string line = text.substr(at, end - at);
            if (const auto comma = line.find(','); comma != std::string::npos) line.resize(comma);
            std::size_t digit = 5;
            while (digit < line.size() && std::isspace(static_cast<unsigned char>(line[digit]))) ++digit;
            std::size_t past = digit;
            unsigned number = 0;
            for (; past < line.size() && std::isdigit(static_cast<unsigned char>(line[past])); ++past)
                number = number * 10 + static_cast<unsigned>(line[past] - '0');
            out += ".loc " + std::to_string(number + files) + line.substr(past);
            at = end;
        } else if (is_word(c)) {
            auto end = at;
            while (end < text.size() && is_word(text[end])) ++end;
            const std::string_view word = std::string_view(text).substr(at, end - at);
            const bool suffix = at > 0 && text[at - 1] == '.';
            if (const auto found = names.find(word); found != names.end() && !suffix)
                out += found->second;
            else
                out += word;
            at = end;
        } else {
            out += c;
            ++at;
        }
    }
    return out;
}

/// Clang marks the name of a file's own variable (`static`) once it has seen the host use it. What it compiled before
/// that has the name without the mark, as another file's: it is the same variable.
void settle_for_linking(Unit& unit) {
    constexpr std::string_view kMarked = "__static__";
    std::map<std::string, std::string, std::less<>> marked;
    for (const auto& i : unit.items)
        if (const auto at = i.name.rfind(kMarked);
            !i.function && i.linkage != Linkage::external && at != std::string::npos)
            marked[i.name.substr(0, at)] = i.name;
    std::erase_if(unit.items, [&](const Item& i) {
        // A list by which clang keeps what only the host uses; ptxas refuses it where a kernel is in it.
        if (i.name == "__clang_gpu_used_external") return true;
        const auto found = marked.find(i.name);
        if (i.function || i.shared || i.linkage != Linkage::external || found == marked.end()) return false;
        unit.renamed.insert(*found);
        return true;
    });
}

unsigned most_files(const Unit& unit) {
    unsigned most = 0;
    for (const auto& line : unit.files)
        most = std::max(most, static_cast<unsigned>(std::strtoul(line.c_str() + 5, nullptr, 10)));
    return most;
}

bool defines(const Item& i) { return i.linkage != Linkage::external && (i.body || !i.function); }

/// A function's declaration without its body, for callers that come before it.
std::string prototype(const Item& i) {
    auto text = i.text.substr(0, i.text.find('{'));
    for (const char* directive : {".noreturn", ".pragma", ".minnctapersm", ".maxntid", ".reqntid", ".maxnreg"})
        if (const auto at = text.find(directive); at != std::string::npos) text.resize(at);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    return text + ";\n";
}
using Definers = std::map<std::string, std::size_t>;

/// Which module defines each name.
Result<Definers> definers(const std::vector<Unit>& units) {
    Definers definer;
    for (std::size_t u = 0; u < units.size(); ++u)
        for (const auto& i : units[u].items)
            if (defines(i) && i.linkage != Linkage::local) {
                const auto [at, fresh] = definer.emplace(i.name, u);
                if (!fresh && i.linkage == Linkage::visible) {
                    const auto& others = units[at->second].items;
                    const bool both = std::any_of(others.begin(), others.end(), [&](const Item& o) {
                        return o.name == i.name && defines(o) && o.linkage == Linkage::visible;
                    });
                    if (both && at->second != u)
                        return failure(ErrorKind::input, "'" + i.name + "' is defined in two files of the program");
                    at->second = u;
                }
            }
    return definer;
}

/// Marks the modules that take part: those with kernels, and those that define what a marked one uses.
void mark_used(std::vector<Unit>& units, const Definers& definer) {
    std::vector<std::size_t> todo;
    for (std::size_t u = 0; u < units.size(); ++u)
        if (std::any_of(units[u].items.begin(), units[u].items.end(), [](const Item& i) { return i.entry; }))
            units[u].used = true, todo.push_back(u);
    while (!todo.empty()) {
        const auto u = todo.back();
        todo.pop_back();
        for (const auto& i : units[u].items)
            if (const auto found = definer.find(i.name);
                i.linkage == Linkage::external && found != definer.end() && !units[found->second].used)
                units[found->second].used = true, todo.push_back(found->second);
    }
}

/// The parts of the linked text, in their order, and the names that are in it.
struct Linked {
    std::string head, prototypes, kernels, variables, bodies, files;
    std::set<std::string> seen, declared;
    std::set<std::string, std::less<>> local_names;
    unsigned file_base = 0;

    Result<void> add_files(const Unit& unit) {
        for (const auto& line : unit.files) {
            std::uint32_t number = 0;
            const std::size_t from =
                std::min(line.find_first_not_of(" \t", std::min<std::size_t>(5, line.size())), line.size());
            const char *const begin = line.data() + from, *const end = line.data() + line.size();
            const auto [rest, problem] = std::from_chars(begin, end, number);
            if (problem != std::errc{}) return failure(ErrorKind::input, "a .file directive has no number: " + line);
            files += ".file " + std::to_string(std::uint64_t{number} + file_base) + std::string(rest, end) + "\n";
        }
        return {};
    }

    Result<void> add(const Unit& unit, std::size_t u, const Definers& definer) {
        if (head.empty())
            for (const auto& line : unit.head) head += line + "\n";
        auto names = unit.renamed;
        for (const auto& i : unit.items)
            if (i.linkage == Linkage::local && !i.entry && !i.name.empty() && !names.contains(i.name) &&
                (!local_names.insert(i.name).second || definer.contains(i.name)))
                names[i.name] = i.name + "__file" + std::to_string(u);
        if (auto ok = add_files(unit); !ok) return ok;
        for (const auto& i : unit.items) {
            const bool global = i.linkage != Linkage::local;
            if (i.linkage == Linkage::external && definer.contains(i.name)) continue;
            if (global && defines(i) && definer.at(i.name) != u) continue;  // another module's definition is used
            if (global && defines(i) && !seen.insert(i.name).second) continue;
            if (i.linkage == Linkage::external && !declared.insert(i.name).second) continue;
            const auto text = rewritten(i.text, names, file_base) + "\n";
            if (i.function && !i.body) {
                if (i.linkage == Linkage::external)
                    prototypes += text;  // vprintf and the like; others follow from bodies
            } else if (i.function) {
                // Kernels too, because other modules may launch them.
                Item renamed = i;
                renamed.text = text;
                (i.entry ? kernels : prototypes) += prototype(renamed);
                bodies += text;
            } else {
                variables += text;
            }
        }
        file_base += most_files(unit);
        return {};
    }
};

}  // namespace

bool is_linked_ptx(const std::string& text) { return text.starts_with(kMark); }

Result<std::string> link_ptx(const std::vector<std::string>& modules) {
    std::vector<Unit> units;
    for (const auto& m : modules) {
        units.push_back(read_unit(m));
        settle_for_linking(units.back());
        // NVIDIA's device runtime drives NVIDIA's hardware, and the engine has its own.
        if (std::any_of(units.back().items.begin(), units.back().items.end(),
                        [](const Item& i) { return i.body && i.name.starts_with("__cudaCDP2"); }))
            units.pop_back();
    }
    const auto definer = definers(units);
    if (!definer) return definer.error();
    mark_used(units, *definer);
    Linked linked;
    for (std::size_t u = 0; u < units.size(); ++u)
        if (units[u].used)
            if (auto ok = linked.add(units[u], u, *definer); !ok) return ok.error();
    return std::string(kMark) + linked.head + linked.prototypes + linked.kernels + linked.variables + linked.bodies +
           linked.files;
}

}  // namespace warpwright::compile
