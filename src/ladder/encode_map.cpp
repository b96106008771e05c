// Evaluates a tensor map's extents and strides for a size and has the device encode them: emulated and real devices
// have different encodings.
#include "ladder/encode_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace warpwright::ladder {
namespace {

/// PTX's name for the element type of a tensor map.
std::string map_type(values::Element element) {
    switch (element) {
        case values::Element::i8:
        case values::Element::e4m3:
        case values::Element::e5m2:
            return "u8";
        case values::Element::i16:
            return "u16";
        case values::Element::i32:
            return "s32";
        case values::Element::i64:
            return "s64";
        default:
            return std::string(values::element_name(element));
    }
}

}  // namespace

Result<std::array<std::byte, 128>> encode_map(device::Device& device, const TensorMapArgument& from,
                                              const Problem& problem, const Variant& variant,
                                              const Variables& variables, const DeviceBuffers& buffers) {
    const std::vector<Buffer>& all = problem.ladder().buffers;
    const auto index = static_cast<std::size_t>(
        std::find_if(all.begin(), all.end(), [&](const Buffer& b) { return b.name == from.buffer; }) - all.begin());
    values::Element element = problem.extent(index).element;
    device::TensorMap map;
    map.address = buffers[index];
    map.type = map_type(element);
    if (!from.type.empty()) {
        std::string word = word_of(from.type, variant);
        if (auto other = from.types.find(word); other != from.types.end()) word = other->second;
        if (auto named = values::parse_element(word))
            map.type = map_type(element = *named);
        else
            map.type = word, element = values::Element::f32;  // tf32
    }
    const auto values = [&](const std::vector<Expression>& list, auto& to, std::int64_t most) -> Result<void> {
        for (const Expression& e : list) {
            auto value = e.integer(variables);
            if (!value) return std::move(value).error();
            if (*value < 1 || *value > most)
                return Error{ErrorKind::input,
                             fmt::format("'{}' gives {}, which is not valid in a tensor map", e.text(), *value),
                             e.where(), ""};
            to.push_back(static_cast<typename std::remove_reference_t<decltype(to)>::value_type>(*value));
        }
        return {};
    };
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    if (auto ok = values(from.size, map.size, kMost); !ok) return ok.error();
    if (auto ok = values(from.box, map.box, 256); !ok) return ok.error();
    if (auto ok = values(from.stride, map.stride, kMost); !ok) return ok.error();
    if (from.stride.empty()) {
        std::uint64_t elements = 1;
        for (std::size_t i = 0; i + 1 < map.size.size(); ++i) map.stride.push_back(elements *= map.size[i]);
    }
    for (std::uint64_t& s : map.stride) s *= values::element_size(element);
    auto swizzle = from.swizzle.integer(variables);
    if (!swizzle) return std::move(swizzle).error();
    using Swizzle = device::TensorMap::Swizzle;
    constexpr std::pair<int, Swizzle> kSwizzles[] = {
        {0, Swizzle::none}, {32, Swizzle::b32}, {64, Swizzle::b64}, {128, Swizzle::b128}};
    const auto found =
        std::find_if(std::begin(kSwizzles), std::end(kSwizzles), [&](const auto& s) { return s.first == *swizzle; });
    if (found == std::end(kSwizzles))
        return Error{ErrorKind::input, fmt::format("the swizzle {} is not 0, 32, 64 or 128", *swizzle),
                     from.swizzle.where(), ""};
    map.swizzle = found->second;
    auto maps = device.need(&device::Device::tensor_maps);
    if (!maps) return std::move(maps).error();
    return (*maps)->encode_tensor_map(map);
}

}  // namespace warpwright::ladder
