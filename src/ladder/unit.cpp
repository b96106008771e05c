// The GPU unit that bounds a rung's arithmetic.
#include <algorithm>

#include "ladder/ladder.hpp"
#include "values/element.hpp"

namespace warpwright::ladder {
namespace {

/// The unit without tensor cores, for a kernel that is no product.
std::string plain_unit(values::Element e) {
    switch (e) {
        case values::Element::f32:
            return "fp32";
        case values::Element::f64:
            return "fp64";
        case values::Element::f16:
        case values::Element::bf16:
            return "fp16";
        default:
            return values::is_floating(e) ? "fp16" : "integer";
    }
}

/// The fastest unit for a product of such elements; f32 keeps its precision, which tensor cores would reduce.
std::string product_unit(values::Element e) {
    switch (e) {
        case values::Element::f32:
            return "fp32";
        case values::Element::f64:
            return "f64";
        case values::Element::f16:
            return "f16";
        case values::Element::bf16:
            return "bf16";
        case values::Element::e4m3:
        case values::Element::e5m2:
            return "fp8";
        case values::Element::i8:
        case values::Element::u8:
            return "int8";
        default:
            return "integer";
    }
}

}  // namespace

const std::vector<std::string>& unit_words() {
    static const std::vector<std::string> words{
        "fp32", "fp64", "fp16",        "integer",    "tf32",        "f16",        "bf16",        "fp8",
        "int8", "f64",  "sparse_tf32", "sparse_f16", "sparse_bf16", "sparse_fp8", "sparse_int8", "none"};
    return words;
}

std::string unit_of(const Ladder& ladder, const Rung& rung, const Variant& variant) {
    if (!rung.unit.empty()) {
        const std::string word = word_of(rung.unit, variant);
        if (rung.unit_by.empty()) return word;
        if (auto it = rung.unit_by.find(word); it != rung.unit_by.end()) return it->second;
    }
    const Reference& reference = ladder.reference;
    if (reference.kind == Reference::Kind::transpose || reference.kind == Reference::Kind::copy) return "none";
    std::optional<values::Element> element;
    for (const Buffer& b : ladder.buffers)
        if (!element && (reference.inputs.empty() ? b.role == Role::input : b.name == reference.inputs.front()))
            element = values::parse_element(word_of(b.type, variant));
    if (!element) return "none";
    if (reference.kind != Reference::Kind::matmul) return plain_unit(*element);
    std::string unit = product_unit(*element);
    if (unit == "fp32" && (word_of(rung.compute_type, variant) == "tf32" || rung.library == "cusparselt"))
        unit = "tf32";
    const bool tensor = unit != "fp32" && unit != "f64" && unit != "integer";
    // A library that does not use the zeros multiplies them.
    if (reference.sparse && tensor && (rung.library.empty() || rung.library == "cusparselt")) unit = "sparse_" + unit;
    return unit;
}

}  // namespace warpwright::ladder
