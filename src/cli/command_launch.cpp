// warpwright launch: one kernel, ad hoc.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/options.hpp"
#include "cli/parse.hpp"
#include "cli/runtime.hpp"
#include "ladder/npy.hpp"
#include "ladder/pack.hpp"

namespace warpwright::cli {
namespace {

/// A buffer argument on the device; released when this goes.
struct DeviceBuffer {
    device::Device* device;
    device::Address address = 0;
    std::uint64_t bytes = 0;
    DeviceBuffer(device::Device& d, device::Address a, std::uint64_t b) : device(&d), address(a), bytes(b) {}
    DeviceBuffer(DeviceBuffer&& o) noexcept
        : device(std::exchange(o.device, nullptr)), address(o.address), bytes(o.bytes) {}
    DeviceBuffer& operator=(DeviceBuffer&&) = delete;
    ~DeviceBuffer() {
        if (device) (void)device->release(address).ok();
    }
};

constexpr std::uint64_t kPiece = std::uint64_t{16} << 20;  ///< bytes moved at a time

Result<DeviceBuffer> upload(device::Device& device, const LaunchArgument& a, std::size_t index, std::uint64_t seed) {
    unsigned size = ladder::element_size(a.element);
    auto address = device.allocate(a.count * size);
    if (!address) return std::move(address).error();
    DeviceBuffer buffer(device, *address, a.count * size);
    std::string name = "argument " + std::to_string(index);
    if (a.contents.kind == ladder::Contents::Kind::file) {
        auto bytes = ladder::read_buffer_file(a.contents.path, a.element, a.count);
        if (!bytes) return std::move(bytes).error();
        if (!bytes->empty())
            if (auto ok = device.write(*address, *bytes); !ok) return ok.error();
        return buffer;
    }
    if (a.contents.kind == ladder::Contents::Kind::zero && buffer.bytes > 0) {
        if (auto ok = device.fill(*address, 0, buffer.bytes); !ok) return ok.error();
        return buffer;
    }
    std::vector<std::byte> piece;
    for (std::uint64_t begin = 0; begin < a.count; begin += kPiece / size) {
        piece.resize(std::min(kPiece / size, a.count - begin) * size);
        ladder::fill_contents(a.contents, a.element, name, seed, begin, piece);
        if (auto ok = device.write(*address + begin * size, piece); !ok) return ok.error();
    }
    return buffer;
}

/// First values, range and a checksum of the bytes (64-bit FNV-1a), so that two runs can be compared at a glance.
Result<std::string> summary(device::Device& device, const LaunchArgument& a, const DeviceBuffer& buffer) {
    unsigned size = ladder::element_size(a.element);
    std::uint64_t hash = 0xcbf29ce484222325ull, nans = 0;
    long double low = INFINITY, high = -INFINITY, sum = 0;
    std::string first;
    std::vector<std::byte> piece;
    for (std::uint64_t begin = 0; begin < a.count; begin += kPiece / size) {
        piece.resize(std::min(kPiece / size, a.count - begin) * size);
        if (auto ok = device.read(piece, buffer.address + begin * size); !ok) return ok.error();
        for (std::byte b : piece) hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3ull;
        for (std::uint64_t i = 0; i < piece.size() / size; ++i) {
            long double v = ladder::load_element(a.element, piece.data() + i * size);
            if (begin + i < 6)
                first += ladder::is_floating(a.element) ? fmt::format(" {:.6g}", static_cast<double>(v))
                                                        : fmt::format(" {:.0f}", v);
            if (std::isnan(v)) {
                ++nans;
                continue;
            }
            low = std::min(low, v);
            high = std::max(high, v);
            sum += v;
        }
    }
    std::string out = fmt::format("{}{};", first, a.count > 6 ? " ..." : "");
    if (low <= high)
        out += fmt::format(" min {:.6g}, max {:.6g}, sum {:.9g},", static_cast<double>(low), static_cast<double>(high),
                           static_cast<double>(sum));
    if (nans > 0) out += fmt::format(" {} NaN,", nans);
    return out + fmt::format(" checksum {:016x}", hash);
}

struct Prepared {
    std::vector<LaunchArgument> arguments;
    std::vector<std::pair<std::size_t, std::string>> outputs;
    device::LaunchConfig config;
};

/// Everything that can be refused before a device is touched.
Result<Prepared> prepare(const LaunchOptions& options) {
    Prepared p;
    auto grid = parse_extent(options.grid, "grid"), block = parse_extent(options.block, "block");
    if (!grid) return std::move(grid).error();
    if (!block) return std::move(block).error();
    p.config = {*grid, *block, options.shared, options.cooperative};
    for (const std::string& text : options.arguments) {
        auto a = parse_argument(text);
        if (!a) return std::move(a).error();
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

Result<void> write_outputs(const Prepared& p, const std::vector<std::optional<DeviceBuffer>>& buffers,
                           device::Device& device) {
    for (const auto& [index, path] : p.outputs) {
        std::vector<std::byte> bytes(buffers[index]->bytes);
        if (!bytes.empty())
            if (auto ok = device.read(bytes, buffers[index]->address); !ok) return ok;
        if (auto ok = ladder::write_buffer_file(path, p.arguments[index].element, bytes); !ok) return ok;
    }
    return {};
}

Result<void> run(const LaunchOptions& options, Console& console) {
    auto prepared = prepare(options);
    if (!prepared) return std::move(prepared).error();
    if (auto ok = check_output(options.output); !ok) return ok;
    if (std::error_code ec; !std::filesystem::is_regular_file(options.file, ec))
        return Error{ErrorKind::input, "there is no file '" + options.file + "'", Location{}, ""};
    auto runtime = make_runtime(options.run);
    if (!runtime) return std::move(runtime).error();
    auto ptx = lab::compile_to_ptx(options.file, options.defines, options.includes, *runtime->target);
    if (!ptx) return std::move(ptx).error();
    for (const std::string& note : runtime->notes) console.note(note);
    if (std::string text = compilers_text(*runtime->target); !text.empty()) console.note(text);
    device::Device& device = *runtime->device;
    auto module = device.load(options.file, *ptx);
    if (!module) return std::move(module).error();

    const device::KernelInfo* kernel = nullptr;
    if (options.kernel.empty() && (*module)->kernels().size() == 1) {
        kernel = &(*module)->kernels().front();
    } else {
        auto found = ladder::find_kernel(**module, options.kernel);
        if (!found) {
            Error error = std::move(found).error();
            error.where = Location{options.file, 0, 0};
            if (options.kernel.empty()) error.kind = ErrorKind::usage, error.what = "--kernel is missing";
            return error;
        }
        kernel = *found;
    }

    // The number of arguments is checked before buffers are made: they may be large.
    std::vector<ladder::ArgumentValue> values;
    for (const LaunchArgument& a : prepared->arguments) {
        ladder::ArgumentValue v;
        v.text = a.text;
        v.kind = a.kind == LaunchArgument::Kind::number ? ladder::ArgumentValue::Kind::number
                                                        : ladder::ArgumentValue::Kind::buffer;
        v.number = a.number;
        v.element = a.number_element;
        values.push_back(std::move(v));
    }
    if (auto fits = ladder::pack_arguments(*kernel, values); !fits) return std::move(fits).error();
    std::vector<std::optional<DeviceBuffer>> buffers(values.size());
    ladder::RungRun result;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (prepared->arguments[i].kind != LaunchArgument::Kind::buffer) continue;
        auto buffer = upload(device, prepared->arguments[i], i, runtime->seed);
        if (!buffer) return std::move(buffer).error();
        buffers[i].emplace(std::move(*buffer));
        values[i].address = buffers[i]->address;
        result.footprint += buffers[i]->bytes;
    }
    auto parameters = ladder::pack_arguments(*kernel, values);
    if (!parameters) return std::move(parameters).error();
    auto launched = device.launch(**module, kernel->name, prepared->config, *parameters, runtime->launch);
    if (!launched) {
        if (runtime->real() && launched.error().kind == ErrorKind::fault) console.leave_at_once();  // it may still run
        return std::move(launched).error();
    }

    const device::LaunchConfig& config = prepared->config;
    record::Record& r = result.record;
    r.experiment = "launch";
    r.kernel = ladder::readable_name(kernel->name);
    r.device = device.name();
    r.grid = record::Extent{config.grid.x, config.grid.y, config.grid.z};
    r.block = record::Extent{config.block.x, config.block.y, config.block.z};
    if (launched->device_seconds) {
        r.time = record::Time{*launched->device_seconds, *launched->device_seconds, 0, 1};
        r.notes.push_back("timed once, cold: a ladder's rung is warmed up and sampled");
    } else {
        r.emulation_s = launched->host_seconds;
        r.compile_s = launched->compile_seconds;
    }
    if (launched->counts) {
        r.counts = launched->counts->total;
        r.lines = launched->counts->lines;
    }
    result.registers = kernel->registers;
    result.registers_estimated = kernel->registers_estimated;
    result.shared = kernel->static_shared + config.dynamic_shared;
    lab::add_bound(result, runtime->model);

    std::string extra;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!buffers[i]) continue;
        auto text = summary(device, prepared->arguments[i], *buffers[i]);
        if (!text) return std::move(text).error();
        extra += fmt::format("argument {} after the run, {}[{}]:{}\n", i,
                             ladder::element_name(prepared->arguments[i].element), prepared->arguments[i].count, *text);
    }
    if (!launched->output.empty())
        extra += "the kernel printed:\n" + launched->output + (launched->output.ends_with('\n') ? "" : "\n");
    if (auto ok = write_outputs(*prepared, buffers, device); !ok) return ok;
    record::RecordSet set{lab::environment(runtime->context(options.run)), {std::move(r)}};
    return give(set, options.output, options.run.per_line, console, extra);
}

}  // namespace

int launch(const LaunchOptions& options, Console& console) {
    auto ok = run(options, console);
    return ok ? 0 : console.fail(ok.error());
}

}  // namespace warpwright::cli
