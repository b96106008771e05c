#include "record/finding.hpp"

#include <nlohmann/json.hpp>

namespace warpwright::record {

using K = FindingKind;

const std::vector<FindingKindInfo>& finding_kinds() {
    // Never destroyed: the runtime library still writes findings when the process ends.
    static const auto& kinds = *new std::vector<FindingKindInfo>{
        {K::out_of_bounds, "out-of-bounds", Checker::memory, "access outside of any allocation",
         "check the index against the size that was allocated"},
        {K::null_pointer, "null-pointer", Checker::memory, "access through a null pointer",
         "the pointer was never set: check the argument that the host passes"},
        {K::use_after_free, "use-after-free", Checker::memory, "access to memory that was freed",
         "free it after the last kernel that uses it"},
        {K::read_only, "read-only", Checker::memory, "store to memory that kernels only read",
         "constant memory and parameters are the host's to write, before the launch"},
        {K::misaligned, "misaligned", Checker::memory, "access that is not aligned to its size",
         "an access of n bytes needs an address that is a multiple of n"},
        {K::leak, "leak", Checker::leak, "device memory that is never freed", "free it when it is no longer used"},
        {K::uninitialised, "uninitialised", Checker::init, "read of memory that was never written",
         "write it first, on the host or in a kernel (fresh memory holds anything)"},
        {K::unwritten_copy, "unwritten-copy", Checker::init, "a copy to the host of elements that nothing wrote",
         "launch enough threads for all elements; if the host does not use these, copy only the others"},
        {K::race_lanes, "race-lanes", Checker::race, "unordered accesses by lanes of one warp to the same memory",
         "put __syncwarp() between them: lanes of a warp do not move in step"},
        {K::race_shared, "race-shared", Checker::race,
         "unordered accesses by threads of a block to the same shared memory", "put __syncthreads() between them"},
        {K::race_global, "race-global", Checker::race, "unordered accesses by threads to the same global memory",
         "between blocks of a launch: use an atomic, or hand over with __threadfence() and an atomic flag; within a "
         "block: __syncthreads()"},
        {K::unfinished_copy, "unfinished-copy", Checker::race,
         "memory that an asynchronous copy may still be writing is accessed",
         "wait for the copy first (cp.async.wait_group, or the copy's mbarrier), then let the other threads know"},
        {K::barrier_divergence, "barrier-divergence", Checker::sync, "a barrier that not all of its threads reach",
         "move the barrier out of the if, or out of the loop: every thread of the block must reach it"},
        {K::barrier_exited, "barrier-exited", Checker::sync,
         "threads wait at a barrier after others of their block have ended",
         "let no thread return before the barrier: put the work under the condition, not the barrier"},
        {K::sync_mask, "sync-mask", Checker::sync,
         "the mask of a warp-level instruction does not name the lanes that execute it",
         "name exactly the lanes that execute it: compute the mask before the branch, with __ballot_sync()"},
        {K::shuffle_source, "shuffle-source", Checker::sync, "a shuffle that reads a lane which does not execute it",
         "the value is undefined: use a width that fits, or let the lane take part"},
        {K::deadlock, "deadlock", Checker::sync, "threads wait for something that never happens",
         "every expected arrival must occur"},
        {K::fault, "fault", Checker::memory, "the kernel ended with an error", ""},
        {K::api_error, "api-error", Checker::api, "a call of the runtime failed, and the program did not check it",
         "check the value that the call returns; after a launch, cudaGetLastError()"},
    };
    return kinds;
}

const FindingKindInfo& info(FindingKind kind) { return finding_kinds()[static_cast<std::size_t>(kind)]; }

Result<std::uint32_t> parse_checkers(std::string_view text) {
    std::uint32_t set = 0;
    while (!text.empty()) {
        const auto comma = text.find(',');
        const auto word = text.substr(0, comma);
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
        if (word == "memory")
            set |= static_cast<std::uint32_t>(Checker::memory);
        else if (word == "init")
            set |= static_cast<std::uint32_t>(Checker::init);
        else if (word == "race")
            set |= static_cast<std::uint32_t>(Checker::race);
        else if (word == "sync")
            set |= static_cast<std::uint32_t>(Checker::sync);
        else if (word == "leak")
            set |= static_cast<std::uint32_t>(Checker::leak);
        else if (word == "api")
            set |= static_cast<std::uint32_t>(Checker::api);
        else if (word == "all")
            set |= kAllCheckers;
        else
            return Error{ErrorKind::usage,
                         "'" + std::string(word) + "' is not a checker",
                         {},
                         "memory, init, race, sync, leak, api or all"};
    }
    if (set == 0)
        return Error{ErrorKind::usage, "no checker is chosen", {}, "memory, init, race, sync, leak, api or all"};
    return set;
}

std::string FindingPlace::text() const { return Location{file, line, column}.text(); }

std::string FindingPlace::thread_text() const {
    if (!has_thread) return "";
    const auto triple = [](const std::uint32_t(&v)[3]) {
        return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
    };
    return "thread " + triple(thread) + " of block " + triple(block);
}

namespace {

using nlohmann::json;

json place_json(const FindingPlace& p) {
    json j{{"file", p.file}, {"line", p.line}};
    if (p.column) j["column"] = p.column;
    if (!p.access.empty()) j["access"] = p.access;
    if (p.has_thread) j["thread"] = p.thread, j["block"] = p.block;
    return j;
}

FindingPlace read_place(const json& j) {
    FindingPlace p;
    p.file = j.at("file").get<std::string>();
    p.line = j.at("line").get<unsigned>();
    p.column = j.value("column", 0u);
    p.access = j.value("access", "");
    if (j.contains("thread")) {
        p.has_thread = true;
        for (std::size_t k = 0; k < 3; ++k) {
            p.thread[k] = j["thread"].at(k).get<std::uint32_t>();
            p.block[k] = j.at("block").at(k).get<std::uint32_t>();
        }
    }
    return p;
}

json array_json(const FindingArray& a) {
    json j{{"name", a.name}, {"element", a.element}};
    if (!a.declaration.empty()) j["declaration"] = a.declaration, j["line"] = a.line;
    if (a.bytes) j["bytes"] = a.bytes;
    return j;
}

FindingArray read_array(const json& j) {
    return {j.at("name").get<std::string>(), j.at("element").get<std::string>(), j.value("declaration", ""),
            j.value("line", 0u), j.value("bytes", std::uint64_t{0})};
}

void read_allocation(const json& j, Finding& f) {
    f.allocation = {j.at("address").get<std::uint64_t>(), j.at("bytes").get<std::uint64_t>()};
    if (j.contains("at")) f.allocated = read_place(j["at"]);
    f.allocated_as = j.value("variable", "");
}

}  // namespace

std::string findings_json(const std::vector<Finding>& findings) {
    json list = json::array();
    for (const auto& f : findings) {
        json j{{"kind", info(f.kind).name}, {"severity", f.severity == Severity::error ? "error" : "warning"},
               {"message", f.message},      {"kernel", f.kernel},
               {"at", place_json(f.at)},    {"count", f.count},
               {"advice", f.advice}};
        if (f.other) j["other"] = place_json(*f.other);
        if (!f.space.empty()) j["space"] = f.space, j["address"] = f.address, j["bytes"] = f.bytes;
        if (f.array) j["array"] = array_json(*f.array);
        if (f.allocation) {
            j["allocation"] = {{"address", f.allocation->first}, {"bytes", f.allocation->second}};
            if (f.allocated) j["allocation"]["at"] = place_json(*f.allocated);
            if (!f.allocated_as.empty()) j["allocation"]["variable"] = f.allocated_as;
        }
        list.push_back(std::move(j));
    }
    return json{{"schema", 1}, {"findings", std::move(list)}}.dump(2, ' ', false, json::error_handler_t::replace) +
           "\n";
}

Result<std::vector<Finding>> read_findings(const std::string& text) {
    const auto wrong = [](const std::string& why) {
        return Error{ErrorKind::input, "these are no findings: " + why, {}, ""};
    };
    std::vector<Finding> out;
    try {
        const auto j = json::parse(text);
        if (j.at("schema") != 1) return wrong("'schema' must be 1");
        for (const auto& x : j.at("findings")) {
            Finding f;
            const auto name = x.at("kind").get<std::string>();
            bool known = false;
            for (const auto& k : finding_kinds())
                if (k.name == name) f.kind = k.kind, known = true;
            if (!known) return wrong("'" + name + "' is not a kind of finding");
            f.severity = x.at("severity") == "warning" ? Severity::warning : Severity::error;
            f.message = x.at("message").get<std::string>();
            f.kernel = x.value("kernel", "");
            f.at = read_place(x.at("at"));
            if (x.contains("other")) f.other = read_place(x["other"]);
            f.space = x.value("space", "");
            f.address = x.value("address", std::uint64_t{0});
            f.bytes = x.value("bytes", 0u);
            if (x.contains("allocation")) read_allocation(x["allocation"], f);
            if (x.contains("array")) f.array = read_array(x["array"]);
            f.count = x.at("count").get<std::uint64_t>();
            f.advice = x.value("advice", "");
            out.push_back(std::move(f));
        }
    } catch (const json::exception& e) {
        return wrong(e.what());
    }
    return out;
}

}  // namespace warpwright::record
