// When its last user is gone, a program releases its variables, or gives back those whose place the host chose. What an
// assembler told has a lock of its own, apart from that of compiled code.
#include "engine/shared/program.hpp"

namespace warpwright::engine {

std::optional<machine::Spills> Program::told_spills(const std::string& function) const {
    std::lock_guard lock(told_mutex_);
    const auto at = told_.find(function);
    return at == told_.end() ? std::nullopt : std::optional(at->second);
}

void Program::tell_spills(const std::string& function, const machine::Spills& spills) {
    std::lock_guard lock(told_mutex_);
    told_.insert_or_assign(function, spills);
}

Program::~Program() {
    if (!memory) return;
    for (std::size_t i = 0; i < variables.size(); ++i)
        if (const auto a = variables[i]; a && !(i < stays.size() && stays[i]))
            (void)(memory->in_range(a) ? memory->release(a) : memory->disown(a)).ok();
}

}  // namespace warpwright::engine
