// bench_engine: the emulated GPU, counters on and off, against plain C++ with OpenMP and against PoCL, on the same
// cores of one machine in one run. docs/perf/README.md says how to read it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include "probes.hpp"
#include "report.hpp"
#include "worker.hpp"

namespace {

namespace fs = std::filesystem;
using namespace warpwright::bench;

struct Settings {
    std::vector<unsigned> cores;
    std::vector<std::string> problems, backends;
    unsigned repetitions = 11;
    std::string kernels = WARPWRIGHT_BENCH_KERNELS;
    std::string json, ptx;
    bool probes = true;
};

std::string first_line_with(const char* file, const std::string& start) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(start)) return line.substr(line.find(':') == std::string::npos ? 0 : line.find(':') + 2);
    return "unknown";
}

std::string load_average() {
    std::ifstream in("/proc/loadavg");
    std::string one, five;
    in >> one >> five;
    return one + " " + five;
}

std::string machine() {
    std::ostringstream text;
    text << first_line_with("/proc/cpuinfo", "model name") << ", " << std::thread::hardware_concurrency()
         << " hardware threads, "
         << (first_line_with("/proc/cpuinfo", "flags").find("avx512f") != std::string::npos ? "AVX-512" : "no AVX-512")
         << "; this program by " << WARPWRIGHT_BENCH_COMPILER;
    return text.str();
}

/// One line on a terminal, replaced by the next.
void progress(const std::string& text) {
    if (isatty(2)) std::cerr << "\r\033[K" << text << std::flush;
}

/// Slow problems get fewer samples: none is started after this long, once there are kFewest.
constexpr auto kPatience = std::chrono::seconds(20);
constexpr unsigned kFewest = 3;

Series measure(const Settings& settings, unsigned cores, const std::string& scratch) {
    Series series{cores, {}};
    std::vector<std::unique_ptr<Worker>> workers;
    for (const std::string& backend : settings.backends) {
        // Empty caches: a worker's first run of a problem is a cold one.
        const std::string cache = scratch + "/" + backend + std::to_string(cores);
        fs::create_directories(cache);
        workers.push_back(std::make_unique<Worker>(backend, BackendOptions{cores, settings.kernels, cache}));
    }
    Worker rates("plain", BackendOptions{cores, settings.kernels, ""});
    for (const std::string& problem : settings.problems) {
        progress(std::to_string(cores) + (cores == 1 ? " core: " : " cores: ") + problem);
        Row row{problem, rates.bound(problem), {}};
        std::vector<std::vector<double>> seconds(workers.size());
        const auto start = std::chrono::steady_clock::now();
        // The first run is the cold one. The others take turns, so that what disturbs the machine disturbs all alike.
        for (unsigned repetition = 0; repetition <= settings.repetitions; ++repetition) {
            if (repetition > kFewest && std::chrono::steady_clock::now() - start > kPatience) break;
            for (std::size_t w = 0; w < workers.size(); ++w) {
                Cell& cell = row.cells[settings.backends[w]];
                if (!cell.error.empty()) continue;
                const Answer answer = workers[w]->run(problem);
                cell.error = answer.error;
                cell.cold = answer.cold;
                cell.thread_instructions = static_cast<double>(answer.thread_instructions);
                if (repetition == 0 || !answer.error.empty()) continue;
                cell.processor = seconds[w].empty() ? answer.processor : std::min(cell.processor, answer.processor);
                seconds[w].push_back(answer.seconds);
            }
        }
        for (std::size_t w = 0; w < workers.size(); ++w)
            row.cells[settings.backends[w]].warm = summarize(std::move(seconds[w]));
        series.rows.push_back(std::move(row));
    }
    progress("");
    return series;
}

void measure_all(const Settings& settings, const std::string& scratch) {
    Report report;
    report.machine = machine();
    report.load_before = load_average();
    for (unsigned cores : settings.cores) report.series.push_back(measure(settings, cores, scratch));
    add_targets(report);
    if (settings.probes) add_probes(report, BackendOptions{settings.cores.back(), settings.kernels, scratch});
    report.load_after = load_average();
    print_table(std::cout, report);
    if (!settings.json.empty()) {
        std::ofstream out(settings.json);
        out << to_json(report) << "\n";
        if (!out.flush()) throw std::runtime_error("cannot write " + settings.json);
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Measures the emulated GPU against plain C++ with OpenMP, PoCL and the machine's bounds."};
    Settings settings;
    std::string worker, cache;
    app.add_option("--cores", settings.cores, "core counts to measure on (default: 1, and 2 where there are two)")
        ->delimiter(',');
    app.add_option("--problem", settings.problems, "problems (default: all)")->delimiter(',');
    bool larger = false;
    app.add_flag("--larger", larger, "all problems at sizes that keep many cores busy, in place of the usual ones");
    app.add_option("--backend", settings.backends, "plain, pocl, counted, uncounted (default: all)")->delimiter(',');
    app.add_option("--repetitions", settings.repetitions, "warm runs of each")->check(CLI::Range(1u, 1000u));
    app.add_option("--kernels", settings.kernels, "folder of the kernels")->check(CLI::ExistingDirectory);
    app.add_option("--json", settings.json, "write all figures to this file");
    app.add_option("--write-ptx", settings.ptx, "write the kernels' PTX into this folder, for --kernels; run nothing")
        ->check(CLI::ExistingDirectory);
    app.add_flag("!--no-probes", settings.probes, "leave out barriers, start, compilation, memory, linearity");
    app.add_option("--worker", worker)->group("");
    app.add_option("--cache", cache)->group("");
    CLI11_PARSE(app, argc, argv);

    if (settings.cores.empty()) {
        settings.cores = {1};
        if (std::thread::hardware_concurrency() >= 2) settings.cores.push_back(2);
    }
    if (!worker.empty()) return serve(worker, BackendOptions{settings.cores.front(), settings.kernels, cache});
    if (settings.problems.empty()) settings.problems = larger ? larger_problem_names() : problem_names();
    if (settings.backends.empty()) settings.backends = {"plain", "pocl", "counted", "uncounted"};

    std::string scratch = (fs::temp_directory_path() / "bench_engine.XXXXXX").string();
    if (!mkdtemp(scratch.data())) {
        std::cerr << "error: cannot make a folder in " << fs::temp_directory_path() << "\n";
        return 1;
    }
    int status = 0;
    try {
        if (settings.ptx.empty())
            measure_all(settings, scratch);
        else
            write_ptx(BackendOptions{1, settings.kernels, ""}, settings.ptx);
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << "\n";
        status = 1;
    }
    std::error_code ignored;
    fs::remove_all(scratch, ignored);
    return status;
}
