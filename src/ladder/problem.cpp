// Decides which inputs stay on the host and which are generated while they are copied, and owns the buffers on the
// device, rotated sets among them.
#include "ladder/problem.hpp"

#include <algorithm>
#include <future>

#include "host/machine.hpp"

namespace warpwright::ladder {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{64} << 20;  ///< bytes written to the device at a time

/// Inputs up to this total size stay on the host: at most some GiB, and a quarter of the free memory.
std::uint64_t most_kept() {
    constexpr std::uint64_t kLeast = std::uint64_t{64} << 20, kMost = std::uint64_t{4} << 30;
    return std::clamp(host::free_memory_bytes() / 4, kLeast, kMost);
}

}  // namespace

std::string size_text(const std::vector<std::int64_t>& size) {
    bool equal = std::all_of(size.begin(), size.end(), [&](std::int64_t v) { return v == size.front(); });
    if (equal) return std::to_string(size.front());
    std::string out;
    for (std::int64_t v : size) out += (out.empty() ? "" : " x ") + std::to_string(v);
    return out;
}

namespace {

/// The choices for the ladder's own axes.
Variant of_ladder(const Ladder& ladder, const Variant& variant) {
    Variant whole;
    for (const Axis& axis : ladder.axes)
        for (const auto& choice : variant)
            if (choice.first == axis.name) whole.push_back(choice);
    return whole;
}

}  // namespace

Result<Problem> Problem::shape(const Ladder& ladder, std::vector<std::int64_t> size, const Variant& variant) {
    Problem p;
    p.ladder_ = &ladder;
    const Variant whole = p.variant_ = of_ladder(ladder, variant);
    auto variables = variables_of(ladder, Rung{}, size, whole);
    if (!variables) return std::move(variables).error();
    p.size_ = std::move(size);
    if (ladder.require) {
        auto fine = ladder.require->real(*variables);
        if (!fine) return std::move(fine).error();
        if (*fine == 0)
            return Error{ErrorKind::usage,
                         "the ladder '" + ladder.name + "' does not take the size " + size_text(p.size_), Location{},
                         "it requires " + ladder.require->text()};
    }
    for (const Buffer& b : ladder.buffers) {
        std::string type = b.type;
        for (const auto& [name, value] : whole)
            if (name == b.type) type = value.text;
        if (auto other = b.types.find(type); other != b.types.end()) type = other->second;
        auto element = values::parse_element(type);
        if (!element) return Error{ErrorKind::input, "'" + type + "' is not an element type", b.where, ""};
        auto count = b.count.integer(*variables);
        if (!count) return std::move(count).error();
        if (*count < 0)
            return Error{ErrorKind::input,
                         "the buffer '" + b.name + "' would have " + std::to_string(*count) + " elements", b.where, ""};
        auto bytes = values::buffer_bytes(*element, static_cast<std::uint64_t>(*count), b.name);
        if (!bytes) return std::move(bytes).error();
        p.extents_.push_back({*element, static_cast<std::uint64_t>(*count)});
    }
    return p;
}

Result<Problem> Problem::make(const Ladder& ladder, std::vector<std::int64_t> size, const Variant& variant,
                              std::uint64_t seed) {
    auto shaped = shape(ladder, std::move(size), variant);
    if (!shaped) return shaped;
    Problem p = std::move(*shaped);
    p.seed_ = seed;
    auto variables = variables_of(ladder, Rung{}, p.size_, p.variant_);
    if (!variables) return std::move(variables).error();
    std::uint64_t inputs = 0;
    for (std::size_t i = 0; i < ladder.buffers.size(); ++i)
        if (ladder.buffers[i].filled) inputs += p.extents_[i].bytes();
    const bool keep = inputs <= most_kept();
    for (std::size_t i = 0; i < ladder.buffers.size(); ++i) {
        const Buffer& b = ladder.buffers[i];
        const bool file = b.contents.kind == values::Contents::Kind::file;
        if (!b.filled || (!file && !keep)) continue;
        auto host = p.host_buffer(i);
        if (!host) return std::move(host).error();
        p.kept_.emplace(i, std::make_shared<const HostBuffer>(std::move(*host)));
    }
    const Reference& reference = ladder.reference;
    if (reference.kind == Reference::Kind::none || reference.kind == Reference::Kind::rung) return p;

    std::map<std::string, Input> named;
    std::size_t out = 0;
    for (std::size_t i = 0; i < ladder.buffers.size(); ++i) {
        const std::string& name = ladder.buffers[i].name;
        if (name == reference.output) out = i;
        const auto in = [&](const std::vector<std::string>& list) {
            return std::find(list.begin(), list.end(), name) != list.end();
        };
        if (in(reference.inputs) ||
            (reference.kind == Reference::Kind::elementwise && in(reference.expression.names())))
            named.emplace(name, p.input(i));
    }
    const Extent& output = p.extents_[out];
    auto answer = make_answer(reference, named, *variables, p.variant_, output.element, output.count, seed);
    if (!answer) return std::move(answer).error();
    p.answer_ = std::move(*answer);
    p.poison_ = p.answer_->poison(output.element);
    return p;
}

