// Each list of names is a table in the order of its enumeration and serves both directions, so that what is printed can
// be read again. What an instruction implies is decided here for the same reason.
#include "simt/text/words.hpp"

#include <array>
#include <charconv>

namespace warpwright::simt::text {

namespace {

constexpr std::array<std::string_view, 8> kSpaces = {"generic", "reg",    "sreg",  "param",
                                                     "global",  "shared", "local", "constant"};
constexpr std::string_view kSystemCalls[] = {
    "none", "print", "assert_fail", "allocate", "release",
#define WW_DEVICE_CALL(name, inputs, result) #name,
#include "simt/device_calls.inc"
#undef WW_DEVICE_CALL
};
constexpr std::string_view kEnds[] = {"jump", "branch", "multiway", "exit", "ret", "trap"};
constexpr std::string_view kStages[] = {"built", "ordered", "ssa"};
constexpr std::string_view kKinds[] = {
#define KIND(name, ...) #name,
#include "simt/kinds.inc"
#undef KIND
};

template <class Id, class Names>
std::optional<Id> find(const Names& names, std::string_view text) {
    std::size_t k = 0;
    for (const std::string_view name : names) {
        if (name == text) return static_cast<Id>(k);
        ++k;
    }
    return std::nullopt;
}

}  // namespace

std::string_view name(Space space) { return kSpaces[static_cast<std::size_t>(space)]; }
std::optional<Space> space_from(std::string_view text) { return find<Space>(kSpaces, text); }
std::string_view name(SystemCall call) { return kSystemCalls[static_cast<std::size_t>(call)]; }
std::optional<SystemCall> system_call_from(std::string_view text) { return find<SystemCall>(kSystemCalls, text); }
std::string_view name(Terminator::Kind kind) { return kEnds[static_cast<std::size_t>(kind)]; }
std::optional<Terminator::Kind> terminator_from(std::string_view text) { return find<Terminator::Kind>(kEnds, text); }
std::string_view name(Stage stage) { return kStages[static_cast<std::size_t>(stage)]; }
std::optional<Stage> stage_from(std::string_view text) { return find<Stage>(kStages, text); }
std::optional<InstKind> kind_from(std::string_view text) { return find<InstKind>(kKinds, text); }

bool has_address(InstKind kind) {
    switch (kind) {
        case InstKind::param:
        case InstKind::load:
        case InstKind::store:
        case InstKind::atomic:
        case InstKind::matrix_load:
        case InstKind::matrix_store:
        case InstKind::copy_async:
            return true;
        default:
            return false;
    }
}

Space implied_space(const Inst& i) {
    switch (i.kind) {
        case InstKind::address:
            return Space::local;  // where the text names no variable
        case InstKind::copy_async:
            return Space::shared;
        case InstKind::param:
            return Space::param;
        case InstKind::load:
        case InstKind::store:
        case InstKind::atomic:
        case InstKind::matrix:
        case InstKind::matrix_load:
        case InstKind::matrix_store:
        case InstKind::to_generic:
        case InstKind::from_generic:
        case InstKind::in_space:
            return i.ptx ? i.ptx->space() : Space::generic;
        default:
            return Space::generic;
    }
}

Type implied_type(const Inst& i, const Function& f) {
    const auto last = [&](Type none) { return i.ptx && !i.ptx->types.empty() ? i.ptx->types.back() : none; };
    const auto first = [&](Type none) { return i.ptx && !i.ptx->types.empty() ? i.ptx->types.front() : none; };
    switch (i.kind) {
        case InstKind::param:
        case InstKind::load:
        case InstKind::store:
        case InstKind::atomic:
            return last(Type::b32);
        case InstKind::matrix:
        case InstKind::matrix_load:
        case InstKind::matrix_store:
            return last(Type::b16);
        case InstKind::async_op:
        case InstKind::async_wait:
        case InstKind::matrix_async:
            return last(Type::none);
        case InstKind::to_generic:
        case InstKind::from_generic:
        case InstKind::in_space:
            return first(Type::u64);
        case InstKind::phi:
            return i.out.size() == 1 && i.out[0] != kNone ? f.values[i.out[0]].type : Type::none;
        case InstKind::address:
            return Type::b64;
        case InstKind::add_offset:
            return Type::u64;
        case InstKind::copy_async:
            return Type::b8;
        case InstKind::data:
        case InstKind::move:
        case InstKind::pack:
        case InstKind::unpack:
        case InstKind::shuffle:
        case InstKind::vote:
        case InstKind::match:
        case InstKind::reduce:
        case InstKind::active_mask:
        case InstKind::elect:
        case InstKind::matrix_move:
            return first(Type::none);
        default:
            return Type::none;
    }
}

std::string name_of(const ptx::Module& module, std::uint32_t variable) {
    const auto& name = module.variables[variable].name;
    unsigned same = 0;
    for (const auto& v : module.variables) same += v.name == name;
    return same > 1 ? name + "#" + std::to_string(variable) : name;
}

std::optional<std::uint32_t> variable_from(const ptx::Module& module, std::string_view text) {
    if (const auto hash = text.find('#'); hash != std::string_view::npos) {
        std::uint32_t k = 0;
        const auto digits = text.substr(hash + 1);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), k);
        if (error != std::errc() || end != digits.data() + digits.size() || k >= module.variables.size())
            return std::nullopt;
        return k;
    }
    for (std::uint32_t k = 0; k < module.variables.size(); ++k)
        if (module.variables[k].name == text) return k;
    return std::nullopt;
}

}  // namespace warpwright::simt::text
