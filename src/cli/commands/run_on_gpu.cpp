// The program runs with CUPTI injected, so this file finds the injection library, chooses the visible device and
// refuses options that only the emulation has. A source file is built with the nvcc of an installed toolkit for the GPU
// of this machine.
#include "cli/commands/run_on_gpu.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "cli/commands/program_run.hpp"
#include "cli/commands/session.hpp"
#include "cli/commands/whole_program.hpp"
#include "compile/process.hpp"
#include "device/cuda/cuda_device.hpp"
#include "profile/cupti.hpp"
#include "support/library_search.hpp"
#include "support/settings.hpp"

namespace warpwright::cli {
namespace fs = std::filesystem;
using settings::variable;
namespace {

Error usage(std::string what, std::string hint = "") {
    return {ErrorKind::usage, std::move(what), {}, std::move(hint)};
}

Result<std::string> injection_library() {
    if (const std::string own = settings::text(Setting::inject); !own.empty()) return own;
    std::string tried;
    for (const auto& root : library_roots()) {
        std::error_code ec;
        const std::string file = root + "/libwarpwright_inject.so";
        if (fs::exists(file, ec)) return fs::absolute(file, ec).string();
        tried += (tried.empty() ? "" : ", ") + root;
    }
    return Error{ErrorKind::no_device,
                 "our injection library libwarpwright_inject.so is not there (looked in " + tried + ")",
                 {},
                 fmt::format("set {} to it", settings::variable(Setting::inject))};
}

/// The devices that the program will see: only the one that is asked for, of those that we see.
std::string visible(int ordinal) {
    const std::string before = settings::text(Setting::cuda_visible_devices);
    if (before.empty()) return std::to_string(ordinal);
    std::string word;
    int at = 0;
    for (const char* c = before.c_str();; ++c) {
        if (*c && *c != ',') {
            word += *c;
            continue;
        }
        if (at++ == ordinal) return word;
        if (!*c) return before;
        word.clear();
    }
}

}  // namespace

Result<GpuRun> prepare_gpu_run(const ProgramOptions& o, const std::string& profile) {
    const auto ordinal = ordinal_of(o.run.device, "cuda");
    if (!ordinal)
        return usage("there is no device '" + o.run.device + "' for whole programs", "devices: emulated, cuda, cuda:N");
    const struct {
        bool given;
        const char* option;
    } emulated[] = {{!o.run.cpu.empty(), "--cpu"},
                    {o.run.threads != 0, "--threads"},
                    {o.run.timeout > 0, "--timeout"},
                    {o.sample, "--sample"},
                    {o.strict, "--strict"}};
    for (const auto& e : emulated)
        if (e.given) return usage(std::string(e.option) + " is of the emulated device", "leave --device cuda out");
    auto list = device::list_cuda();
    if (!list) return std::move(list).error();
    if (static_cast<std::size_t>(*ordinal) >= list->size())
        return Error{ErrorKind::no_device,
                     fmt::format("there is no device cuda:{}: this machine has {}", *ordinal, list->size()),
                     {},
                     "warpwright device"};
    const auto& info = (*list)[static_cast<std::size_t>(*ordinal)];
    auto cupti = cupti::open_cupti(info.driver_version);
    if (!cupti) return std::move(cupti).error();
    auto inject = injection_library();
    if (!inject) return std::move(inject).error();
    GpuRun out;
    if (o.run.model.empty()) {
        out.model = model_of(info);
    } else {
        auto model = arch::load_model(o.run.model);
        if (!model) return std::move(model).error();
        out.model = std::move(*model);
    }
    out.with = cupti->title();
    auto& e = out.environment;
    e["CUDA_INJECTION64_PATH"] = *inject;
    e[variable(Setting::cupti)] = cupti->path;
    e[variable(Setting::profile)] = profile;
    if (o.run.device != "cuda") e[variable(Setting::cuda_visible_devices)] = visible(*ordinal);
    if (!o.metrics.empty()) {
        std::string all;
        for (const auto& m : o.metrics) all += (all.empty() ? "" : ",") + m;
        e[variable(Setting::metrics)] = all;
    }
    return out;
}

Result<void> build_with_nvcc(const ProgramOptions& o, const std::string& source, const std::string& program) {
    std::string nvcc = o.cuda_path.empty() ? find_program("nvcc") : o.cuda_path + "/bin/nvcc";
    if (nvcc.empty())
        for (const auto& toolkit : LibrarySearch::of_machine(Setting::cupti).toolkits)
            for (const auto& file : matching_files(toolkit + "/bin/nvcc"))
                if (nvcc.empty()) nvcc = file;
    if (nvcc.empty() || !fs::exists(nvcc))
        return Error{ErrorKind::no_device,
                     "no nvcc to compile " + source + " for a real GPU",
                     {},
                     "--cuda-path names a toolkit; or compile it and run the program"};
    // nvcc gives parts of the name to the programs that it starts, as words of their own.
    if (const std::string last = fs::path(source).filename().string(); last.starts_with("@") || last.starts_with("-"))
        return Error{ErrorKind::usage, "nvcc takes this file's name for options", {source, 0, 0}, "rename the file"};
    std::vector<std::string> words{nvcc,
                                   "-O3",
                                   "-std=c++17",
                                   "-lineinfo",
                                   "-arch=native",
                                   "-o",
                                   compile::operand(program),
                                   compile::operand(source)};
    for (const auto& d : o.defines) words.push_back("-D" + d);
    for (const auto& i : o.includes) words.push_back("-I" + i);
    for (const auto& f : o.flags) words.push_back(f);
    auto safe = compile::without_response_files(words);
    if (!safe) return std::move(safe).error();
    auto ended = run_program(*safe, {});
    if (!ended) return std::move(ended).error();
    if (ended->code != 0) return Error{ErrorKind::input, "nvcc could not compile it", {source, 0, 0}, ""};
    return {};
}

}  // namespace warpwright::cli
