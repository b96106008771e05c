// After each launch all allocations and variables are hashed, and the line names those that changed. Lines are flushed
// one by one, so that a program that crashes leaves all of its finished launches.
#include "cudart/observe/digest.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "cudart/memory/memory_table.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/state/runtime.hpp"
#include "host/self.hpp"
#include "support/content_hash.hpp"
#include "support/demangle.hpp"
#include "support/settings.hpp"

namespace warpwright::cudart {
namespace {

std::string text(const launch::Extent& d) {
    return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z);
}

class Digest final : public LaunchObserver {
public:
    explicit Digest(std::FILE* file) : file_(file) {
        const std::string wanted = settings::text(Setting::digest_memory);
        if (const auto colon = wanted.find(':'); colon != std::string::npos) {
            std::from_chars(wanted.data(), wanted.data() + colon, kept_launch_);
            folder_ = wanted.substr(colon + 1);
        }
        // Where addresses are drawn anew for each process, memory that holds pointers differs from run to run.
        std::fprintf(file_, "# warpwright digest 1, addresses %s\n",
                     host::addresses_are_fixed() ? "fixed" : "drawn anew");
        std::fflush(file_);
    }
    void launched(const Launch& launch, const device::LaunchResult&, const Timed&, bool from_device) override {
        if (from_device) return;  // it is part of the launch that the host made
        line(launch, "");
    }
    void failed(const Launch& launch, const Error&) override { line(launch, "\tfailed"); }

private:
    /// The pieces of memory by name, each with the digest of its contents.
    std::map<std::string, std::string> pieces() const {
        const bool keep = kept_launch_ == launches_ + 1 && !folder_.empty();
        std::map<std::string, std::string> out;
        const auto add = [&](const std::string& name, std::uint64_t at, std::uint64_t bytes) {
            const auto key = name + ":" + std::to_string(bytes);
            const std::string_view contents{reinterpret_cast<const char*>(at), bytes};
            out[key] = content_hash(contents).substr(0, 16);
            if (keep) save(key, contents);
        };
        for (const auto& [b, number] : MemoryTable::get().all())
            if ((b.kind == Block::Kind::device || b.kind == Block::Kind::managed) && b.graph != Block::Graph::absent)
                add("allocation " + std::to_string(number), b.address, b.bytes);
        for (const auto& v : Registry::get().loaded_variables()) add("variable " + v.name, v.address, v.bytes);
        return out;
    }

    /// A piece's name may be anything that a program calls its variables: the file's is its digest.
    void save(const std::string& piece, std::string_view contents) const {
        const auto name = folder_ + "/" + content_hash(piece).substr(0, 16);
        if (std::FILE* file = std::fopen(name.c_str(), "wxe")) {
            std::fwrite(contents.data(), 1, contents.size(), file);
            std::fclose(file);
        }
    }

    /// A launch, the digest of everything, and the pieces that are not as they were after the launch before.
    void line(const Launch& launch, const char* how) {
        const auto& c = launch.config;
        auto now = pieces();
        ContentHasher all;
        std::string changed;
        for (const auto& [name, digest] : now) {
            all.add(name).add(digest);
            const auto before = before_.find(name);
            if (before == before_.end() || before->second != digest) changed += "\t" + name + "=" + digest;
        }
        std::fprintf(file_, "%llu\t%s\t%s\t%s\t%s%s%s\n", static_cast<unsigned long long>(++launches_),
                     demangle(launch.kernel->name).c_str(), text(c.grid).c_str(), text(c.block).c_str(),
                     all.digest().substr(0, 16).c_str(), how, changed.c_str());
        std::fflush(file_);
        before_ = std::move(now);
    }

    std::FILE* file_;
    std::uint64_t launches_ = 0, kept_launch_ = 0;
    std::string folder_;  ///< for the memory after that launch; empty: it is not kept
    std::map<std::string, std::string> before_;
};

}  // namespace

void start_digest() {
    auto& runtime = Runtime::get();
    const std::string wanted = settings::text(Setting::digest);
    std::string name = wanted;
    if (name.empty()) return;
    // Of several processes of a program the first one has the name itself.
    std::FILE* file = std::fopen(name.c_str(), "wxe");
    if (!file) {
        name += "." + std::to_string(::getpid());
        file = std::fopen(name.c_str(), "we");
        if (file) runtime.say("the digest of this process is in " + name);
    }
    if (!file) return runtime.say("the digest cannot be written to " + wanted);
    add_observer(*new Digest(file));  // for as long as the process lasts
}

}  // namespace warpwright::cudart
