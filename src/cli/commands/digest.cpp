// warpwright digest: two files of `run --digest` compared. It names the first launch after which device memory differs.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/commands/digest_file.hpp"
#include "text/counted.hpp"

namespace warpwright::cli {
namespace {

struct DigestOptions {
    std::string first, second;
};

int compare(const DigestOptions& o, Console& console) {
    auto a = read_digests(o.first), b = read_digests(o.second);
    if (!a) return console.fail(a.error());
    if (!b) return console.fail(b.error());
    if (!a->fixed || !b->fixed)
        console.note("a run drew its addresses at random: memory that holds pointers differs for that reason alone");
    const std::size_t common = std::min(a->launches.size(), b->launches.size());
    for (std::size_t k = 0; k < common; ++k) {
        const DigestedLaunch &x = a->launches[k], &y = b->launches[k];
        if (!x.same_launch(y)) {
            console.out(fmt::format("launch {} is another one\n  {}: {}\n  {}: {}\n", k + 1, o.first, x.title(),
                                    o.second, y.title()));
            return 1;
        }
        if (x.digest == y.digest) continue;
        console.out(fmt::format("launch {} of {} is the first after which memory differs: {}\n  what differs: {}\n",
                                k + 1, common, x.title(), differing_text(x, y)));
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
