// The groups of ceilings in the order in which they run: the clock first, because every other figure's source names it.
#include "measure/ceilings/ceilings.hpp"

#include <algorithm>

#include "measure/ceilings/deep.hpp"

namespace warpwright::measure {
namespace {

struct Group {
    std::string name;
    std::vector<Part> (*parts)();
    bool deep = false;
};

const std::vector<Group>& groups() {
    static const std::vector<Group> list{
        {"clock", clock_parts},        {"memory", memory_parts},         {"latency", latency_parts},
        {"shared", shared_parts},      {"arithmetic", arithmetic_parts}, {"tensor", tensor_parts},
        {"transfers", transfer_parts}, {"launches", launch_parts},       {"operations", operation_parts, true},
        {"blocks", block_parts, true}, {"waits", wait_parts, true},      {"traffic", traffic_parts, true},
        {"bulk", bulk_parts, true}};
    return list;
}

}  // namespace

const std::vector<std::string>& ceiling_groups() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        for (const Group& g : groups()) out.push_back(g.name);
        return out;
    }();
    return names;
}

Result<Ceilings> measure_ceilings(device::Device& device, const arch::DeviceModel& base,
                                  const CeilingOptions& options) {
    if (!device.timer())
        return Error{ErrorKind::no_device,
                     "the device '" + device.name() + "' has no clock: there is nothing to measure",
                     {},
                     "ceilings are measured on a real GPU; data sheets' are in the device models"};
    std::vector<std::pair<std::string, Part>> parts;
    for (const Group& g : groups()) {
        const auto& wanted = options.groups;
        const bool named = std::find(wanted.begin(), wanted.end(), g.name) != wanted.end();
        // The clock belongs to every figure's source, so it is always measured.
        if (g.name != "clock" && !(wanted.empty() ? !g.deep || options.deep : named)) continue;
        for (Part& part : g.parts()) parts.emplace_back(g.name, std::move(part));
    }
    Bench bench(device, base, options);
    const double begin = options.within > 0 ? options.clock() : 0;
    bool in_time = true;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto& [group, part] = parts[i];
        in_time = in_time && (options.within <= 0 || options.clock() - begin < options.within);
        if (!in_time) {
            bench.leave_out(Subject{group, part.first, "", "", 1, {}, "", {}}, kNoTime);
            continue;
        }
        if (options.progress) options.progress(part.first, i, parts.size());
        part.second(bench);
        if (options.measured) options.measured(bench.so_far());
    }
    if (options.groups.empty()) say_unmeasured(bench, options.deep, in_time);
    return bench.result();
}

bool is_measured(const arch::DeviceModel& model) {
    if (model.name.ends_with("-measured")) return true;
    return std::any_of(model.sources.begin(), model.sources.end(), [](const auto& s) {
        const std::string& figure = s.first;
        return figure.starts_with("conflicts.") ||
               (figure.starts_with("ceilings.") && !figure.starts_with("ceilings.peer_") &&
                !figure.ends_with("to_device") && !figure.ends_with("to_host") && !figure.ends_with("both_ways"));
    });
}

std::string ceilings_model(const Ceilings& ceilings, const std::string& base, const std::string& title,
                           const std::string& comment) {
    arch::ModelText text;
    text.inherit = base;
    text.title = title;
    text.comment = comment;
    for (const record::Record& r : ceilings.records)
        if (r.left_out) text.comment += "\nnot measured: " + r.rung + ": " + *r.left_out;
    text.figures = ceilings.figures;
    return arch::write_model(text);
}

}  // namespace warpwright::measure
