// A request is translated into values of the ladder's axes, and the first rung marked as best that serves them is
// prepared as steps around the caller's buffers. A prepared plan is kept under a key of the whole request, so that
// later calls with the same buffers only run it.
#include "api/finished.hpp"

#include <filesystem>

#include "api/state.hpp"
#include "ladder/find.hpp"
#include "values/element.hpp"

namespace warpwright::api {
namespace {

using ladder::Ladder;
using ladder::Rung;
using ladder::Variant;

constexpr std::size_t kPlans = 64;  ///< kept ready at most

/// The word of an axis for this type: ladders may write "f32" or "float32".
const ladder::AxisValue* value_for(const ladder::Axis& axis, std::string_view type) {
    const auto wanted = values::parse_element(type);
    for (const ladder::AxisValue& value : axis.values)
        if (values::parse_element(value.text) == wanted) return &value;
    return nullptr;
}

/// The values of the ladder's axes for the request. Absent, with a reason, if the ladder has no such value.
Result<std::map<std::string, std::vector<std::string>>> choices(const Ladder& ladder, const Request& request) {
    std::map<std::string, std::vector<std::string>> out;
    const ladder::Buffer* input = ladder.buffer(ladder.reference.inputs.front());
    bool typed = false, laid_out = request.layout.empty(), operated = request.op.empty();
    for (const ladder::Axis& axis : ladder.axes) {
        const auto has = [&](const std::string& word) {
            for (const ladder::AxisValue& value : axis.values)
                if (value.text == word) return true;
            return false;
        };
        if (axis.name == input->type) {
            typed = true;
            const ladder::AxisValue* value = value_for(axis, name_of(request.type));
            if (!value)
                return Error{ErrorKind::limit,
                             std::string("no kernel of '") + ladder.name + "' takes " + name_of(request.type),
                             {},
                             ""};
            out[axis.name] = {value->text};
        } else if (axis.name == ladder.reference.layout && !request.layout.empty()) {
            if (!has(request.layout))
                return Error{
                    ErrorKind::limit, "no kernel of '" + ladder.name + "' takes the layout " + request.layout, {}, ""};
            out[axis.name] = {request.layout};
            laid_out = true;
        } else if (axis.name == ladder.reference.op && !request.op.empty()) {
            if (!has(request.op))
                return Error{ErrorKind::limit, "no kernel of '" + ladder.name + "' makes a " + request.op, {}, ""};
            out[axis.name] = {request.op};
            operated = true;
        }
    }
    if (!typed && values::parse_element(input->type) != values::parse_element(name_of(request.type)))
        return Error{
            ErrorKind::limit, std::string("no kernel of '") + ladder.name + "' takes " + name_of(request.type), {}, ""};
    if (!laid_out && ladder.reference.layout != request.layout)
        return Error{ErrorKind::limit, "no kernel of '" + ladder.name + "' takes the layout " + request.layout, {}, ""};
    if (!operated && ladder.reference.op != request.op)
        return Error{ErrorKind::limit, "no kernel of '" + ladder.name + "' makes a " + request.op, {}, ""};
    return out;
}

Result<void> check_fits(const char* what, const Buffer& buffer, std::uint64_t bytes) {
    if (buffer.bytes >= bytes && (buffer.address != 0 || bytes == 0)) return {};
    return Error{ErrorKind::usage,
                 std::string(what) + " needs " + std::to_string(bytes) + " bytes, its buffer has " +
                     std::to_string(buffer.bytes),
                 {},
                 ""};
}

}  // namespace

Result<const Ladder*> Finished::find(const std::string& name) {
    if (auto it = ladders_.find(name); it != ladders_.end()) return it->second.get();
    auto found = ladder::find_ladder(name);
    if (!found) return std::move(found).error();
    return ladders_.emplace(name, std::make_unique<Ladder>(std::move(*found))).first->second.get();
}

Result<Finished::Plan> Finished::make(const Request& request) {
    auto found = find(request.ladder);
    if (!found) return std::move(found).error();
    const Ladder& ladder = **found;
    auto chosen = choices(ladder, request);
    if (!chosen) return std::move(chosen).error();

    std::string reasons;
    for (const Rung& rung : ladder.rungs) {
        if (!rung.best || (request.deterministic && rung.name.find("deterministic") == std::string::npos)) continue;
        auto list = ladder::variants(ladder, rung, *chosen);
        if (!list) return std::move(list).error();
        const Variant& variant = list->front();
        auto reason = ladder::why_left_out(ladder, rung, variant, request.size, &device_.limits());
        if (!reason) return std::move(reason).error();
        if (*reason) {
            reasons += (reasons.empty() ? "" : "; ") + rung.name + ": " + **reason;
            continue;
        }
        auto problem = ladder::Problem::shape(ladder, request.size, variant);
        if (!problem) return std::move(problem).error();
        std::map<std::string, device::Address> given;
        for (std::size_t i = 0; i < ladder.buffers.size(); ++i) {
            const ladder::Buffer& buffer = ladder.buffers[i];
            std::string key = buffer.name == ladder.reference.output ? "output" : "";
            for (std::size_t n = 0; n < ladder.reference.inputs.size(); ++n)
                if (ladder.reference.inputs[n] == buffer.name) key = std::to_string(n);
            const auto mine = request.buffers.find(key);
            if (mine == request.buffers.end()) continue;
            if (auto ok = check_fits(buffer.name.c_str(), mine->second, problem->extent(i).bytes()); !ok)
                return std::move(ok).error();
            given[buffer.name] = mine->second.address;
        }
        auto buffers = ladder::DeviceBuffers::around(device_, *problem, given);
        if (!buffers) return std::move(buffers).error();
        auto& session = sessions_[request.ladder];
        if (!session) session = std::make_unique<ladder::Session>(device_, ladder::RunOptions{{}, compile_});
        auto steps = session->steps(rung, variant, *problem, *buffers);
        if (!steps) return std::move(steps).error();
        return Plan{rung.name, std::move(*steps), std::move(*buffers)};
    }
    return Error{ErrorKind::limit,
                 "no finished kernel of '" + ladder.name + "' serves the problem",
                 {},
                 reasons.empty() ? "the ladder has none" : reasons};
}

Result<Launch> Finished::run(const Request& request) {
    std::string key = request.ladder + " " + name_of(request.type) + " " + request.layout + " " + request.op;
    for (std::int64_t size : request.size) key += " " + std::to_string(size);
    for (const auto& [name, buffer] : request.buffers)
        key += " " + name + ":" + std::to_string(buffer.address) + "+" + std::to_string(buffer.bytes);
    if (request.deterministic) key += " deterministic";
    auto it = plans_.find(key);
    if (it == plans_.end()) {
        auto plan = make(request);
        if (!plan) return std::move(plan).error();
        if (plans_.size() >= kPlans) plans_.clear();
        it = plans_.emplace(key, std::move(*plan)).first;
    }
    Launch out;
    out.kernel = it->second.rung;
    for (const device::Step& step : it->second.steps) {
        auto ran = device_.launch(*step.module, step.kernel, step.config, step.parameters, {});
        if (!ran) {
            plans_.erase(it);  // its scratch memory is in an unknown state
            return std::move(ran).error();
        }
        out.host_seconds += ran->host_seconds;
        out.compile_seconds += ran->compile_seconds;
        out.output += ran->output;
        if (ran->device_seconds) out.device_seconds = out.device_seconds.value_or(0) + *ran->device_seconds;
        if (!ran->counts) continue;
        if (!out.counts)
            out.counts = std::move(ran->counts);
        else
            out.counts->total += ran->counts->total;
    }
    return out;
}

}  // namespace warpwright::api

