#include "worker.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace warpwright::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Of all of this process's threads.
double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Keeps this process, and the threads it will start, on the first `cores` of the CPUs it may use.
void keep_to(unsigned cores) {
    cpu_set_t allowed, chosen;
    CPU_ZERO(&chosen);
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) throw std::runtime_error("sched_getaffinity failed");
    unsigned taken = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && taken < cores; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        CPU_SET(cpu, &chosen);
        ++taken;
    }
    if (taken < cores)
        throw std::runtime_error("this machine lends " + std::to_string(taken) + " cores, not " +
                                 std::to_string(cores));
    if (sched_setaffinity(0, sizeof(chosen), &chosen) != 0) throw std::runtime_error("sched_setaffinity failed");
}

std::uint64_t peak_memory() {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word) {
        if (word != "VmHWM:") continue;
        std::uint64_t kilobytes = 0;
        status >> kilobytes;
        return kilobytes * 1024;
    }
    throw std::runtime_error("/proc/self/status has no VmHWM");
}

struct Held {
    Problem problem;
    std::unique_ptr<Prepared> prepared;
    double cold = 0;
};

std::string run_once(Backend& backend, std::map<std::string, Held>& held, const std::string& name) {
    auto found = held.find(name);
    const bool first = found == held.end();
    if (first) {
        found = held.emplace(name, Held{make_problem(name), nullptr, 0}).first;
    }
    Held& h = found->second;
    const auto cold_start = Clock::now();
    if (!h.prepared) h.prepared = backend.prepare(h.problem);
    if (!first) h.prepared->reset();
    const auto start = Clock::now();
    const double processor_before = processor_seconds();
    h.prepared->run();
    const double processor = processor_seconds() - processor_before, seconds = since(start);
    if (first) h.cold = since(cold_start);
    if (const std::string wrong = h.problem.check(h.prepared->output()); !wrong.empty())
        return "failed wrong result: " + wrong;
    std::ostringstream answer;
    answer << "ok " << seconds << ' ' << h.cold << ' ' << h.prepared->thread_instructions() << ' ' << processor;
    return answer.str();
}

std::string bound_answer(const std::string& name, unsigned cores) {
    const Problem problem = make_problem(name);
    double bytes = 0;
    for (const Bytes& buffer : problem.buffers) bytes += static_cast<double>(buffer.size());
    const Bound bound = bound_of(problem.work, bytes, cores);
    std::ostringstream answer;
    answer << "ok " << bound.seconds << ' ' << bound.by;
    return answer.str();
}

}  // namespace

int serve(const std::string& name, const BackendOptions& options) {
    std::unique_ptr<Backend> backend;
    std::string broken;
    try {
        keep_to(options.cores);
        backend = make_backend(name, options);
    } catch (const std::exception& e) {
        broken = e.what();
    }
    std::map<std::string, Held> held;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::string answer;
        try {
            if (!backend) {
                answer = "failed " + broken;
            } else if (line.starts_with("memory ")) {
                backend->use_memory(std::stoull(line.substr(7)));
                answer = "ok " + std::to_string(peak_memory());
            } else if (line.starts_with("bound ")) {
                answer = bound_answer(line.substr(6), options.cores);
            } else {
                answer = run_once(*backend, held, line);
            }
        } catch (const std::exception& e) {
            answer = std::string("failed ") + e.what();
        }
        for (char& c : answer)
            if (c == '\n') c = ' ';
        std::cout << answer << std::endl;
    }
    return 0;
}

Worker::Worker(const std::string& backend, const BackendOptions& options) {
    std::signal(SIGPIPE, SIG_IGN);
    int request[2], reply[2];
    // Closed on exec, so that a worker does not keep its sisters' pipes open.
    if (pipe2(request, O_CLOEXEC) != 0 || pipe2(reply, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
    process_ = fork();
    if (process_ < 0) throw std::runtime_error("fork failed");
    if (process_ == 0) {
        dup2(request[0], 0);
        dup2(reply[1], 1);
        const std::string cores = std::to_string(options.cores);
        // OpenMP counts the machine's processors before the worker keeps to fewer, and its threads go on turning for
        // milliseconds after their work, on the cores of the next worker.
        setenv("OMP_NUM_THREADS", cores.c_str(), 1);
        setenv("OMP_WAIT_POLICY", "passive", 1);
        const char* arguments[] = {"bench_engine",
                                   "--worker",
                                   backend.c_str(),
                                   "--cores",
                                   cores.c_str(),
                                   "--kernels",
                                   options.kernels.c_str(),
                                   "--cache",
                                   options.cache_directory.c_str(),
                                   nullptr};
        execv("/proc/self/exe", const_cast<char* const*>(arguments));
        _exit(127);
    }
    close(request[0]);
    close(reply[1]);
    to_ = fdopen(request[1], "w");
    from_ = fdopen(reply[0], "r");
}

Worker::~Worker() {
    if (to_) std::fclose(to_);
    if (from_) std::fclose(from_);
    if (process_ > 0) waitpid(process_, nullptr, 0);
}

std::string Worker::ask(const std::string& line) {
    std::fprintf(to_, "%s\n", line.c_str());
    std::fflush(to_);
    std::string answer;
    for (int c; (c = std::fgetc(from_)) != EOF && c != '\n';) answer.push_back(static_cast<char>(c));
    return answer;
}

Answer Worker::run(const std::string& problem) {
    const std::string line = ask(problem);
    Answer answer;
    if (line.starts_with("ok ")) {
        std::istringstream in(line.substr(3));
        in >> answer.seconds >> answer.cold >> answer.thread_instructions >> answer.processor;
    } else {
        answer.error = line.starts_with("failed ") ? line.substr(7) : "the worker died";
    }
    return answer;
}

Bound Worker::bound(const std::string& problem) {
    const std::string line = ask("bound " + problem);
    if (!line.starts_with("ok ")) throw std::runtime_error(line.empty() ? "the worker died" : line);
    Bound bound;
    std::istringstream in(line.substr(3));
    in >> bound.seconds >> std::ws;
    std::getline(in, bound.by);
    return bound;
}

std::uint64_t Worker::memory(std::uint64_t buffers) {
    const std::string line = ask("memory " + std::to_string(buffers));
    if (!line.starts_with("ok ")) throw std::runtime_error(line.empty() ? "the worker died" : line);
    return std::stoull(line.substr(3));
}

}  // namespace warpwright::bench
