// The device, its model and the predictor are made at their first use, each once. Messages are said once per text, and
// output of kernels is collected until it is flushed.
#include "cudart/state/runtime.hpp"
#include "cudart/state/chosen_device.hpp"
#include "cudart/state/memory_watch.hpp"
#include "cudart/state/message_log.hpp"
#include "device/emulated/emulated.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "compile/ptxas/ptxas.hpp"
#include "host/machine.hpp"
#include "host/memory.hpp"
#include "launch/limits.hpp"
#include "support/cause.hpp"
#include "support/disk_cache.hpp"
#include "support/settings.hpp"
#include "support/source_files.hpp"
#include "support/warnings.hpp"

namespace warpwright::cudart {

Settings Settings::from_environment() {
    Settings s;
    s.wrong = settings::wrong();
    s.model = settings::text(Setting::model);
    s.profile = settings::text(Setting::profile);
    s.per_line = settings::flag(Setting::per_line, false);
    if (const auto text = settings::text(Setting::predict); !text.empty()) {
        if (const auto chosen = predict::parse_simulate(text))
            s.simulate = *chosen;
        else
            s.wrong.push_back(predict::no_such_choice(settings::variable(Setting::predict), text));
    }
    if (const auto text = settings::text(Setting::host_clock); text == "modelled")
        s.modelled_clock = true;
    else if (!text.empty() && text != "real")
        s.wrong.push_back(Error{ErrorKind::usage,
                                std::string(settings::variable(Setting::host_clock)) + " is '" + text + "'",
                                {},
                                "modelled or real"});
    s.events = settings::flag(Setting::events, false);
    s.pictures = settings::flag(Setting::pictures, false);
    s.counters = settings::flag(Setting::counters, true);
    s.threads = static_cast<unsigned>(settings::whole(Setting::threads, 0));
    s.timeout = settings::number(Setting::timeout, 0);
    s.devices = static_cast<unsigned>(settings::whole(Setting::device_count, 1));
    if (const auto text = settings::text(Setting::topology); !text.empty()) {
        s.topology = arch::parse_topology(text);
        if (!s.topology)
            s.wrong.push_back(Error{ErrorKind::usage,
                                    std::string(settings::variable(Setting::topology)) + " is '" + text + "'",
                                    {},
                                    "nvlink or pcie"});
    }
    s.kernel = settings::text(Setting::kernel);
    s.launches = settings::whole(Setting::launches, 0);
    s.skip = settings::whole(Setting::launch_skip, 0);
    s.sample = settings::number(Setting::sample, 0);
    s.strict = settings::flag(Setting::strict, false);
    s.mode = settings::text(Setting::mode);
    s.findings = settings::text(Setting::findings);
    const auto chosen = settings::text(Setting::checkers);
    if (s.mode == "check" || !chosen.empty()) {
        auto set = record::parse_checkers(chosen.empty() ? "all" : chosen);
        if (!set) s.wrong.push_back(set.error());
        s.checkers = set ? *set : record::kAllCheckers;
    }
    return s;
}

std::string library_folder() {
    Dl_info info{};
    if (!::dladdr(reinterpret_cast<void*>(&library_folder), &info) || !info.dli_fname) return "";
    std::error_code ec;
    return std::filesystem::weakly_canonical(info.dli_fname, ec).parent_path().string();
}

Runtime::Runtime() : settings(Settings::from_environment()) {
    // Each call of the program asks whether this is a child, which is told once. One of a parent that had not started
    // is as good as any process.
    (void)::pthread_atfork(nullptr, nullptr, [] { get().forked_ = get().started(); });
    on_warning([this](const std::string& text) { say(text); });
    for (const Error& wrong : settings.wrong) say(wrong.text() + "; the default is used");
}

Runtime& Runtime::get() {
    static auto* runtime = new Runtime;
    return *runtime;
}

bool Runtime::forked() const { return forked_.load(std::memory_order_relaxed); }

void Runtime::tell_forked(std::string_view function) {
    for (const std::string_view word : {"Get", "Destroy", "Free", "Release", "Unload", "Unregister"})
        if (function.find(word) != std::string_view::npos) return;
    // Another thread of the parent may have held a lock of say()'s.
    static std::atomic<bool> told{false};
    if (!told.exchange(true))
        std::fprintf(
            stderr,
            "warpwright: %.*s: this process was forked from one that had used the GPU, and cannot use it, as on a GPU "
            "(fork first, or start a process of its own; Python: multiprocessing's \"spawn\")\n",
            static_cast<int>(function.size()), function.data());
}

const arch::DeviceModel& Runtime::model() {
    std::call_once(model_once_, [&] {
        auto model = arch::load_model(arch::model_or_default(settings.model));
        if (model) {
            model_ = std::move(*model);
            return;
        }
        say(model.error());
        model_.name = "none", model_.title = "Warpwright emulated GPU", model_.compute_capability = 90;
        model_.sm.multiprocessors = 132;
    });
    return model_;
}

predict::Predictor& Runtime::predictor() {
    // Each launch asks twice, and a predictor lasts as long as the process.
    struct Last {
        std::size_t stream = 0;
        predict::Predictor* own = nullptr;
    };
    thread_local Last last;
    const auto stream = thread_state().stream;
    if (!last.own || last.stream != stream) last = {stream, &predictor_of(stream)};
    return *last.own;
}

predict::Predictor& Runtime::predictor_of(std::size_t stream) {
    const std::lock_guard lock(predictors_mutex_);
    auto& own = predictors_[stream];
    if (!own) {
        // The program is trusted with the files that it names.
        static const auto sources = std::make_shared<SourceFiles>();
        const auto line = [this](const std::string& file, unsigned number) {
            const std::lock_guard reading(source_mutex_);
            return sources->line(file, number);
        };
        own = std::make_unique<predict::Predictor>(model(), settings.simulate, line, default_cache_directory());
    }
    return *own;
}

namespace {

/// Where the process may have so much address space and no more, the part of it that is left for device memory: that is
/// reserved twice, and the checkers reserve some 40 bytes for each byte.
std::optional<std::uint64_t> bounded_memory(bool checked) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
    return limit.rlim_cur / (checked ? 128 : 4);
}

}  // namespace

