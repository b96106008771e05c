// Names come from the module's variables and, where the source text is known, from its declarations. A place that a
// pointer leads to is named by the parameter whose value is the nearest one up to its address.
#include "engine/runtime/checked/array_names.hpp"

#include "engine/runtime/texts.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <vector>

#include "support/covers.hpp"
#include "support/declarations.hpp"
#include "support/demangle.hpp"

namespace warpwright::engine {
namespace {

using record::FindingArray;

/// "s" of "k(float*)::s".
std::string last_name(const std::string& linkage_name) {
    const auto name = demangle(linkage_name);
    const auto colons = name.rfind("::");
    return colons == std::string::npos ? name : name.substr(colons + 2);
}

/// "g" of "ns::g<float>".
std::string plain_name(std::string name) {
    if (const auto angle = name.find('<'); angle != std::string::npos && angle > 0) name.resize(angle);
    const auto colons = name.rfind("::");
    return colons == std::string::npos ? name : name.substr(colons + 2);
}

std::string element_text(const std::string& name, std::int64_t offset, std::uint64_t each,
                         const std::vector<std::uint64_t>& extents) {
    const bool word = name.find(' ') != std::string::npos;
    if (each == 0 || offset % static_cast<std::int64_t>(each) != 0)
        return "byte " + std::to_string(offset) + " of " + name;
    auto index = offset / static_cast<std::int64_t>(each);
    if (word) return "element " + std::to_string(index) + " of " + name;
    std::string indices;
    for (std::size_t d = extents.size(); d > 1 && index >= 0; --d) {
        const auto extent = static_cast<std::int64_t>(extents[d - 1]);
        indices = "[" + std::to_string(index % extent) + "]" + indices;
        index /= extent;
    }
    return name + "[" + std::to_string(index) + "]" + indices;
}

/// The line of the program that an instruction is on; the kernel's first one for an instruction without a line.
simt::SourceLine line_of(const LaunchShared& launch, const SiteInfo& info) {
    return info.ptx && info.ptx->source.line ? info.ptx->source : launch.kernel->source;
}

/// Launches share the texts.
std::mutex reading;

template <class Use>
auto with_source(const LaunchShared& launch, const SiteInfo& info, Use&& use) {
    const auto at = line_of(launch, info);
    const auto& files = launch.code->module->files;
    static const std::vector<std::string> none;
    if (!launch.sources || at.line == 0 || at.file >= files.size()) return use(none, at.line);
    std::lock_guard lock(reading);
    return use(launch.sources->lines(files[at.file]), at.line);
}

/// An array of `bytes` (0: not known), as its declaration has it if there is one that fits.
FindingArray described(const LaunchShared& launch, const SiteInfo& info, const std::string& name, std::int64_t offset,
                       std::uint64_t bytes) {
    FindingArray a;
    a.name = name, a.bytes = bytes;
    const auto declared = with_source(
        launch, info, [&](const auto& lines, unsigned line) { return array_declaration(lines, name, line); });
    std::uint64_t each = info.bytes;
    std::vector<std::uint64_t> extents;
    if (declared) {
        std::uint64_t elements = 1;
        for (const auto e : declared->extents) elements *= std::max<std::uint64_t>(e, 1);
        const std::uint64_t of_type = type_bytes(declared->type);
        const bool fits = of_type == 0 || bytes % of_type == 0;
        if (fits && !declared->extents.empty() && bytes % elements == 0 &&
            (of_type == 0 || elements * of_type == bytes)) {
            each = bytes / elements;
            extents = declared->extents;
        } else if (fits && of_type != 0) {
            each = of_type;
        }
        if (fits) a.declaration = declared->text, a.line = declared->line;
        // Which row it is cannot be said without the extents.
        if (fits && declared->dimensions > 1 && extents.empty()) {
            a.element = element_text("array " + name, offset, each, {});
            return a;
        }
    }
    a.element = element_text(name, offset, each, extents);
    return a;
}

/// Of all parameters that lead into the allocation, those whose pointer is the last one up to the address.
struct Pointer {
    std::uint64_t value = 0;
    std::size_t parameter = 0;
    bool within = false;  ///< one of several words of the parameter
};

std::vector<Pointer> pointers_into(const LaunchShared& launch, const Allocation& near, std::uint64_t address) {
    std::vector<Pointer> best;
    const auto& kernel = *launch.kernel;
    const auto& offsets = launch.code->param_offsets;
    const auto better = [&](std::uint64_t a, std::uint64_t b) {
        const bool before_a = a <= address, before_b = b <= address;
        return before_a != before_b ? before_a : before_a ? a > b : a < b;
    };
    for (std::size_t k = 0; k < kernel.parameters.size() && k < offsets.size(); ++k) {
        const auto& v = launch.code->module->variables[kernel.parameters[k]];
        for (std::uint64_t at = 0; covers(0, v.size, at, 8); at += 8) {
            std::uint64_t value = 0;
            std::memcpy(&value, launch.params + offsets[k] + at, sizeof value);
            if (value < near.address || value - near.address > near.bytes) continue;
            if (!best.empty() && better(best[0].value, value)) continue;
            if (!best.empty() && best[0].value != value) best.clear();
            if (best.empty() || best.back().parameter != k) best.push_back({value, k, v.size > 8});
        }
    }
    return best;
}

/// A parameter as the source names it; else as the PTX does, where people wrote that: "parameter 2" is all that a
/// compiler leaves.
std::string parameter_name(const LaunchShared& launch, std::size_t index, const std::vector<std::string>& names) {
    if (index < names.size() && !names[index].empty()) return names[index];
    const auto& v = launch.code->module->variables[launch.kernel->parameters[index]];
    if (v.name.find("param_") == std::string::npos && !v.name.empty()) return v.name;
    return "parameter " + std::to_string(index + 1);
}

}  // namespace

std::optional<FindingArray> shared_array(const LaunchShared& launch, std::uint64_t offset, const SiteInfo& info) {
    const auto& variables = launch.code->module->variables;
    const auto& places = launch.code->shared_places;
    const ptx::Variable* found = nullptr;
    std::uint64_t from = 0;
    for (std::size_t k = 0; k < places.size() && k < variables.size(); ++k) {
        if (!places[k].placed || places[k].offset > offset) continue;
        if (found && places[k].offset <= from) continue;
        found = &variables[k], from = places[k].offset;
    }
    if (!found) return std::nullopt;
    const auto bytes = found->size ? found->size : launch.shared_bytes - std::min(launch.shared_bytes, from);
    return described(launch, info, last_name(found->name), static_cast<std::int64_t>(offset - from), bytes);
}

std::optional<FindingArray> global_array(const LaunchShared& launch, std::uint64_t address, const Allocation& near,
                                         const SiteInfo& info) {
    const auto& variables = launch.code->module->variables;
    for (std::size_t k = 0; k < variables.size(); ++k)
        if (const auto at = launch.variables[k]; at && at == near.address)
            return described(launch, info, last_name(variables[k].name), static_cast<std::int64_t>(address - at),
                             variables[k].size);
    const auto pointers = pointers_into(launch, near, address);
    if (pointers.empty()) return std::nullopt;
    const auto& kernel = *launch.kernel;
    const auto name = plain_name(readable(kernel.name));
    // The access may be in a function of another file.
    auto names = with_source(launch, info, [&](const auto& lines, unsigned) {
        return parameter_names(lines, name, kernel.parameters.size());
    });
    if (SiteInfo first; names.empty())
        names = with_source(launch, first, [&](const auto& lines, unsigned) {
            return parameter_names(lines, name, kernel.parameters.size());
        });
    FindingArray a;
    for (const auto& p : pointers) {
        const auto type = pointed_type(demangle(kernel.name), p.parameter);
        const auto each = type.empty() ? info.bytes : type_bytes(type);
        const auto called = (p.within ? "a pointer in " : "") + parameter_name(launch, p.parameter, names);
        const auto element = element_text(called, static_cast<std::int64_t>(address - p.value), each, {});
        a.name += (a.name.empty() ? "" : " or ") + called;
        a.element += (a.element.empty() ? "" : " or ") + element;
    }
    return a;
}

std::optional<bool> may_end_before(const LaunchShared& launch, const simt::Details* at) {
    const auto name = plain_name(readable(launch.kernel->name));
    SiteInfo place;
    place.ptx = at;
    auto ends =
        with_source(launch, place, [&](const auto& lines, unsigned line) { return returns_before(lines, name, line); });
    // The barrier may be in a function of another file.
    if (SiteInfo first; !ends)
        ends = with_source(launch, first, [&](const auto& lines, unsigned) {
            return returns_before(lines, name, std::numeric_limits<unsigned>::max());
        });
    return ends;
}

std::optional<FindingArray> array_of(const LaunchShared& launch, std::string_view space, std::uint64_t address,
                                     const std::optional<Allocation>& near, const SiteInfo& info) {
    if (space == "shared") return shared_array(launch, address, info);
    if (space == "local") return std::nullopt;
    // Far from all allocations: by the parameter whose pointer is not far before, such as one to the host's own memory.
    constexpr std::uint64_t kNotFar = 1u << 20;
    const auto from = address - std::min(address, kNotFar);
    return global_array(launch, address, near.value_or(Allocation{from, address - from}), info);
}

}  // namespace warpwright::engine