Input Problem::input(std::size_t buffer) const {
    if (auto it = kept_.find(buffer); it != kept_.end()) return it->second;
    const Buffer& b = ladder_->buffers[buffer];
    const Extent& e = extents_[buffer];
    return Input(b.filled ? b.contents : values::Contents{}, e.element, e.count, b.name, seed_);
}

std::uint64_t Problem::footprint() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < extents_.size(); ++i)
        if (ladder_->buffers[i].role != Role::scratch) sum += extents_[i].bytes();
    return sum;
}

std::uint64_t Problem::memory() const {
    std::uint64_t sum = 0;
    for (const Extent& e : extents_) sum += e.bytes();
    return sum;
}

Result<HostBuffer> Problem::host_buffer(std::size_t buffer) const {
    if (auto it = kept_.find(buffer); it != kept_.end()) return *it->second;
    const Buffer& b = ladder_->buffers[buffer];
    const Extent& e = extents_[buffer];
    auto bytes = values::make_contents(b.filled ? b.contents : values::Contents{}, e.element, e.count, b.name, seed_);
    if (!bytes) return std::move(bytes).error();
    return HostBuffer{e.element, std::move(*bytes)};
}

Result<void> Problem::prepare(device::Device& device, std::size_t buffer, device::Address address) const {
    const Buffer& b = ladder_->buffers[buffer];
    const Extent& e = extents_[buffer];
    if (e.count == 0) return {};
    if (!b.filled) {
        bool output = b.role == Role::output;
        return device.fill(address, output ? poison_ : 0xff, e.bytes());
    }
    if (auto it = kept_.find(buffer); it != kept_.end()) return device.write(address, it->second->bytes);
    // The next piece is generated while one is written.
    const std::uint64_t size = values::element_size(e.element), step = kPiece / size;
    const auto made = [&](std::uint64_t begin) {
        std::vector<std::byte> piece(std::min(step, e.count - begin) * size);
        values::fill_contents(b.contents, e.element, b.name, seed_, begin, piece);
        return piece;
    };
    std::vector<std::byte> piece = made(0);
    for (std::uint64_t begin = 0; begin < e.count; begin += step) {
        std::future<std::vector<std::byte>> next;
        if (begin + step < e.count) next = std::async(std::launch::async, made, begin + step);
        auto ok = device.write(address + begin * size, piece);
        if (next.valid()) piece = next.get();
        if (!ok) return ok;
    }
    return {};
}

Result<DeviceBuffers> DeviceBuffers::make(device::Device& device, const Problem& problem) {
    DeviceBuffers out(device);
    for (std::size_t i = 0; i < problem.ladder().buffers.size(); ++i) {
        auto address = device.allocate(problem.extent(i).bytes());
        if (!address) return std::move(address).error();
        out.addresses_.push_back(*address);
        out.own_.push_back(*address);
        if (auto ok = problem.prepare(device, i, *address); !ok) return std::move(ok).error();
    }
    return out;
}

Result<DeviceBuffers> DeviceBuffers::around(device::Device& device, const Problem& problem,
                                            const std::map<std::string, device::Address>& given,
                                            const std::set<std::string>* used) {
    DeviceBuffers out(device);
    const std::vector<Buffer>& buffers = problem.ladder().buffers;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (auto it = given.find(buffers[i].name); it != given.end()) {
            out.addresses_.push_back(it->second);
            continue;
        }
        if (buffers[i].role != Role::scratch)
            return Error{ErrorKind::internal, "the buffer '" + buffers[i].name + "' was not given", buffers[i].where,
                         ""};
        if (used && !used->contains(buffers[i].name)) {
            out.addresses_.push_back(0);
            continue;
        }
        auto address = device.allocate(problem.extent(i).bytes());
        if (!address) return std::move(address).error();
        out.addresses_.push_back(*address);
        out.own_.push_back(*address);
        if (auto ok = problem.prepare(device, i, *address); !ok) return std::move(ok).error();
    }
    return out;
}

Result<DeviceBuffers> DeviceBuffers::shared(device::Device& device, const Problem& problem) {
    DeviceBuffers out(device);
    for (std::size_t i = 0; i < problem.ladder().buffers.size(); ++i) {
        out.addresses_.push_back(0);
        if (problem.ladder().buffers[i].role == Role::scratch) continue;
        auto address = device.allocate(problem.extent(i).bytes());
        if (!address) return std::move(address).error();
        out.addresses_[i] = *address;
        out.own_.push_back(*address);
        if (auto ok = problem.prepare(device, i, *address); !ok) return std::move(ok).error();
    }
    return out;
}

Result<void> DeviceBuffers::refill(const Problem& problem) {
    for (std::size_t i = 0; i < addresses_.size(); ++i)
        if (addresses_[i] != 0)
            if (auto ok = problem.prepare(*device_, i, addresses_[i]); !ok) return ok;
    return {};
}

DeviceBuffers::~DeviceBuffers() {
    // Nothing can be done about a failure here; the next allocation would report it.
    for (device::Address a : own_) (void)device_->release(a).ok();
}

}  // namespace warpwright::ladder
