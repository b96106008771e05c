#include "probes.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <stdexcept>

#include "worker.hpp"

namespace warpwright::bench {
namespace {

using Clock = std::chrono::steady_clock;

double run_checked(Worker& worker, const std::string& problem) {
    const Answer answer = worker.run(problem);
    if (!answer.error.empty()) throw std::runtime_error(answer.error);
    return answer.seconds;
}

double median_of(Worker& worker, const std::string& problem, unsigned runs) {
    run_checked(worker, problem);
    std::vector<double> seconds;
    for (unsigned i = 0; i < runs; ++i) seconds.push_back(run_checked(worker, problem));
    return summarize(std::move(seconds)).median;
}

/// Core time of one barrier of one warp, nanoseconds: 64 blocks of 8 warps, 2000 barriers each.
double barrier_cost(const std::string& backend, const BackendOptions& options) {
    Worker worker(backend, options);
    return median_of(worker, "barriers:64x2000", 7) * options.cores * 1e9 / (64.0 * 8 * 2000);
}

/// Seconds from starting a process to its first result checked.
double start_to_result(const BackendOptions& options) {
    const auto start = Clock::now();
    Worker worker("counted", options);
    run_checked(worker, "barriers:64x1");
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Seconds from PTX text to the first result of a straight kernel of 1000 instructions.
double compile_1000(const BackendOptions& options) {
    Worker worker("counted", options);
    const Answer answer = worker.run("straight:1000");
    if (!answer.error.empty()) throw std::runtime_error(answer.error);
    return answer.cold;
}

/// How much dearer a block gets when there are 16 times as many.
double growth(const BackendOptions& options) {
    Worker worker("counted", options);
    std::vector<double> few, many;
    for (int i = 0; i < 9; ++i) {
        few.push_back(run_checked(worker, "barriers:2000x50"));
        many.push_back(run_checked(worker, "barriers:32000x50"));
    }
    return summarize(std::move(many)).median / (16 * summarize(std::move(few)).median);
}

}  // namespace

void add_probes(Report& report, const BackendOptions& options) {
    const auto add = [&](const std::string& name, const std::string& unit, double at_most,
                         const std::function<double()>& measure) {
        Figure figure{name, unit, 0, at_most, false, ""};
        try {
            figure.value = measure();
        } catch (const std::exception& e) {
            figure.error = e.what();
        }
        report.figures.push_back(std::move(figure));
    };
    const auto fresh = [&](const std::string& name) {
        BackendOptions with = options;
        with.cache_directory = options.cache_directory + "/" + name;
        std::filesystem::create_directories(with.cache_directory);
        return with;
    };
    const auto barriers = fresh("barriers"), start = fresh("start"), compile = fresh("compile"), other = fresh("other");
    add("barrier of one warp, core time", "ns", 3, [&] { return barrier_cost("counted", barriers); });
    add("  the same on PoCL", "ns", 0, [&] { return barrier_cost("pocl", barriers); });
    add("start of a process to first result, caches empty", "s", 0, [&] { return start_to_result(start); });
    add("start of a process to first result, caches filled", "s", 0.5, [&] { return start_to_result(start); });
    add("kernel of 1000 instructions: PTX to result, cache empty", "s", 0.3, [&] { return compile_1000(compile); });
    add("kernel of 1000 instructions: PTX to result, cached", "s", 0, [&] { return compile_1000(compile); });
    constexpr std::uint64_t kBuffers = 512;
    add("peak memory, buffers of 512 MiB", "MiB", 1.5 * kBuffers + 300, [&] {
        Worker worker("counted", other);
        return static_cast<double>(worker.memory(kBuffers << 20)) / (1 << 20);
    });
    add("cost of a block at 32000 blocks over that at 2000", "x", 1.15, [&] { return growth(other); });
}

}  // namespace warpwright::bench
