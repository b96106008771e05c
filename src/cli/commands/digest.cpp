// warpwright digest: two files of `run --digest` compared. It names the first launch after which device memory differs.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "cli/commands/commands.hpp"
#include "support/read_file.hpp"
#include "support/source_files.hpp"
#include "text/counted.hpp"

namespace warpwright::cli {
namespace {

struct DigestOptions {
    std::string first, second;
};

struct Launch {
    std::string kernel, grid, block, digest;
    std::map<std::string, std::string> changed;  ///< pieces of memory, and their digests
    std::string title() const { return fmt::format("{} <<<{}, {}>>>", printable(kernel), grid, block); }
    bool same_launch(const Launch& o) const { return kernel == o.kernel && grid == o.grid && block == o.block; }
};

struct Digests {
    bool fixed = false;  ///< addresses are the same in each run
    std::vector<Launch> launches;
};

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> out;
    std::istringstream in(line);
    for (std::string part; std::getline(in, part, '\t');) out.push_back(part);
    return out;
}

Result<Digests> read(const std::string& file) {
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
        Launch l{parts[1], parts[2], parts[3], parts[4], {}};
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

/// The pieces of memory that the two launches left differently, as far as they changed there.
std::string differing(const Launch& a, const Launch& b) {
    std::string out;
    const auto add = [&](const std::string& name) { out += (out.empty() ? "" : ", ") + printable(name); };
    for (const auto& [name, digest] : a.changed) {
        const auto other = b.changed.find(name);
        if (other == b.changed.end() || other->second != digest) add(name);
    }
    for (const auto& [name, digest] : b.changed)
        if (!a.changed.contains(name)) add(name);
    return out.empty() ? "memory that was written before" : out;
}

int compare(const DigestOptions& o, Console& console) {
    auto a = read(o.first), b = read(o.second);
    if (!a) return console.fail(a.error());
    if (!b) return console.fail(b.error());
    if (!a->fixed || !b->fixed)
        console.note("a run drew its addresses at random: memory that holds pointers differs for that reason alone");
    const std::size_t common = std::min(a->launches.size(), b->launches.size());
    for (std::size_t k = 0; k < common; ++k) {
        const Launch &x = a->launches[k], &y = b->launches[k];
        if (!x.same_launch(y)) {
            console.out(fmt::format("launch {} is another one\n  {}: {}\n  {}: {}\n", k + 1, o.first, x.title(),
                                    o.second, y.title()));
            return 1;
        }
        if (x.digest == y.digest) continue;
        console.out(fmt::format("launch {} of {} is the first after which memory differs: {}\n  what differs: {}\n",
                                k + 1, common, x.title(), differing(x, y)));
        return 1;
    }
    if (a->launches.size() != b->launches.size()) {
        console.out(fmt::format("{} has {}, {} has {}; the first {} leave the same memory\n", o.first,
                                counted(a->launches.size(), "launches"), o.second, b->launches.size(), common));
        return 1;
    }
    console.out(counted(common, "launches") + ", each leaves the same memory\n");
    return 0;
}

}  // namespace

Command add_digest(CLI::App& app) {
    auto o = std::make_shared<DigestOptions>();
    auto* c = app.add_subcommand("digest", "compare the memories of two runs, launch by launch (run --digest)");
    c->add_option("first", o->first, "a file of run --digest")->required()->type_name("FILE");
    c->add_option("second", o->second, "that of the other run")->required()->type_name("FILE");
    return {c, [o](Console& console) { return compare(*o, console); }};
}

}  // namespace warpwright::cli
