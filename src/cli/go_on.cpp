#include "cli/go_on.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace warpwright::cli {
namespace {

constexpr const char* kOption = "--go-on";

Error cannot(const std::string& what) {
    return Error{ErrorKind::internal, "cannot go on in a new process: " + what, Location{}, "start the program again"};
}

/// The records in a file of its own; its name.
Result<std::string> keep(const std::vector<record::Record>& records) {
    std::error_code ec;
    std::string name = (std::filesystem::temp_directory_path(ec) / "warpwright-XXXXXX").string();
    if (ec) name = "/tmp/warpwright-XXXXXX";
    const int file = ::mkstemp(name.data());
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

}  // namespace

Error go_on(const std::string& self, const std::vector<std::string>& words, const Standing& s) {
    auto file = keep(s.records);
    if (!file) return file.error();
    // Of a process that took another's place itself, the old standing goes.
    std::vector<std::string> list;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == kOption)
            ++i;
        else
            list.push_back(words[i]);
    }
    const std::string standing =
        std::to_string(s.next) + ":" + std::to_string(s.code) + ":" + std::to_string(s.seed) + ":" + *file;
    list.insert(list.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(list.size())), {kOption, standing});
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
    const char *at = text.data(), *end = at + text.size();
    const auto number = [&](auto& to) {
        auto [rest, problem] = std::from_chars(at, end, to);
        if (problem != std::errc{} || rest == end || *rest != ':') return false;
        at = rest + 1;
        return true;
    };
    if (!number(out.next) || !number(out.code) || !number(out.seed)) return wrong();
    const std::string file(at, end);
    std::ifstream in(file, std::ios::binary);
    std::stringstream bytes;
    bytes << in.rdbuf();
    if (!in) return wrong();
    auto set = record::from_json(bytes.str(), file);
    if (!set) return std::move(set).error();
    (void)::unlink(file.c_str());
    out.records = std::move(set->records);
    return out;
}

}  // namespace warpwright::cli
