// Decodes instructions on tensor maps to AsyncForms.
#include <iterator>

#include "engine/shared/async_form.hpp"
#include "engine/shared/tensor_map.hpp"
#include "engine/shared/tensor_map_field.hpp"

namespace warpwright::engine {

namespace {

using simt::Mod;
using simt::Type;

constexpr TensorMapField kFields[] = {
    {Mod::global_address, true, false, false},    {Mod::rank, false, false, false},
    {Mod::box_dim, false, true, false},           {Mod::global_dim, false, true, false},
    {Mod::global_stride, true, true, false},      {Mod::element_stride, false, true, false},
    {Mod::elemtype, false, false, true},          {Mod::interleave_layout, false, false, true},
    {Mod::swizzle_mode, false, false, true},      {Mod::fill_mode, false, false, true},
    {Mod::swizzle_atomicity, false, false, true},
};

/// By the ISA's code; Type::none: not executed here.
constexpr Type kElements[] = {Type::u8,  Type::u16, Type::u32,  Type::s32, Type::u64,  Type::s64,
                              Type::f16, Type::f32, Type::none, Type::f64, Type::bf16, Type::tf32};

/// Whether a coded field may have this code: one of the ISA that copies support.
bool known_code(Mod field, std::uint64_t code) {
    switch (field) {
        case Mod::elemtype:
            return tensor_map_element(code) != Type::none;
        case Mod::swizzle_mode:
            return code <= 3;
        case Mod::fill_mode:
            return code <= 1;
        default:  // interleaved layouts and other atoms of a swizzle
            return code == 0;
    }
}

Result<AsyncForm> decode_replace(AsyncForm f, unsigned inputs) {
    const auto& i = *f.ptx;
    const auto wrong = [&](const std::string& why) {
        return Error{ErrorKind::input, i.spelling() + ": " + why, {"", i.line, i.column}, ""};
    };
    const auto* field = tensor_map_field(i);
    if (!field || !i.has(Mod::tile)) return wrong("names no field of a tensor map");
    if (i.types.size() != 2 || i.types[0] != Type::b1024 || i.types[1] != (field->wide ? Type::b64 : Type::b32))
        return wrong("needs .b1024" + std::string(field->wide ? ".b64" : ".b32"));
    if (inputs != (field->indexed ? 4u : 3u)) return wrong("has the wrong number of operands");
    const auto constant = [&](std::size_t k) { return i.operands[k].kind == simt::Written::Kind::integer; };
    const std::uint64_t most = field->mod == Mod::global_stride ? 3 : 4;
    if (field->indexed && (!constant(1) || i.operands[1].value > most))
        return wrong("the place of the dimension must be a constant from 0 to " + std::to_string(most));
    if (field->coded && (!constant(1) || !known_code(field->mod, i.operands[1].value)))
        return wrong("the value must be a constant that this version of the emulated GPU executes");
    f.op = AsyncOp::replace_in_tensor_map;
    return f;
}

}  // namespace

const TensorMapField* tensor_map_field(const simt::Details& i) {
    for (const auto& field : kFields)
        if (i.has(field.mod)) return &field;
    return nullptr;
}

Type tensor_map_element(std::uint64_t code) { return code < std::size(kElements) ? kElements[code] : Type::none; }

Result<AsyncForm> decode_tensor_map(const simt::Details& i, unsigned inputs) {
    const auto wrong = [&](const std::string& why) {
        return Error{ErrorKind::input, i.spelling() + ": " + why, {"", i.line, i.column}, ""};
    };
    AsyncForm f;
    f.ptx = &i;
    f.inputs = inputs;
    f.shared = i.has(Mod::shared) || i.has(Mod::shared_cta);
    if (i.op == simt::Op::prefetch_tensormap) {
        if (inputs != 2) return wrong("takes the address of a tensor map");
        f.op = AsyncOp::prefetch_tensor_map;
        return f;
    }
    f.moves = true;
    if (i.has(Mod::replace)) return decode_replace(f, inputs);
    if (!i.has(Mod::cp_fenceproxy)) return wrong("needs .replace or .cp_fenceproxy");
    if (inputs != 5 || i.operands[2].kind != simt::Written::Kind::integer || i.operands[2].value != kTensorMapBytes)
        return wrong("takes two addresses and the size 128");
    f.op = AsyncOp::copy_tensor_map;
    return f;
}

}  // namespace warpwright::engine
