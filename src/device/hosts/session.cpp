// Both ends are of one build, so that values go as they lie in memory.
#include "device/hosts/session.hpp"

namespace warpwright::device {

std::string Session::words() const {
    WriteWords w;
    w.add(base).add(memory).add(zeroed).add(tolerant).add(multiprocessors).add(lanes).add(transaction_bytes);
    w.add(compute_capability).add(pace);
    return w.take();
}

Session Session::from(const std::string& words) {
    ReadWords r(words);
    Session s;
    s.base = r.get<std::uint64_t>(), s.memory = r.get<std::uint64_t>();
    s.zeroed = r.get<bool>(), s.tolerant = r.get<bool>();
    s.multiprocessors = r.get<std::uint32_t>(), s.lanes = r.get<std::uint32_t>();
    s.transaction_bytes = r.get<std::uint32_t>(), s.compute_capability = r.get<int>();
    s.pace = r.get<engine::Pace>();
    return s;
}

Session Session::of(const engine::EngineOptions& o, const engine::DeviceMemory& memory) {
    Session s;
    s.base = memory.base(), s.memory = o.memory;
    s.zeroed = o.zeroed, s.tolerant = o.tolerant;
    s.multiprocessors = o.multiprocessors, s.lanes = o.lanes, s.transaction_bytes = o.transaction_bytes;
    s.compute_capability = o.compute_capability, s.pace = o.pace;
    return s;
}

engine::EngineOptions Session::options(unsigned threads) const {
    engine::EngineOptions o;
    o.threads = threads;
    o.memory = memory;
    o.zeroed = zeroed, o.tolerant = tolerant;
    o.multiprocessors = multiprocessors, o.lanes = lanes, o.transaction_bytes = transaction_bytes;
    o.compute_capability = compute_capability, o.pace = pace;
    return o;
}

std::string GridWords::words() const {
    WriteWords w;
    w.add(number).add_text(program).add_text(kernel).add(static_cast<std::uint64_t>(variables.size()));
    for (const auto& [name, address] : variables) w.add_text(name).add(address);
    w.add_all(memory.data(), memory.size()).add(parameters).add_all(arguments.data(), arguments.size());
    w.add(config).add(explicit_cluster).add(counters).add(per_line).add(timeout).add(trace).add(graph).add(device);
    return w.take();
}

GridWords GridWords::from(const std::string& words) {
    ReadWords r(words);
    GridWords g;
    g.number = r.get<std::uint64_t>(), g.program = r.text(), g.kernel = r.text();
    for (auto left = r.get<std::uint64_t>(); left > 0 && !r.cut(); --left) {
        auto name = r.text();
        g.variables[std::move(name)] = r.get<std::uint64_t>();
    }
    g.memory = r.all<engine::Allocation>();
    g.parameters = r.get<std::uint64_t>(), g.arguments = r.all<std::byte>();
    g.config = r.get<launch::LaunchConfig>(), g.explicit_cluster = r.get<bool>();
    g.counters = r.get<bool>(), g.per_line = r.get<bool>(), g.timeout = r.get<std::int64_t>();
    g.trace = r.get<launch::TraceRequest>(), g.graph = r.get<std::uint64_t>(), g.device = r.get<unsigned>();
    return g;
}

GridWords GridWords::of(const engine::SharedGrid& grid, const engine::DeviceMemory& memory) {
    GridWords g;
    g.program = grid.program.key, g.kernel = grid.kernel;
    const auto& m = grid.program.module;
    for (std::size_t i = 0; i < m.variables.size(); ++i)
        if (grid.program.variables[i]) g.variables[m.variables[i].name] = grid.program.variables[i];
    g.memory = memory.live();
    g.parameters = grid.parameters;
    const auto& request = grid.request;
    g.arguments.assign(request.parameters.begin(), request.parameters.end());
    g.config = request.config, g.explicit_cluster = request.explicit_cluster;
    const auto& o = request.options;
    g.counters = o.counters, g.per_line = o.per_line, g.timeout = o.timeout.count();
    g.trace = o.trace, g.graph = o.graph, g.device = o.device;
    return g;
}

std::string words_of(const engine::BlocksDone& done) {
    WriteWords w;
    w.add_all(done.counters.data(), done.counters.size()).add_all(done.sites.data(), done.sites.size());
    w.add_all(done.spaces.data(), done.spaces.size());
    std::uint64_t touched = 0;
    done.touched.each([&](auto...) { ++touched; });
    w.add(touched);
    done.touched.each(
        [&](std::uint64_t address, std::uint64_t bytes, std::uint8_t how) { w.add(address).add(bytes).add(how); });
    w.add(static_cast<std::uint64_t>(done.work.size()));
    for (const auto& [index, work] : done.work) w.add(index).add(work);
    return w.take();
}

engine::BlocksDone done_of(const std::string& words) {
    ReadWords r(words);
    engine::BlocksDone done;
    done.counters = r.all<std::uint64_t>();
    done.sites = r.all<engine::Site>(), done.spaces = r.all<engine::SiteSpaces>();
    for (auto left = r.get<std::uint64_t>(); left > 0 && !r.cut(); --left) {
        const auto address = r.get<std::uint64_t>(), bytes = r.get<std::uint64_t>();
        done.touched.add(address, bytes, r.get<std::uint8_t>());
    }
    for (auto left = r.get<std::uint64_t>(); left > 0 && !r.cut(); --left) {
        const auto index = r.get<std::uint64_t>();
        done.work.emplace_back(index, r.get<machine::LaunchTrace::BlockWork>());
    }
    return done;
}

}  // namespace warpwright::device
