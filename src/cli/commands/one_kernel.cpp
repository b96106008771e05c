// Arguments are checked against the kernel's parameters before any buffer is allocated, because buffers may be large.
// On the emulated device compiling and running have a time limit, and the process ends where they pass it and cannot be
// stopped.
#include "cli/commands/one_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "cli/commands/untrusted.hpp"
#include "host/machine.hpp"
#include "lab/sweep/target.hpp"
#include "ladder/pack.hpp"
#include "launch/declared.hpp"
#include "support/cause.hpp"
#include "support/early_end.hpp"
#include "support/elapsed.hpp"
#include "support/read_file.hpp"
#include "values/npy.hpp"

namespace warpwright::cli {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{16} << 20;  ///< bytes moved at a time

Result<DeviceBuffer> upload(device::Device& device, const LaunchArgument& a, std::size_t index, std::uint64_t seed) {
    unsigned size = values::element_size(a.element);
    auto address = device.allocate(a.count * size);
    if (!address) return std::move(address).error();
    DeviceBuffer buffer(device, *address, a.count * size);
    if (a.unwritten) return buffer;
    std::string name = "argument " + std::to_string(index);
    if (a.contents.kind == values::Contents::Kind::file) {
        auto bytes = values::read_buffer_file(a.contents.path, a.element, a.count);
        if (!bytes) return std::move(bytes).error();
        if (!bytes->empty())
            if (auto ok = device.write(*address, *bytes); !ok) return ok.error();
        return buffer;
    }
    if (a.contents.kind == values::Contents::Kind::zero && buffer.bytes > 0) {
        if (auto ok = device.fill(*address, 0, buffer.bytes); !ok) return ok.error();
        return buffer;
    }
    std::vector<std::byte> piece;
    for (std::uint64_t begin = 0; begin < a.count; begin += kPiece / size) {
        piece.resize(std::min(kPiece / size, a.count - begin) * size);
        values::fill_contents(a.contents, a.element, name, seed, begin, piece);
        if (auto ok = device.write(*address + begin * size, piece); !ok) return ok.error();
    }
    return buffer;
}

/// How long compiling may take where nobody says: as long as clang by itself. LLVM takes minutes for some texts of a
/// few hundred lines, made for that.
constexpr std::chrono::minutes kCompiling{10};

std::chrono::milliseconds compile_limit(const Runtime& runtime) {
    return runtime.launch.timeout.count() > 0 ? runtime.launch.timeout : std::chrono::milliseconds(kCompiling);
}

/// A buffer of doubles for a `const float*` would be read as floats, and give numbers that mean nothing.
Result<void> elements_fit(const LaunchOptions& options, const Prepared& prepared, const device::KernelInfo& kernel) {
    std::string source;
    if (!options.file.ends_with(".ptx"))
        if (auto text = read_file(options.file, file_limit::source)) source = std::move(*text);
    const auto declared = launch::declared_parameters(kernel.name, kernel.parameters.size(), source);
    for (std::size_t i = 0; i < prepared.arguments.size() && i < declared.size(); ++i) {
        const LaunchArgument& a = prepared.arguments[i];
        if (a.kind != LaunchArgument::Kind::buffer) continue;
        if (launch::takes_elements(declared[i], values::element_size(a.element))) continue;
        return Error{
            ErrorKind::usage,
            fmt::format("argument {} ('{}') does not fit: {}", i, a.text, launch::elements_wanted(declared[i])),
            Location{options.file, 0, 0},
            fmt::format("a buffer of {}: {}{}", launch::element_to_pass(declared[i]),
                        launch::element_to_pass(declared[i]),
                        a.text.substr(std::min(a.text.find('['), a.text.size())))};
    }
    return {};
}

/// The buffers of the emulated device lie in the host's memory.
Result<void> enough_memory(const Prepared& prepared, const Runtime& runtime) {
    if (runtime.real()) return {};
    std::uint64_t wanted = 0;
    for (const LaunchArgument& a : prepared.arguments) {
        std::uint64_t bytes = 0;
        if (a.kind != LaunchArgument::Kind::buffer) continue;
        if (__builtin_mul_overflow(a.count, values::element_size(a.element), &bytes) ||
            __builtin_add_overflow(wanted, bytes, &wanted))
            wanted = ~std::uint64_t{0};
        const auto memory = host::memory_bytes();
        if (memory != 0 && wanted > memory)
            return Error{ErrorKind::limit, fmt::format("argument '{}' is larger than this machine's memory", a.text),
                         Location{}, fmt::format("this machine has {} MiB", memory >> 20)};
    }
    return {};
}

}  // namespace

