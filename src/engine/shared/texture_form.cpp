// Decodes instructions of textures and surfaces to AsyncForms: which operand is what.
#include "engine/shared/async_form.hpp"
#include "engine/shared/atomic_op.hpp"

namespace warpwright::engine {

using simt::Mod;
using simt::Op;
using OK = simt::Written::Kind;

namespace {

unsigned elements(const simt::Written& o) {
    return o.kind == OK::vector ? static_cast<unsigned>(o.elements.size()) : 1;
}

struct Decoder {
    const simt::Details& i;
    AsyncForm f;
    unsigned given = 0;  ///< coordinates, with the layer and what pads them
    const simt::Written* place = nullptr;
    std::size_t place_index = 0;

    Error wrong(const std::string& why) const {
        return Error{ErrorKind::input, i.spelling() + ": " + why, {"", i.line, i.column}, ""};
    }

    Result<void> geometry() {
        f.layered = i.has(Mod::a1d) || i.has(Mod::a2d) || i.has(Mod::acube);
        f.cube = i.has(Mod::cube) || i.has(Mod::acube);
        f.dimensions = i.has(Mod::d1) || i.has(Mod::a1d)   ? 1
                       : i.has(Mod::d2) || i.has(Mod::a2d) ? 2
                       : i.has(Mod::d3) || f.cube          ? 3
                                                           : 0;
        if (f.dimensions == 0) return wrong("this geometry is not executed by this version of the emulated GPU");
        // The place in the brackets is the handle (an address and an offset) and the coordinates, perhaps padded.
        for (std::size_t k = 0; k < i.operands.size(); ++k)
            if (i.operands[k].kind == OK::address) place = &i.operands[k], place_index = k;
        if (place && place->elements.size() == 2)
            return wrong("samplers apart from their textures are not executed by this version of the emulated GPU");
        if (!place || place->elements.size() != 1) return wrong("needs an object and coordinates in brackets");
        given = elements(place->elements[0]);
        const unsigned least = f.dimensions + (f.layered ? 1 : 0);
        if (given < least) return wrong("has too few coordinates");
        f.first_value = 2 + given;
        return {};
    }

    Result<AsyncForm> fetch() {
        if (auto r = geometry(); !r) return r.error();
        f.op = AsyncOp::texture;
        const bool halves = i.type() == simt::Type::f16x2;
        if (i.types.size() != 2 || (simt::bytes(i.types[0]) != 4 && i.type() != simt::Type::f16))
            return wrong("this type of texture fetch is not executed");
        const auto& to = i.operands[0];
        f.resident = to.kind == OK::pair;
        f.values = elements(f.resident ? to.elements[0] : to);
        if (f.values != (halves ? 2u : 4u)) return wrong(halves ? "gives two registers" : "gives four registers");
        // After the place come the level or both gradients, then offsets in elements, then the depth to compare with.
        auto next = place_index + 1;
        unsigned input = f.first_value;
        auto take = [&](unsigned fewest) -> unsigned {
            if (next >= i.operands.size() || elements(i.operands[next]) < fewest) return 0;
            const auto at = input;
            input += elements(i.operands[next++]);
            return at;
        };
        if (i.has(Mod::level) && (f.level_at = take(1)) == 0) return wrong("needs a level");
        if (i.has(Mod::grad) && ((f.across_at = take(f.dimensions)) == 0 || (f.down_at = take(f.dimensions)) == 0))
            return wrong("needs two gradients");
        if (next < i.operands.size() &&
            (i.operands[next].kind == OK::vector || (f.dimensions == 1 && next + 1 == i.operands.size())) && !f.cube)
            f.shift_at = take(f.dimensions);
        if (next < i.operands.size())
            return wrong("comparisons of depths are not executed by this version of the emulated GPU");
        if (i.op == Op::tld4 && (f.dimensions == 1 || i.has(Mod::d3))) return wrong("gathers from two dimensions");
        return f;
    }

    Result<AsyncForm> surface(unsigned inputs) {
        if (auto r = geometry(); !r) return r.error();
        if (f.cube) return wrong("a surface's faces are layers: .a2d");
        if (i.types.empty()) return wrong("needs a type");
        f.element_bytes = simt::bytes(i.types.back());
        f.values = i.access.vector;
        if (i.op == Op::sured) {
            f.op = AsyncOp::surface_reduction;
            auto op = atomic_op(i, i.types.back());
            if (!op) return wrong(op.error().what);
            f.operation = static_cast<std::uint32_t>(*op);
        } else {
            f.op = AsyncOp::surface;
            const bool formatted = i.op == Op::sust && i.has(Mod::p);
            if (!formatted && !i.has(Mod::b)) return wrong("needs .b or .p");
            if (formatted && f.element_bytes != 4) return wrong("formatted stores take 32 bits for each channel");
        }
        const unsigned wanted = f.first_value + f.values;
        if (i.op != Op::suld && inputs < wanted) return wrong("has too few values");
        return f;
    }
};

}  // namespace

Result<AsyncForm> decode_texture(const simt::Details& i, unsigned inputs) {
    Decoder d{i, {}, 0, nullptr, 0};
    d.f.ptx = &i;
    d.f.inputs = inputs;
    switch (i.op) {
        case Op::tex:
        case Op::tld4:
            return d.fetch();
        case Op::suld:
        case Op::sust:
        case Op::sured:
            return d.surface(inputs);
        case Op::istypep:
            d.f.op = AsyncOp::is_type;
            if (i.types.empty() || inputs == 0) return d.wrong("needs a handle and the kind to ask for");
            return d.f;
        default:
            d.f.op = AsyncOp::texture_query;
            if (i.has(Mod::level)) d.f.level_at = 2;
            if (inputs < (i.has(Mod::level) ? 3u : 2u)) return d.wrong("has too few operands");
            return d.f;
    }
}

}  // namespace warpwright::engine