namespace warpwright {

namespace {

/// Refuses negative sizes; the ladders refuse sizes whose products would overflow.
Result<void> check_sizes(std::initializer_list<std::int64_t> sizes) {
    for (std::int64_t size : sizes)
        if (size < 0) return Error{ErrorKind::usage, "a size is " + std::to_string(size), {}, "sizes are 0 or more"};
    return {};
}

struct TypeFacts {
    const char* name;
    std::uint64_t bytes;
};
constexpr TypeFacts kTypes[] = {{"i8", 1},  {"i32", 4}, {"i64", 8},  {"f16", 2}, {"bf16", 2},
                                {"f32", 4}, {"f64", 8}, {"e4m3", 1}, {"e5m2", 1}};

}  // namespace

std::uint64_t size_of(Type type) { return kTypes[static_cast<unsigned>(type)].bytes; }
const char* name_of(Type type) { return kTypes[static_cast<unsigned>(type)].name; }

Type result_of(const Gemm& product) {
    switch (product.type) {
        case Type::i8:
            return Type::i32;
        case Type::e4m3:
        case Type::e5m2:
            return Type::bf16;
        default:
            return product.type;
    }
}

Result<Launch> Device::run(const api::Request& request) {
    if (!state_->finished) {
        const State* state = state_.get();
        state_->finished = std::make_unique<api::Finished>(
            *state_->device, [state](const std::string& path, const std::vector<std::string>& defines) {
                return state->to_ptx(path, defines, {});
            });
    }
    return state_->finished->run(request);
}

Result<Launch> gemm(Device& device, const Gemm& product, const Buffer& a, const Buffer& b, const Buffer& c) {
    if (auto ok = check_sizes({product.m, product.n, product.k}); !ok) return ok.error();
    if (product.tf32 && product.type != Type::f32)
        return Error{
            ErrorKind::usage, "tf32 is a way to multiply float32, not " + std::string(name_of(product.type)), {}, ""};
    api::Request request;
    const bool plain = product.type == Type::f32 && !product.tf32, across = product.transpose_a || product.transpose_b;
    request.ladder = plain ? (across ? "matmul_layouts" : "matmul") : "matmul_tensor";
    request.size = {product.m, product.n, product.k};
    request.type = product.type;
    request.layout = std::string(product.transpose_a ? "T" : "N") + (product.transpose_b ? "T" : "N");
    request.buffers = {{"0", a}, {"1", b}, {"output", c}};
    return device.run(request);
}

Result<Launch> reduce(Device& device, const Reduction& reduction, const Buffer& values, const Buffer& result) {
    if (auto ok = check_sizes({reduction.count}); !ok) return ok.error();
    static constexpr const char* words[] = {"sum", "min", "max"};
    api::Request request;
    request.ladder = "reduce";
    request.size = {reduction.count};
    request.type = reduction.type;
    request.op = words[static_cast<unsigned>(reduction.fold)];
    request.deterministic = reduction.deterministic;
    request.buffers = {{"0", values}, {"output", result}};
    return device.run(request);
}

Result<Launch> transpose(Device& device, const Transposition& problem, const Buffer& a, const Buffer& b) {
    if (auto ok = check_sizes({problem.rows, problem.columns}); !ok) return ok.error();
    api::Request request;
    request.ladder = "transpose";
    request.size = {problem.rows, problem.columns};
    request.type = problem.type;
    request.buffers = {{"0", a}, {"output", b}};
    return device.run(request);
}

}  // namespace warpwright
