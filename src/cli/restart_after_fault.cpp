// The records go to a temporary file and the finished steps into an option, and then the process replaces itself by the
// same program. The steps are written as ranges, so that thousands of them fit into a command line.
#include "cli/restart_after_fault.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "support/read_file.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::cli {
namespace {

constexpr const char* kOption = "--go-on";

Error cannot(const std::string& what) {
    return Error{ErrorKind::internal, "cannot go on in a new process: " + what, Location{}, "start the program again"};
}

/// The records in a file of its own; its name.
Result<std::string> keep(const std::vector<record::Record>& records) {
    std::string name = temporary_root() + "/warpwright-XXXXXX";
    int file = ::mkstemp(name.data());
    if (file < 0) file = ::mkstemp((name = "/tmp/warpwright-XXXXXX").data());
    if (file < 0) return cannot(std::string("no temporary file: ") + std::strerror(errno));
    const std::string text = record::to_json({{}, records});
    bool fine = true;
    for (std::size_t done = 0; fine && done < text.size();) {
        const ssize_t n = ::write(file, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        fine = n > 0;
        if (fine) done += static_cast<std::size_t>(n);
    }
    fine = ::close(file) == 0 && fine;
    if (fine) return name;
    (void)::unlink(name.c_str());
    return cannot("the temporary file cannot be written");
}

/// "0-5,9,7": thousands of steps that mostly follow each other in a word that a command line has room for.
std::string ranges_text(const std::vector<std::size_t>& list) {
    std::string out;
    for (std::size_t i = 0; i < list.size();) {
        std::size_t last = i;
        while (last + 1 < list.size() && list[last + 1] == list[last] + 1) ++last;
        out += (out.empty() ? "" : ",") + std::to_string(list[i]);
        if (last > i) out += "-" + std::to_string(list[last]);
        i = last + 1;
    }
    return out;
}

std::optional<std::vector<std::size_t>> read_ranges(const std::string& text) {
    std::vector<std::size_t> out;
    const char *at = text.data(), *end = at + text.size();
    const auto number = [&](std::size_t& to) {
        auto [rest, problem] = std::from_chars(at, end, to);
        if (problem != std::errc{}) return false;
        at = rest;
        return true;
    };
    while (at != end) {
        std::size_t first = 0;
        if (!number(first)) return std::nullopt;
        std::size_t last = first;
        if (at != end && *at == '-' && (++at, !number(last))) return std::nullopt;
        if (last < first || last - first > 1'000'000) return std::nullopt;
        for (std::size_t i = first; i <= last; ++i) out.push_back(i);
        if (at != end && *at++ != ',') return std::nullopt;
    }
    return out;
}

}  // namespace

Error go_on(const std::string& self, const std::vector<std::string>& words, const Standing& s) {
    auto file = keep(s.sweep.records);
    if (!file) return file.error();
    // Of a process that took another's place itself, the old standing goes.
    std::vector<std::string> list;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == kOption)
            ++i;
        else
            list.push_back(words[i]);
    }
    const std::string standing = ranges_text(s.sweep.done) + ":" + std::to_string(s.code) + ":" +
                                 std::to_string(s.seed) + ":" + std::to_string(s.run) + ":" + *file;
    list.insert(list.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(list.size())),
                {kOption, standing});
    std::vector<char*> arguments;
    for (std::string& word : list) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    // The driver's files are closed with all others: what hangs on the device ends with them.
    ::closefrom(STDERR_FILENO + 1);
    ::execv(self.c_str(), arguments.data());
    const Error error = cannot(self + ": " + std::strerror(errno));
    (void)::unlink(file->c_str());
    return error;
}

Result<Standing> read_standing(const std::string& text) {
    const auto wrong = [] { return Error{ErrorKind::usage, "--go-on is for the program itself", Location{}, ""}; };
    Standing out;
    const auto colon = text.find(':');
    auto done = read_ranges(text.substr(0, colon));
    if (colon == std::string::npos || !done) return wrong();
    out.sweep.done = std::move(*done);
    const char *at = text.data() + colon + 1, *end = text.data() + text.size();
    const auto number = [&](auto& to) {
        auto [rest, problem] = std::from_chars(at, end, to);
        if (problem != std::errc{} || rest == end || *rest != ':') return false;
        at = rest + 1;
        return true;
    };
    if (!number(out.code) || !number(out.seed) || !number(out.run)) return wrong();
    const std::string file(at, end);
    auto bytes = read_file(file, file_limit::records);
    if (!bytes) return wrong();
    auto set = record::from_json(*bytes, file);
    if (!set) return std::move(set).error();
    (void)::unlink(file.c_str());
    if (set->records.size() != out.sweep.done.size()) return wrong();
    out.sweep.records = std::move(set->records);
    return out;
}

}  // namespace warpwright::cli