void end_now(Console& console, const Error& error) {
    const int code = console.fail(error);
    (void)console.flush();
    early_end::leave_nothing();
    std::_Exit(code);
}

Error too_late(const std::string& what, const std::string& file, std::chrono::milliseconds limit) {
    return Error{ErrorKind::fault,
                 fmt::format("{} it takes longer than {} s", what, static_cast<double>(limit.count()) / 1000),
                 Location{file, 0, 0}, "a larger --timeout"};
}

Result<device::LaunchResult> launch_bounded(const LaunchOptions& options, const Prepared& prepared, Runtime& runtime,
                                            OneKernel& ready, Console& console) {
    // Once blocks run the engine ends the launch itself, soon after its limit.
    const auto limit = runtime.launch.timeout, compiling = compile_limit(runtime);
    // A launch without a limit may run for years.
    const std::chrono::milliseconds running =
        limit.count() > 0 ? limit + std::chrono::seconds(2) : std::chrono::hours(24 * 365 * 10);
    std::atomic<bool> begun = false;
    runtime.launch.begun = &begun;
    runtime.launch.compile_timeout = ready.left;
    auto launched = bounded<Result<device::LaunchResult>>(
        runtime, console, ready.left, too_late("compiling or running", options.file, compiling),
        [&] {
            return runtime.device->launch(*ready.module, ready.kernel->name, prepared.config, ready.parameters,
                                          runtime.launch);
        },
        [&] { return begun ? running : std::chrono::milliseconds(0); });
    runtime.launch.begun = nullptr;
    if (!launched && !begun && launched.error().cause == Cause::time_limit)
        return too_late("compiling", options.file, compiling);
    return launched;
}

/// What parts of the shared memory begin at a multiple of.
constexpr std::uint64_t kLocalUnit = 16;

Result<Prepared> prepare(const LaunchOptions& options) {
    Prepared p;
    auto grid = parse_extent(options.grid, "grid"), block = parse_extent(options.block, "block");
    if (!grid) return std::move(grid).error();
    if (!block) return std::move(block).error();
    p.config = {*grid, *block, options.shared, options.cooperative};
    for (const std::string& text : options.arguments) {
        auto a = parse_argument(text);
        if (!a) return std::move(a).error();
        // Each __local pointer has its own part of the dynamic shared memory, as OpenCL gives it.
        if (a->kind == LaunchArgument::Kind::local) {
            a->number = static_cast<long double>(p.config.dynamic_shared);
            p.config.dynamic_shared += (a->bytes + kLocalUnit - 1) / kLocalUnit * kLocalUnit;
        }
        p.arguments.push_back(std::move(*a));
    }
    for (const std::string& text : options.outputs) {
        auto o = parse_output(text);
        if (!o) return std::move(o).error();
        if (o->first >= p.arguments.size() || p.arguments[o->first].kind != LaunchArgument::Kind::buffer)
            return Error{ErrorKind::usage, fmt::format("output '{}': argument {} is not a buffer", text, o->first),
                         Location{}, fmt::format("there are {} arguments, counted from 0", p.arguments.size())};
        p.outputs.push_back(std::move(*o));
    }
    return p;
}

