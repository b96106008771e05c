// A graph as a text, which frameworks keep with what they have compiled, and hand back in another process: a list of
// integers, descriptor by descriptor, each behind those that it is made of.
#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "libraries/cudnn/backend.hpp"
#include "libraries/cudnn/work.hpp"

namespace warpwright::libraries::dnn {
namespace {

constexpr std::int64_t kForm = 1;  ///< of the text

/// Programs' pointers and handles mean nothing in another process.
bool lasts(int type) { return type != CUDNN_TYPE_HANDLE && type != CUDNN_TYPE_VOID_PTR; }

struct Writer {
    std::vector<std::int64_t> out;
    std::unordered_map<const Descriptor*, std::int64_t> numbers;

    void write(const Part& d) {
        if (numbers.contains(d.get())) return;
        for (const auto& [name, value] : d->values)
            for (const auto& part : value.parts) write(part);
        numbers.emplace(d.get(), static_cast<std::int64_t>(numbers.size()));
        std::int64_t lasting = 0;
        for (const auto& [name, value] : d->values) lasting += lasts(value.type);
        out.push_back(d->kind);
        out.push_back(lasting);
        for (const auto& [name, value] : d->values) {
            if (!lasts(value.type)) continue;
            const bool parts = value.type == CUDNN_TYPE_BACKEND_DESCRIPTOR;
            out.push_back(name);
            out.push_back(value.type);
            out.push_back(static_cast<std::int64_t>(parts ? value.parts.size() : value.numbers.size()));
            if (parts)
                for (const auto& part : value.parts) out.push_back(numbers.at(part.get()));
            else
                out.insert(out.end(), value.numbers.begin(), value.numbers.end());
        }
    }
};

/// The integers of a text; nothing where it is none of ours.
std::optional<std::vector<std::int64_t>> integers_in(const std::vector<std::int64_t>& letters) {
    const std::string text(letters.begin(), letters.end());
    std::vector<std::int64_t> out;
    const char* at = text.data();
    const char* const end = at + text.size();
    if (at == end || *at++ != '[') return {};
    while (true) {
        std::int64_t x = 0;
        const auto [next, error] = std::from_chars(at, end, x);
        if (error != std::errc{} || next == end) return {};
        out.push_back(x);
        at = next + 1;
        if (*next == ']') return out;
        if (*next != ',') return {};
    }
}

struct Reader {
    const std::vector<std::int64_t>& in;
    std::size_t at = 0;
    std::vector<Part> made;

    std::optional<std::int64_t> next() {
        if (at >= in.size()) return {};
        return in[at++];
    }
    bool left(std::int64_t count) const { return count >= 0 && static_cast<std::size_t>(count) <= in.size() - at; }

    bool value(Descriptor& of) {
        const auto name = next(), type = next(), count = next();
        if (!name || !type || !count || !left(*count)) return false;
        const auto shape = shape_of_attribute(static_cast<int>(*name));
        if (!shape || shape->kind != of.kind || *count > 2 * shape->most) return false;
        const bool real = shape->type == CUDNN_TYPE_DOUBLE && *type == CUDNN_TYPE_FLOAT;
        const bool seed = *name == CUDNN_ATTR_OPERATION_RNG_SEED && *type == CUDNN_TYPE_INT64;
        const bool constant = *name == CUDNN_ATTR_TENSOR_CONSTANT_VALUE && *type == CUDNN_TYPE_DOUBLE;
        if ((*type != shape->type && !real && !seed && !constant) || !lasts(static_cast<int>(*type))) return false;
        Value v{static_cast<int>(*type), {}, {}};
        for (std::int64_t k = 0; k < *count; ++k) {
            const std::int64_t x = *next();
            if (v.type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
                v.numbers.push_back(x);
            } else {
                if (x < 0 || static_cast<std::size_t>(x) >= made.size()) return false;
                const auto& part = made[static_cast<std::size_t>(x)];
                if (part->depth >= kMostDepth) return false;
                of.depth = std::max(of.depth, part->depth + 1);
                v.parts.push_back(part);
            }
        }
        of.values[static_cast<int>(*name)] = std::move(v);
        return true;
    }
    bool descriptor() {
        const auto kind = next(), count = next();
        if (!kind || !count || !left(*count)) return false;
        auto d = std::make_shared<Descriptor>();
        d->kind = static_cast<int>(*kind), d->finalized = true;
        for (std::int64_t k = 0; k < *count; ++k)
            if (!value(*d)) return false;
        made.push_back(std::move(d));
        return true;
    }
};

}  // namespace

std::string text_of(const Part& graph) {
    Writer writer;
    writer.write(graph);
    std::string out = "[" + std::to_string(kForm);
    for (const std::int64_t x : writer.out) out += "," + std::to_string(x);
    return out + "]";
}

Part graph_of(const std::vector<std::int64_t>& text) {
    const auto numbers = integers_in(text);
    if (!numbers || numbers->empty() || (*numbers)[0] != kForm) return nullptr;
    Reader reader{*numbers, 1, {}};
    while (reader.at < numbers->size())
        if (!reader.descriptor()) return nullptr;
    if (reader.made.empty() || reader.made.back()->kind != CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) return nullptr;
    return reader.made.back();
}

}  // namespace warpwright::libraries::dnn
