// The members of a finding as JSON (docs/check.md), listed once for writing and for reading: `check --json`, profiles
// and the C interface write them. Only for .cpp files: it includes the JSON library.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "record/finding.hpp"
#include "record/json_fields.hpp"

namespace warpwright::record {

template <class Json>
void put(Json& out, const FindingKind& kind) {
    out = std::string(info(kind).name);
}
template <class Json, class R>
void take(R& r, const Json& node, const std::string& path, FindingKind& kind) {
    std::string name;
    r.read(node, path, name);
    const auto found = std::ranges::find(finding_kinds(), name, &FindingKindInfo::name);
    if (found == finding_kinds().end()) return r.fail(path, "is not a kind of finding: '" + name + "'");
    kind = found->kind;
}

template <class Json>
void put(Json& out, const Severity& severity) {
    out = std::string(name_of(severity));
}
template <class Json, class R>
void take(R& r, const Json& node, const std::string& path, Severity& severity) {
    std::string name;
    r.read(node, path, name);
    severity = name == name_of(Severity::warning) ? Severity::warning : Severity::error;
    if (name != name_of(severity)) r.fail(path, "must be \"error\" or \"warning\"");
}

template <class V>
void fields(V& v, FindingPlace& p) {
    v("file", p.file), v("line", p.line), v.skip("column", p.column), v.skip("access", p.access);
    v.skip("thread", p.thread), v.skip("block", p.block);
}

template <class V>
void fields(V& v, FindingArray& a) {
    v("name", a.name), v("element", a.element), v.skip("declaration", a.declaration);
    v.when(!a.declaration.empty(), "line", a.line), v.skip("bytes", a.bytes);
}

/// What JSON says of an allocation, in one object.
struct FindingMemory {
    FindingAllocation at;
    std::optional<FindingPlace> allocated;
    std::string variable;
};
template <class V>
void fields(V& v, FindingMemory& m) {
    v("address", m.at.address), v("bytes", m.at.bytes), v.skip("at", m.allocated), v.skip("variable", m.variable);
}

template <class V>
void fields(V& v, Finding& f) {
    v("kind", f.kind), v("severity", f.severity), v("message", f.message), v("kernel", f.kernel), v("at", f.at);
    v("count", f.count), v("advice", f.advice), v.skip("other", f.other), v.skip("array", f.array);
    const bool access = !f.space.empty();
    v.skip("space", f.space), v.when(access, "address", f.address), v.when(access, "bytes", f.bytes);
    std::optional<FindingMemory> memory;
    if (f.allocation) memory = FindingMemory{*f.allocation, f.allocated, f.allocated_as};
    v.skip("allocation", memory);
    if (memory) f.allocation = memory->at, f.allocated = memory->allocated, f.allocated_as = memory->variable;
}

}  // namespace warpwright::record
