// Places each argument at the offset that the kernel's declaration gives, and refuses one that does not fit its type or
// size, by its number and name.
#include "ladder/pack.hpp"
#include "launch/pack.hpp"
#include "support/demangle.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace warpwright::ladder {
namespace {

std::string misfit(std::size_t index, const device::Parameter& p, const ArgumentValue& a) {
    return fmt::format("argument {} ('{}') does not fit the kernel's parameter {} of type {}", index, a.text, index,
                       p.type == "b8" ? fmt::format("b8[{}]", p.size) : p.type);
}

/// The element type of a parameter's declaration; absent for structs.
std::optional<values::Element> parameter_element(const device::Parameter& p) {
    auto element = values::parse_element(p.type);
    if (element && values::element_size(*element) == p.size) return element;
    return std::nullopt;
}

bool fits(values::Element element, long double value) {
    if (values::is_floating(element)) return true;
    int bits = static_cast<int>(8 * values::element_size(element));
    // Both readings of the bits are accepted: PTX declares most integers unsigned, whatever the source says.
    return value == std::trunc(value) && value >= -std::ldexp(1.0L, bits - 1) && value < std::ldexp(1.0L, bits);
}

/// "ns::foo<int>(float*)" -> "foo".
std::string base_name(std::string text) {
    int depth = 0;
    std::size_t end = text.size(), begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if ((c == '(' || c == '<') && depth++ == 0) {
            bool anonymous = text.compare(i, 21, "(anonymous namespace)") == 0;
            if (!anonymous) {
                end = i;
                break;
            }
        } else if (c == ')' || c == '>') {
            --depth;
        } else if (depth == 0 && (c == ':' || c == ' ')) {
            begin = i + 1;
        }
    }
    return text.substr(begin, end - begin);
}

}  // namespace

Result<const device::KernelInfo*> find_kernel(const device::Module& module, const std::string& name) {
    std::vector<const device::KernelInfo*> found;
    std::string known;
    for (const device::KernelInfo& k : module.kernels()) {
        if (k.name == name) return &k;
        std::string readable = demangle(k.name);
        if (readable == name || base_name(readable) == name) found.push_back(&k);
        known += (known.empty() ? "" : ", ") + readable;
    }
    if (found.size() == 1) return found.front();
    if (found.size() > 1) {
        std::string list;
        for (auto* k : found) list += (list.empty() ? "" : ", ") + demangle(k->name);
        return Error{ErrorKind::input, "several kernels are called '" + name + "'", Location{}, "say which: " + list};
    }
    return Error{
        ErrorKind::input, "there is no kernel '" + name + "'", Location{},
        known.empty() ? "the module has no kernels; in CUDA C++ they begin with __global__" : "kernels: " + known};
}

Result<std::vector<std::byte>> pack_arguments(const device::KernelInfo& kernel,
                                              std::span<const ArgumentValue> arguments) {
    auto usage = [](std::string what, const Location& where, std::string hint = "") {
        return Error{ErrorKind::usage, std::move(what), where, std::move(hint)};
    };
    const auto& parameters = kernel.parameters;
    if (arguments.size() != parameters.size()) {
        std::string list;
        for (const auto& p : parameters) list += (list.empty() ? "" : ", ") + p.type;
        return usage(fmt::format("the kernel '{}' takes {} argument{}, {} given", demangle(kernel.name),
                                 parameters.size(), parameters.size() == 1 ? "" : "s", arguments.size()),
                     arguments.empty() ? Location{} : arguments.back().where,
                     "its parameters: " + (list.empty() ? "none" : list));
    }
    std::vector<std::vector<std::byte>> bytes(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const device::Parameter& p = parameters[i];
        const ArgumentValue& a = arguments[i];
        auto element = parameter_element(p);
        if (a.kind == ArgumentValue::Kind::buffer) {
            bool pointer = p.size == 8 && (!element || !values::is_floating(*element));
            if (!pointer) return usage(misfit(i, p, a), a.where, "a buffer is passed as a pointer of 8 bytes");
            const auto address = launch::argument(a.address);
            bytes[i].assign(address.begin(), address.end());
            continue;
        }
        if (a.kind == ArgumentValue::Kind::bytes) {
            if (p.size != a.bytes.size())
                return usage(misfit(i, p, a), a.where, fmt::format("it is a struct of {} bytes", a.bytes.size()));
            bytes[i] = a.bytes;
            continue;
        }
        // Structs and half-precision numbers are declared as bytes: a number of the same size with an explicit type is
        // accepted.
        values::Element type = element ? *element : a.element.value_or(values::Element::u8);
        if (a.element && values::element_size(*a.element) == p.size && (!element || p.type[0] == 'b'))
            type = *a.element;
        if (values::element_size(type) != p.size)
            return usage(misfit(i, p, a), a.where, "a struct cannot be given on the command line");
        if (a.element && (values::element_size(*a.element) != p.size ||
                          values::is_floating(*a.element) != values::is_floating(type)))
            return usage(misfit(i, p, a), a.where);
        if (!fits(type, a.number)) return usage(misfit(i, p, a), a.where, "it is not a whole number of that size");
        bytes[i].resize(p.size);
        values::store_element(type, bytes[i].data(), a.number);
    }
    const std::vector<launch::Argument> all(bytes.begin(), bytes.end());
    return launch::pack(kernel, all);
}

}  // namespace warpwright::ladder
