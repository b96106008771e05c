// The pipe decides where it is one of a class alone; where several classes share a pipe, the instruction of PTX does.
#include "machine/mix.hpp"

#include <algorithm>

namespace warpwright::machine {

namespace {

Mix of_numbers(simt::Type type) {
    if (simt::is_half(type)) return Mix::fp16;
    if (type == simt::Type::f64) return Mix::fp64;
    return simt::is_float(type) ? Mix::fp32 : Mix::integer;
}

/// Of an operation of a pipe that several classes share: logic, comparisons and choices, exchanges, empty slots.
Mix by_ptx(const Op& op) {
    const auto type = op.ptx->types.empty() ? simt::Type::none : op.ptx->types.back();
    switch (simt::facts(op.ptx->op).cls) {
        case simt::Class::arithmetic:
        case simt::Class::special:
            return of_numbers(type);
        case simt::Class::memory:
            return Mix::memory;
        case simt::Class::tensor:
            return Mix::tensor;
        case simt::Class::warp:
            return Mix::warp;
        case simt::Class::barrier:
        case simt::Class::control:
            return Mix::control;
        case simt::Class::move:
            return Mix::move;
        case simt::Class::integer:
        case simt::Class::convert:  // of whole numbers: a shift, or a permutation of bytes
            break;
    }
    return Mix::integer;
}

Mix mix_of_pipe(const Op& op) {
    switch (op.pipe) {
        case Pipe::fp32:
            return Mix::fp32;
        case Pipe::fp64:
            return Mix::fp64;
        case Pipe::half:
            return Mix::fp16;
        case Pipe::tensor:
            return Mix::tensor;
        case Pipe::special:
            return Mix::special;
        case Pipe::memory:
        case Pipe::texture:
            return op.effect == Effect::barrier || op.effect == Effect::arrive ? Mix::control : Mix::memory;
        case Pipe::branch:
            return Mix::control;
        case Pipe::convert:
            // Bit counts are there too.
            return op.ptx && simt::facts(op.ptx->op).cls == simt::Class::integer ? Mix::integer : Mix::convert;
        case Pipe::add:
        case Pipe::multiply:
            return Mix::integer;
        case Pipe::none:
        case Pipe::alu:
        case Pipe::exchange:
            break;
    }
    return op.ptx ? by_ptx(op) : Mix::move;
}

}  // namespace

std::array<unsigned, kMixes> mix_of(const Op& op) {
    std::array<unsigned, kMixes> out{};
    const auto add = [&](Mix mix, unsigned slots) { out[static_cast<unsigned>(mix)] += slots; };
    if (!op.ptx && op.space == simt::Space::constant) {  // what every kernel begins with: a move, and a load
        add(Mix::memory, op.issues / 2u), add(Mix::move, op.issues - op.issues / 2u);
        return out;
    }
    unsigned left = op.issues;
    if (op.issues > 1 && op.special > 0 && op.ptx) {
        const unsigned units = std::min<unsigned>(op.special, left);
        const auto type = op.ptx->types.empty() ? simt::Type::none : op.ptx->types.back();
        const Mix numbers = of_numbers(type);
        // A division of whole numbers converts there and back, in the same unit.
        const unsigned conversions = numbers == Mix::integer ? units - 1 : 0;
        add(Mix::special, units - conversions), add(Mix::convert, conversions), add(numbers, left - units);
        return out;
    }
    add(mix_of_pipe(op), left);
    return out;
}

}  // namespace warpwright::machine
