// A session keeps modules and compiled texts for all rungs of a run; each rung is packed, launched as often as it says,
// verified, and described in a record. Launches of one rung are added up.
#include "ladder/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "ladder/encode_map.hpp"
#include "ladder/pack.hpp"
#include "ladder/verify.hpp"
#include "ladder/within.hpp"
#include "launch/record.hpp"

namespace warpwright::ladder {
namespace {

Result<launch::Extent> extent_of(const std::array<Expression, 3>& from, const Variables& variables) {
    std::uint32_t out[3];
    for (int i = 0; i < 3; ++i) {
        auto value = from[i].integer(variables);
        if (!value) return std::move(value).error();
        if (*value < 1 || *value > std::numeric_limits<std::uint32_t>::max())
            return Error{
                ErrorKind::input,
                fmt::format("'{}' gives {}: a grid or block has at least 1 and less than 2^32 in each direction",
                            from[i].text(), *value),
                from[i].where(), ""};
        out[i] = static_cast<std::uint32_t>(*value);
    }
    return launch::Extent{out[0], out[1], out[2]};
}

std::size_t output_index(const Ladder& ladder) {
    for (std::size_t i = 0; i < ladder.buffers.size(); ++i)
        if (ladder.buffers[i].name == ladder.reference.output) return i;
    return ladder.buffers.size();
}

Error too_long(const char* what, const std::string& file, std::chrono::milliseconds limit) {
    return Error{ErrorKind::fault,
                 fmt::format("{} it takes longer than {} s", what, static_cast<double>(limit.count()) / 1000),
                 Location{file, 0, 0}, "a larger --timeout"};
}

Result<device::LaunchConfig> config_of(const Launch& l, const Variables& variables) {
    device::LaunchConfig config;
    auto grid = extent_of(l.grid, variables), block = extent_of(l.block, variables);
    if (!grid) return std::move(grid).error();
    if (!block) return std::move(block).error();
    config.grid = *grid;
    config.block = *block;
    config.cooperative = l.cooperative;
    config.programmatic = l.programmatic;
    if (l.cluster) {
        auto cluster = extent_of(*l.cluster, variables);
        if (!cluster) return std::move(cluster).error();
        config.cluster = *cluster;
    }
    auto shared = l.shared.integer(variables);
    if (!shared) return std::move(shared).error();
    if (*shared < 0)
        return Error{ErrorKind::input, "the shared memory '" + l.shared.text() + "' is negative", l.shared.where(), ""};
    config.dynamic_shared = static_cast<std::uint64_t>(*shared);
    return config;
}

Result<ArgumentValue> argument_of(device::Device& device, const Argument& a, const std::string& text,
                                  const Variant& variant, const Variables& variables, const Problem& problem,
                                  const DeviceBuffers& buffers) {
    const std::vector<Buffer>& known = problem.ladder().buffers;
    ArgumentValue v;
    v.text = text;
    v.where = a.where;
    const auto buffer = std::find_if(known.begin(), known.end(), [&](const Buffer& b) { return b.name == v.text; });
    if (a.map) {
        auto bytes = encode_map(device, *a.map, problem, variant, variables, buffers);
        if (!bytes) {
            Error error = std::move(bytes).error();
            if (error.where.file.empty()) error.where = a.where;
            return error;
        }
        v.text = "tensor map of " + a.map->buffer;
        v.kind = ArgumentValue::Kind::bytes;
        v.bytes.assign(bytes->begin(), bytes->end());
    } else if (buffer != known.end()) {
        v.kind = ArgumentValue::Kind::buffer;
        v.address = buffers[static_cast<std::size_t>(buffer - known.begin())];
    } else {
        auto expression = Expression::parse(v.text, a.where);
        if (!expression) return std::move(expression).error();
        auto number = expression->real(variables);
        if (!number) return std::move(number).error();
        v.number = *number;
    }
    return v;
}

/// The value of a repeated launch's variable in the next pass; 1 or less ends the repetition, as of a launch that is
/// not repeated.
Result<double> next_of(const Launch& l, Variables& variables, double count) {
    if (!l.repeat) return 1.0;
    variables[l.repeat->variable] = count;
    auto next = l.repeat->next.real(variables);
    if (!next) return std::move(next).error();
    if (*next > 1 && *next >= count)
        return Error{ErrorKind::input,
                     fmt::format("'{}' does not become smaller: {} follows {}", l.repeat->variable, *next, count),
                     l.repeat->next.where(), "repeat ends when 'next' is 1 or less"};
    return *next;
}

}  // namespace

Result<record::Record> describe(const Ladder& ladder, const Rung& rung, const Variant& variant,
                                const std::vector<std::int64_t>& size) {
    record::Record r;
    r.experiment = ladder.name;
    r.rung = rung.name;
    for (std::size_t i = 0; i < size.size(); ++i) r.axes.push_back({ladder.size_names[i], size[i]});
    for (const auto& [name, value] : variant) {
        if (value.number)
            r.axes.push_back({name, static_cast<std::int64_t>(*value.number)});
        else
            r.axes.push_back({name, value.text});
    }
    r.title = rung.title;
    r.change = rung.why;
    r.known_incorrect = rung.known_incorrect;
    r.library = rung.library;
    if (rung.cpu.empty()) r.unit = unit_of(ladder, rung, variant);
    auto variables = variables_of(ladder, rung, size, variant);
    if (!variables) return std::move(variables).error();
    auto flops = rung.flops.real(*variables), bytes = rung.bytes.real(*variables);
    if (!flops) return std::move(flops).error();
    if (!bytes) return std::move(bytes).error();
    r.flops = *flops;
    r.bytes = *bytes;
    return r;
}

Result<std::optional<std::string>> why_left_out(const Ladder& ladder, const Rung& rung, const Variant& variant,
                                                const std::vector<std::int64_t>& size, const device::Limits* limits) {
    if (limits && limits->language == device::Language::opencl && rung.cpu.empty() && !rung.source.ends_with(".cl"))
        return std::optional<std::string>(rung.library.empty()
                                              ? "is CUDA C++; an OpenCL device takes OpenCL C"
                                              : "is a library of NVIDIA's; an OpenCL device runs none of them");
    if (limits && limits->compute_capability < rung.compute)
        return std::optional(fmt::format("needs compute capability {}.{}; the device has {}.{}", rung.compute / 10,
                                         rung.compute % 10, limits->compute_capability / 10,
                                         limits->compute_capability % 10));
    if (!rung.require) return std::optional<std::string>();
    auto variables = variables_of(ladder, rung, size, variant);
    if (!variables) return std::move(variables).error();
    auto fine = rung.require->real(*variables);
    if (!fine) return std::move(fine).error();
    if (*fine != 0) return std::optional<std::string>();
    return std::optional(rung.require_says.empty() ? "requires " + rung.require->text() : rung.require_says);
}

Result<void> verify_into(record::Record& record, const Problem& problem, const Rung& rung, const Variables& variables,
                         std::span<const std::byte> output) {
    if (!problem.answer()) return {};
    auto tolerance = rung.tolerance.relative.real(variables), rounding = rung.tolerance.rounding.real(variables);
    if (!tolerance) return std::move(tolerance).error();
    if (!rounding) return std::move(rounding).error();
    const Ladder& ladder = problem.ladder();
    const Allowed allowed{*tolerance, rung.tolerance.scale, *rounding};
    Verification v = problem.answer()->check(problem.extent(output_index(ladder)).element, output, allowed);
    record.verified = v.passed;
    record::Verification out;
    out.elements = v.checked;
    out.mismatches = v.wrong;
    out.max_absolute_error = v.max_absolute_error;
    out.max_relative_error = v.max_error;
    out.tolerance = v.tolerance;
    out.method = v.method;
    switch (ladder.reference.kind) {
        case Reference::Kind::matmul:
            out.reference = "CPU, product in higher precision";
            break;
        case Reference::Kind::reduce:
            out.reference = "CPU, " + word_of(ladder.reference.op, problem.variant()) + " in higher precision";
            break;
        case Reference::Kind::transpose:
        case Reference::Kind::copy:
            out.reference = "the input, bit by bit";
            break;
        case Reference::Kind::elementwise:
            out.reference = "CPU, " + ladder.reference.expression.text();
            break;
        case Reference::Kind::rung:
            out.reference = "rung " + ladder.reference.rung;
            break;
        case Reference::Kind::none:
            break;
    }
    if (!v.passed) out.first_mismatch = ladder.reference.output + ": " + v.text;
    record.verification = std::move(out);
    return {};
}

Result<Session::Key> Session::key_of(const Ladder&, const Rung& rung, const Variant& variant,
                                     const Variables& variables) const {
    Key key{rung.source, {}};
    for (const auto& [macro, text] : rung.defines) {
        std::string value;
        for (const auto& [name, choice] : variant)
            if (name == text) value = choice.text;
        if (value.empty()) {
            auto expression = Expression::parse(text, rung.where);
            if (!expression) return std::move(expression).error();
            auto number = expression->integer(variables);
            if (!number) return std::move(number).error();
            value = std::to_string(*number);
        }
        key.second.push_back(macro + "=" + value);
    }
    return key;
}

Result<std::string> Session::ptx(const Key& key) {
    {
        std::lock_guard lock(mutex_);
        if (auto it = texts_.find(key); it != texts_.end()) return it->second;
    }
    auto text = within<Result<std::string>>(
        options_.launch.timeout, [compile = options_.compile, key] { return compile(key.first, key.second); });
    if (!text) {
        abandoned_ = true;
        text = too_long("compiling", key.first, options_.launch.timeout);
    }
    std::lock_guard lock(mutex_);
    return texts_.emplace(key, std::move(*text)).first->second;
}

void Session::compile_ahead(const Ladder& ladder, const std::vector<Wanted>& list, unsigned threads) {
    std::vector<Key> keys;
    for (const auto& [rung, variant, size] : list) {
        if (rung->source.empty() || rung->compute > device_.limits().compute_capability) continue;
        if (device_.limits().language == device::Language::opencl && !rung->source.ends_with(".cl")) continue;
        auto variables = variables_of(ladder, *rung, size, variant);
        if (!variables) continue;
        if (auto key = key_of(ladder, *rung, variant, *variables); key) keys.push_back(std::move(*key));
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::atomic<std::size_t> next{0};
    auto work = [&] {
        for (std::size_t i; (i = next++) < keys.size();) (void)ptx(keys[i]).ok();
    };
    std::vector<std::jthread> workers;
    for (unsigned t = 1; t < std::min<std::size_t>(threads, keys.size()); ++t) workers.emplace_back(work);
    work();
}

Result<std::shared_ptr<device::Module>> Session::module(const Key& key) {
    if (auto it = modules_.find(key); it != modules_.end()) return it->second;
    auto text = ptx(key);
    if (!text) return std::move(text).error();
    if (stuck_)
        return Error{
            ErrorKind::no_device, device_.name() + " is busy compiling another kernel", {}, "start the program again"};
    const auto limit = device_.timer() ? options_.launch.timeout : std::chrono::milliseconds(0);
    auto module = within<Result<std::shared_ptr<device::Module>>>(
        limit, [&device = device_, name = key.first, text = *text] { return device.load(name, text); });
    if (!module) {
        abandoned_ = stuck_ = true;
        return too_long("loading", key.first, limit);
    }
    if (!*module) return std::move(*module).error();
    modules_.emplace(key, **module);
    return **module;
}

Result<void> Session::each_launch(const Rung& rung, const Variant& variant, const Variables& variables,
                                  const Problem& problem, const device::Module& module, const DeviceBuffers& buffers,
                                  const Visit& visit) {
    for (const Launch& l : rung.launches) {
        auto kernel = find_kernel(module, l.entry);
        if (!kernel) {
            Error error = std::move(kernel).error();
            error.where = Location{rung.source, 0, 0};
            return error;
        }
        Variables inner = variables;
        double count = 1;
        if (l.repeat) {
            auto start = l.repeat->start.real(inner);
            if (!start) return std::move(start).error();
            count = *start;
        }
        for (unsigned pass = 0;; ++pass) {
            inner["pass"] = pass;
            auto next = next_of(l, inner, count);
            if (!next) return std::move(next).error();
            const bool last = *next <= 1;
            auto config = config_of(l, inner);
            if (!config) return std::move(config).error();
            std::vector<ArgumentValue> values;
            for (const Argument& a : l.arguments) {
                auto v = argument_of(device_, a, a.of_pass(pass, last), variant, inner, problem, buffers);
                if (!v) return std::move(v).error();
                values.push_back(std::move(*v));
            }
            auto block_of_parameters = pack_arguments(**kernel, values);
            if (!block_of_parameters) return std::move(block_of_parameters).error();
            if (auto ok = visit(l, **kernel, *config, std::move(*block_of_parameters)); !ok) return ok;
            if (last) break;
            count = *next;
        }
    }
    return {};
}

namespace {

/// What the launches of a rung take and count together, in its record and its run.
class Totals {
public:
    Totals(device::Device& device, device::Module& module, const RunOptions& options, RungRun& run)
        : device_(device), module_(module), options_(options), run_(run) {}

    Result<void> launch(const Launch& made, const device::KernelInfo& kernel, const device::LaunchConfig& config,
                        const std::vector<std::byte>& parameters) {
        record::Record& record = run_.record;
        if (launches_ == 0) {
            launch::describe(record, kernel, config);
            record.kernel = made.entry;
        } else if (record.kernel != made.entry) {
            record.kernel.clear();
        }
        device::LaunchOptions options = options_.launch;
        if (options_.before) options_.before(kernel, config, options);
        auto result = device_.launch(module_, kernel.name, config, parameters, options);
        if (!result) return std::move(result).error();
        if (options_.after) options_.after(kernel, config, *result);
        ++launches_;
        run_.output += result->output;
        launch::add(record, *result);
        return {};
    }

    /// A note where there were several launches. Where kernels take real time, the host's says nothing.
    void finish() {
        record::Record& record = run_.record;
        const bool real = device_.timer() != nullptr;
        if (real) record.emulation_s.reset(), record.compile_s.reset();
        if (launches_ > 1)
            record.notes.push_back(fmt::format("{} launches: {}grid and block those of the first", launches_,
                                               real ? "" : "counts are their sum, "));
    }

private:
    device::Device& device_;
    device::Module& module_;
    const RunOptions& options_;
    RungRun& run_;
    unsigned launches_ = 0;
};

}  // namespace

Result<void> Session::launch_all(const Rung& rung, const Variant& variant, const Variables& variables, Problem& problem,
                                 RungRun& run, const DeviceBuffers* given) {
    const Ladder& ladder = problem.ladder();
    auto key = key_of(ladder, rung, variant, variables);
    if (!key) return std::move(key).error();
    auto loaded = this->module(*key);
    if (!loaded) return std::move(loaded).error();
    const std::shared_ptr<device::Module> module = *loaded;
    std::optional<DeviceBuffers> own;
    if (!given) {
        auto made = DeviceBuffers::make(device_, problem);
        if (!made) return std::move(made).error();
        own.emplace(std::move(*made));
    }
    const DeviceBuffers& buffers = given ? *given : *own;

    Totals totals(device_, *module, options_, run);
    const auto launch = [&](const Launch& made, const device::KernelInfo& kernel, const device::LaunchConfig& config,
                            const std::vector<std::byte>& parameters) {
        return totals.launch(made, kernel, config, parameters);
    };
    if (auto ok = each_launch(rung, variant, variables, problem, *module, buffers, launch); !ok) return ok;
    totals.finish();

    std::size_t out = output_index(ladder);
    if (out == ladder.buffers.size()) return {};
    HostBuffer result{problem.extent(out).element, std::vector<std::byte>(problem.extent(out).bytes())};
    if (!result.bytes.empty())
        if (auto ok = device_.read(result.bytes, buffers[out]); !ok) return ok;
    if (ladder.reference.kind == Reference::Kind::rung && rung.name == ladder.reference.rung) {
        problem.set_expected(reference_values(result));
        return {};  // compared with itself it would always pass
    }
    return verify_into(run.record, problem, rung, variables, result.bytes);
}

Result<std::vector<device::Step>> Session::steps(const Rung& rung, const Variant& variant, const Problem& problem,
                                                 const DeviceBuffers& buffers, Launches which) {
    auto variables = variables_of(problem.ladder(), rung, problem.size(), variant);
    if (!variables) return std::move(variables).error();
    auto key = key_of(problem.ladder(), rung, variant, *variables);
    if (!key) return std::move(key).error();
    auto module = this->module(*key);
    if (!module) return std::move(module).error();
    std::vector<device::Step> out;
    const auto keep = [&](const Launch& launch, const device::KernelInfo& kernel, const device::LaunchConfig& config,
                          std::vector<std::byte> parameters) -> Result<void> {
        if (which != Launches::all && launch.ahead != (which == Launches::ahead)) return {};
        out.push_back({*module, kernel.name, config, std::move(parameters)});
        return {};
    };
    if (auto ok = each_launch(rung, variant, *variables, problem, **module, buffers, keep); !ok)
        return std::move(ok).error();
    return out;
}

std::set<std::string> scratch_of(const Ladder& ladder, const Rung& rung) {
    std::set<std::string> out;
    const auto look = [&](const std::string& name) {
        if (const Buffer* b = ladder.buffer(name); b && b->role == Role::scratch) out.insert(name);
    };
    for (const Launch& launch : rung.launches)
        for (const Argument& a : launch.arguments) {
            for (const std::string* text : {&a.text, &a.first, &a.last, &a.even, &a.odd}) look(*text);
            if (a.map) look(a.map->buffer);
        }
    return out;
}

RungRun Session::run_rung(const Rung& rung, const Variant& variant, Problem& problem, const DeviceBuffers* buffers) {
    RungRun run;
    auto finish = [&](Error error) {
        run.record.error = error.text();
        run.problem = std::move(error);
    };
    auto record = describe(problem.ladder(), rung, variant, problem.size());
    run.record.rung = rung.name;
    run.record.experiment = problem.ladder().name;
    if (!record) return finish(std::move(record).error()), run;
    run.record = std::move(*record);
    run.record.device = device_.name();
    auto reason = why_left_out(problem.ladder(), rung, variant, problem.size(), &device_.limits());
    if (!reason) return finish(std::move(reason).error()), run;
    if (!*reason && rung.source.empty())
        *reason = (rung.library.empty() ? "the CPU version '" + rung.cpu : "the library '" + rung.library) +
                  "' is not run on the device '" + device_.name() + "'";
    run.record.left_out = std::move(*reason);
    if (run.record.left_out) return run;
    auto variables = variables_of(problem.ladder(), rung, problem.size(), variant);
    if (!variables) return finish(std::move(variables).error()), run;
    if (auto ok = launch_all(rung, variant, *variables, problem, run, buffers); !ok) finish(std::move(ok).error());
    return run;
}

}  // namespace warpwright::ladder