/// The range of addresses for all devices. The checkers reserve some 40 bytes for each byte of it; no machine has as
/// much memory as is left then.
static std::uint64_t address_range(const arch::DeviceModel& model, const Settings& settings) {
    constexpr std::uint64_t kMostChecked = std::uint64_t{1} << 40;
    const auto all = std::max<std::uint64_t>(model.memory.size, std::uint64_t{64} << 30) * settings.devices;
    return settings.checkers ? std::min(all, std::max<std::uint64_t>(kMostChecked, all / settings.devices)) : all;
}

std::uint64_t Runtime::memory_size() {
    constexpr std::uint64_t kOther = std::uint64_t{16} << 30;
    const auto& m = model();
    const std::uint64_t size = m.memory.size ? m.memory.size : kOther;
    return std::min(size, bounded_memory(settings.checkers != 0).value_or(size));
}

bool Runtime::can_take(std::uint64_t bytes) {
    const std::uint64_t used = memory_used(current_device()), all = memory_size();
    if (bytes > all || used > all - bytes) return false;
    // Memory is this machine's once it is touched.
    std::uint64_t together = bytes;
    for (const auto& of : of_) together += of.used;
    MemoryWatch::get().allocated(together);
    return true;
}

device::Device* Runtime::device() {
    std::call_once(device_once_, [&] {
        device::EmulatedOptions options;
        options.limits = launch::limits_of(model());
        options.threads = settings.threads;
        options.cache_directory = default_cache_directory();
        options.memory_folder = settings::text(Setting::memory_file);
        options.hosts = settings::text(Setting::hosts);
        options.zeroed = true;
        options.tolerant = !settings.strict;
        options.lazy = true;
        options.checkers = settings.checkers;
        // The program is trusted with what it names.
        options.sources = std::make_shared<SourceFiles>();
        // The host and other streams may change the memory for which a kernel waits.
        options.patience = std::chrono::seconds(5);
        options.is_host_memory = [](std::uint64_t address) {
            return host::readable_bytes(reinterpret_cast<const void*>(address)) != 0;
        };
        options.tell = [this](const std::string& text) { say(text); };
        options.memory = bounded_memory(settings.checkers != 0).value_or(address_range(model(), settings));
        if (auto usable = compile::Ptxas::of_process(options.cache_directory); !usable) {
            say(usable.error().text() + "; registers are estimated");
            options.estimated_registers = true;
        }
        auto made = device::make_emulated(options);
        if (!made && made.error().kind == ErrorKind::no_device && !options.hosts.empty()) {
            say(made.error().text() + "; this process runs on its own host");
            options.hosts.clear();
            made = device::make_emulated(options);
        }
        if (!made) {
            say(made.error());
            return;
        }
        device_ = std::move(*made);
        started_ = true;
        device_started();
    });
    return device_.get();
}

namespace {

/// Lines are said up to the very end of the process, when a thread's objects are destroyed: this one lasts.
std::string& said_last() {
    thread_local std::string* text = nullptr;
    if (!text) text = new std::string;
    return *text;
}

}  // namespace

const std::string& Runtime::last_said() { return said_last(); }

void Runtime::say(const std::string& text) {
    said_last() = text;
    MessageLog::get().add(text);
    std::lock_guard lock(say_mutex_);
    if (!said_.insert(text).second) return;
    std::fflush(stdout);
    std::fprintf(stderr, "warpwright: %s\n", printable_lines(text).c_str());
}

void Runtime::print(const std::string& text) {
    std::lock_guard lock(print_mutex_);
    printed_ += text;
}

void Runtime::flush_print() {
    std::lock_guard lock(print_mutex_);
    if (printed_.empty()) return;
    std::fwrite(printed_.data(), 1, printed_.size(), stdout);
    printed_.clear();
}

void Runtime::end() {
    ending_ = true;
    if (device_ && !forked()) device_->cancel();
}

int& chosen_device() {
    thread_local int device = -1;
    return device;
}

ThreadState& thread_state() {
    thread_local ThreadState state;
    return state;
}

cudaError_t code_of(const Error& error) {
    // The table of causes has the codes of all causes that are distinguished; an error without one is mapped by its
    // kind.
    if (const auto code = info(error.cause).cuda) return static_cast<cudaError_t>(code);
    switch (error.kind) {
        case ErrorKind::usage:
            return cudaErrorInvalidValue;
        case ErrorKind::input:
            return cudaErrorInvalidPtx;
        case ErrorKind::limit:
            return cudaErrorInvalidConfiguration;
        case ErrorKind::no_device:
            return cudaErrorNoDevice;
        case ErrorKind::internal:
            return cudaErrorUnknown;
        case ErrorKind::fault:
            break;
    }
    return cudaErrorIllegalAddress;
}

}  // namespace warpwright::cudart
