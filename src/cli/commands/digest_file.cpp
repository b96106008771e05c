#include "cli/commands/digest_file.hpp"

#include <fmt/format.h>

#include <sstream>

#include "support/read_file.hpp"
#include "support/source_files.hpp"

namespace warpwright::cli {
namespace {

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> out;
    std::istringstream in(line);
    for (std::string part; std::getline(in, part, '\t');) out.push_back(part);
    return out;
}

}  // namespace

std::string DigestedLaunch::title() const { return fmt::format("{} <<<{}, {}>>>", printable(kernel), grid, block); }

Result<Digests> read_digests(const std::string& file) {
    auto text = read_file(file, file_limit::records);
    if (!text) return text.error();
    std::istringstream in(*text);
    std::string line;
    const std::string kHeader = "# warpwright digest 1";
    if (!std::getline(in, line) || !line.starts_with(kHeader))
        return Error{ErrorKind::input, "not a file of digests", Location{file, 1, 0},
                     "warpwright run --digest FILE ./app"};
    Digests out;
    out.fixed = line.ends_with("fixed");
    for (unsigned number = 2; std::getline(in, line); ++number) {
        const auto parts = split(line);
        if (parts.size() < 5)
            return Error{ErrorKind::input, "a line with fewer than 5 parts", Location{file, number, 0},
                         "the program may have been killed while it wrote"};
        DigestedLaunch l{parts[1], parts[2], parts[3], parts[4], {}};
        for (std::size_t k = 5; k < parts.size(); ++k) {
            const auto equals = parts[k].rfind('=');
            if (equals == std::string::npos)
                l.changed[parts[k]] = "";
            else
                l.changed[parts[k].substr(0, equals)] = parts[k].substr(equals + 1);
        }
        out.launches.push_back(std::move(l));
    }
    return out;
}

std::vector<std::string> differing(const DigestedLaunch& a, const DigestedLaunch& b) {
    std::vector<std::string> out;
    for (const auto& [name, digest] : a.changed) {
        const auto other = b.changed.find(name);
        if (other == b.changed.end() || other->second != digest) out.push_back(name);
    }
    for (const auto& [name, digest] : b.changed)
        if (!a.changed.contains(name)) out.push_back(name);
    return out;
}

std::string differing_text(const DigestedLaunch& a, const DigestedLaunch& b) {
    std::string out;
    for (const auto& name : differing(a, b)) out += (out.empty() ? "" : ", ") + printable(name);
    return out.empty() ? "memory that was written before" : out;
}

}  // namespace warpwright::cli
