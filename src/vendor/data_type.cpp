// The table from our names of element types to NVIDIA's numbers, and which combinations of operands, result and
// accumulation its libraries know.
#include "vendor/data_type.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

namespace warpwright::vendor {
namespace {

constexpr std::pair<std::string_view, DataType> kTypes[] = {
    {"f32", DataType::f32}, {"f64", DataType::f64},   {"f16", DataType::f16},   {"i8", DataType::i8},
    {"i32", DataType::i32}, {"bf16", DataType::bf16}, {"e4m3", DataType::e4m3}, {"e5m2", DataType::e5m2},
};

template <class T>
void set(std::array<std::byte, 8>& to, T value) {
    std::memcpy(to.data(), &value, sizeof value);
}

bool is_short_float(const std::string& t) { return t == "f16" || t == "bf16" || t == "e4m3" || t == "e5m2"; }

}  // namespace

Result<DataType> data_type(const std::string& name) {
    for (const auto& [word, type] : kTypes)
        if (word == name) return type;
    return Error{ErrorKind::limit, "NVIDIA's libraries multiply no matrices of " + name, {}, ""};
}

Result<Arithmetic> arithmetic(const std::string& a, const std::string& b, const std::string& c,
                              const std::string& word) {
    Arithmetic out;
    set(out.one, 1.0f);
    set(out.zero, 0.0f);
    const bool single = a == "f32" && b == "f32";
    if (single && (word.empty() || word == "f32")) {
        out.compute = ComputeType::f32_pedantic;
        out.text = "f32, pedantic";
    } else if (single && word == "f32_fast") {
        out.compute = ComputeType::f32;
        out.text = "f32";
    } else if (single && word == "tf32") {
        out.compute = ComputeType::tf32;
        out.text = "tf32, added in f32";
    } else if (is_short_float(a) && is_short_float(b) && (word.empty() || word == "f32")) {
        out.compute = ComputeType::f32;
        out.text = "added in f32";
    } else if (a.starts_with("e") && b.starts_with("e") && word == "f32_fast") {
        out.compute = ComputeType::f32;
        out.fast_sum = true;
        out.text = "fast accumulation";
    } else if (a == "f16" && b == "f16" && word == "f16") {
        out.compute = ComputeType::f16;
        out.scale = DataType::f16;
        set(out.one, std::uint16_t{0x3c00});
        out.text = "added in f16";
    } else if (a == "i8" && b == "i8" && c == "i32" && (word.empty() || word == "i32")) {
        out.compute = ComputeType::i32;
        out.scale = DataType::i32;
        set(out.one, std::int32_t{1});
        out.text = "added in i32";
    } else if (a == "f64" && b == "f64" && (word.empty() || word == "f64")) {
        out.compute = ComputeType::f64;
        out.scale = DataType::f64;
        set(out.one, 1.0);
        set(out.zero, 0.0);
        out.text = "f64";
    } else {
        return Error{ErrorKind::limit,
                     fmt::format("NVIDIA's libraries have no product of {} by {} into {}{}", a, b, c,
                                 word.empty() ? "" : " with compute_type = \"" + word + "\""),
                     {},
                     ""};
    }
    return out;
}

}  // namespace warpwright::vendor
