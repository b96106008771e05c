// A finding names its kernel, and that kernel's launches end one by one: those findings of it that have become more
// since the launch before are of this one. So the engine need not know where the host has launched it.
#include "cudart/observe/launch_places.hpp"

#include <filesystem>

#include "cudart/observe/host_places.hpp"
#include "cudart/work/launch/kernel_launch.hpp"
#include "support/demangle.hpp"

namespace warpwright::cudart {
namespace fs = std::filesystem;
namespace {

/// Whether a kernel's text is one of our libraries': it lies in a folder of kernels/ that is no ladder.
bool is_of_library(const std::string& file) {
    std::error_code ec;
    const auto path = fs::weakly_canonical(file, ec);
    const auto folder = path.parent_path();
    return !ec && folder.parent_path() == WARPWRIGHT_KERNELS && !fs::exists(folder / "ladder.toml", ec);
}

bool is_of(const record::Finding& finding, const Launch& launch) {
    const std::string name = demangle(launch.kernel->name);
    return finding.kernel == launch.kernel->name || finding.kernel == name || name.starts_with(finding.kernel + "(");
}

/// ": an index is outside its dimension", as the comment behind a trap has it; empty where the text is not there.
std::string reason(SourceFiles& sources, const record::FindingPlace& at) {
    const auto line = sources.line(at.file, at.line);
    const auto comment = line ? line->find("// ") : std::string::npos;
    return comment == std::string::npos ? "" : ": " + std::string(*line).substr(comment + 3);
}

}  // namespace

LaunchPlaces::Key LaunchPlaces::key_of(const record::Finding& f) {
    return {f.kind, f.kernel, f.at.text() + (f.other ? "|" + f.other->text() : ""), f.message};
}

void LaunchPlaces::ended(const Launch& launch, const std::vector<record::Finding>& findings) {
    for (const auto& f : findings) {
        if (f.kernel.empty() || !is_of(f, launch) || !is_of_library(f.at.file)) continue;
        auto& seen = seen_[key_of(f)];
        const auto more = f.count - seen.count;
        seen.count = f.count;
        if (!more || !launch.call) continue;
        auto place = host_place(*launch.call).first;
        if (!place.line) continue;
        place.column = 0;
        auto& [at, count] = seen.places[place.text()];
        at = std::move(place);
        count += more;
    }
}

std::vector<record::Finding> LaunchPlaces::told(const record::Finding& finding, SourceFiles& sources) const {
    const auto seen = seen_.find(key_of(finding));
    if (seen == seen_.end() || seen->second.places.empty()) return {finding};
    std::vector<record::Finding> out;
    for (const auto& [text, known] : seen->second.places) {
        auto f = finding;
        const auto own = fs::path(f.at.file).filename().string() + ":" + std::to_string(f.at.line);
        if (f.kind == record::FindingKind::fault) f.message += reason(sources, f.at);
        f.message += " (" + (f.at.access.empty() ? "" : f.at.access + " at ") + own + ", a kernel of Warpwright's)";
        f.at.file = known.first.file, f.at.line = known.first.line, f.at.column = 0;
        f.at.access = "launch of " + f.kernel;
        f.other.reset();
        f.count = known.second;
        out.push_back(std::move(f));
    }
    return out;
}

}  // namespace warpwright::cudart
