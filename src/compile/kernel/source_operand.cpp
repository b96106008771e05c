// A file with a harmless name is read through an overlay of clang's file system that holds the bytes under that name.
// Any other source becomes a temporary file, with a line directive that keeps its name in messages.
#include "compile/kernel/source_operand.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "compile/failure.hpp"
#include "compile/process.hpp"
#include "compile/toolkit_headers.hpp"

namespace warpwright::compile {
namespace fs = std::filesystem;
namespace {

/// A C string literal.
std::string literal(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' || c == '\r' ? '?' : c;
    }
    return out + "\"";
}

/// Whether clang may have the name: it gives the last part to its own second stage as a word, where "@x" would be
/// replaced by the options in a file x.
bool plain(const std::string& path) {
    const auto harmless = [](const std::string& word) { return !word.empty() && word[0] != '@' && word[0] != '-'; };
    return harmless(path) && harmless(fs::path(path).filename().string()) &&
           path.find_first_of("\n\r") == std::string::npos;
}

/// ".cpp", by which clang knows the language; empty where it is none of letters and digits.
std::string ending(const fs::path& path) {
    const std::string text = path.extension().string();
    const bool known =
        std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '+'; });
    return known ? text : "";
}

}  // namespace

Result<SourceOperand> source_operand(const std::string& path, bool file, const std::string& text,
                                     const std::string& folder) {
    const auto full = [](const std::string& name) {
        return failure(ErrorKind::internal, "cannot write " + name, {}, "is the disk full?");
    };
    const bool overlay = file && plain(path);
    const std::string copy = folder + "/source" + (file ? ending(path) : "");
    std::ofstream out(copy, std::ios::binary);
    if (!overlay) out << "#line 1 " << literal(path.empty() ? "<text>" : path) << '\n';
    out << text;
    if (!out.flush()) return full(copy);
    if (!overlay) {
        const std::string beside = fs::path(path).parent_path().string();
        return SourceOperand{copy, {"-iquote", beside.empty() ? "." : operand(beside)}};
    }
    const std::string map = folder + "/source.yaml";
    std::ofstream where(map, std::ios::binary);
    where << "{\"version\": 0, \"case-sensitive\": \"true\", \"use-external-names\": false, \"roots\": [\n"
          << "{\"type\": \"file\", \"name\": " << overlay_name(path)
          << ", \"external-contents\": " << overlay_name(copy) << "}\n]}\n";
    if (!where.flush()) return full(map);
    return SourceOperand{path, {"-ivfsoverlay", map}};
}

}  // namespace warpwright::compile