Result<const device::KernelInfo*> chosen_kernel(const LaunchOptions& options, const device::Module& module) {
    if (options.kernel.empty() && module.kernels().size() == 1) return &module.kernels().front();
    auto found = ladder::find_kernel(module, options.kernel);
    if (found) return found;
    Error error = std::move(found).error();
    error.where = Location{options.file, 0, 0};
    if (options.kernel.empty()) error.kind = ErrorKind::usage, error.what = "--kernel is missing";
    return error;
}

Result<OneKernel> one_kernel(const LaunchOptions& options, const Prepared& prepared, Runtime& runtime,
                             Console& console) {
    const auto limit = compile_limit(runtime);
    const auto began = std::chrono::steady_clock::now();
    const auto left = [&] { return time_left(limit, seconds_since(began)); };
    std::vector<std::string> warnings;
    auto ptx = bounded<Result<std::string>>(runtime, console, limit, too_late("compiling", options.file, limit), [&] {
        return lab::compile_to_ptx(options.file, options.defines, options.includes, *runtime.target, &warnings);
    });
    if (!ptx) return std::move(ptx).error();
    for (const std::string& warning : warnings) console.note(warning);
    if (auto ok = end_of_compiling(); !ok) return std::move(ok).error();
    for (const std::string& note : runtime.notes) console.note(note);
    if (std::string text = compilers_text(*runtime.target); !text.empty()) console.note(text);
    device::Device& device = *runtime.device;
    using Loaded = decltype(device.load(options.file, *ptx));
    auto module = bounded<Loaded>(runtime, console, left(), too_late("compiling", options.file, limit),
                                  [&] { return device.load(options.file, *ptx); });
    if (!module) return std::move(module).error();
    const auto for_host_code = left();

    auto found = chosen_kernel(options, **module);
    if (!found) return std::move(found).error();
    const device::KernelInfo* kernel = *found;

    // The number of arguments is checked before buffers are made: they may be large.
    std::vector<ladder::ArgumentValue> values;
    for (const LaunchArgument& a : prepared.arguments) {
        ladder::ArgumentValue v;
        v.text = a.text;
        const bool local = a.kind == LaunchArgument::Kind::local;
        v.kind = local || a.kind == LaunchArgument::Kind::number ? ladder::ArgumentValue::Kind::number
                                                                 : ladder::ArgumentValue::Kind::buffer;
        v.number = a.number;
        // The dynamic part stands behind what the kernel itself declares.
        if (local) v.number += static_cast<long double>(kernel->static_shared);
        v.element = a.number_element;
        values.push_back(std::move(v));
    }
    if (auto fits = ladder::pack_arguments(*kernel, values); !fits) {
        Error error = std::move(fits).error();
        if (options.file.ends_with(".cl") && values.size() != kernel->parameters.size() && !error.hint.empty())
            error.hint += "; a __local pointer is given as local:BYTES";
        if (values.empty()) error.hint = "give each with --arg: 'f32[1024]=random' for a pointer, 64 for a number";
        return error;
    }
    if (auto ok = elements_fit(options, prepared, *kernel); !ok) return std::move(ok).error();
    if (auto room = enough_memory(prepared, runtime); !room) return std::move(room).error();
    std::vector<std::optional<DeviceBuffer>> buffers(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (prepared.arguments[i].kind != LaunchArgument::Kind::buffer) continue;
        auto buffer = upload(device, prepared.arguments[i], i, runtime.seed);
        if (!buffer) return std::move(buffer).error();
        buffers[i].emplace(std::move(*buffer));
        values[i].address = buffers[i]->address;
    }
    auto parameters = ladder::pack_arguments(*kernel, values);
    if (!parameters) return std::move(parameters).error();
    return OneKernel{std::move(*module), kernel, std::move(buffers), std::move(*parameters), for_host_code};
}

}  // namespace warpwright::cli
