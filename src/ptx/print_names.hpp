// The names that the printer gives to items local to one function: as written if that is unambiguous without scopes,
// else with a number added.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ptx/ast.hpp"

namespace warpwright::ptx {

/// Lookups that are made once per module, so that printing stays linear in its size.
struct ModuleNames {
    explicit ModuleNames(const Module& module);
    std::unordered_set<std::string_view> taken;  ///< functions and module variables
    std::vector<std::vector<SymbolId>> owned;    ///< variables by the function that owns them
};

class LocalNames {
public:
    LocalNames(const Module& module, const ModuleNames& outer, const Function& function);

    const std::string& reg(RegId id) const { return registers_[id]; }
    const std::string& label(LabelId id) const { return labels_[id]; }
    const std::string& prototype(std::uint32_t id) const { return prototypes_[id]; }
    const std::string& variable(SymbolId id) const;
    /// A name that is not yet used in the function or module.
    std::string fresh(std::string_view wanted);

private:
    const Module& module_;
    const ModuleNames& outer_;
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, unsigned> next_;
    std::vector<std::string> registers_, labels_, prototypes_;
    std::unordered_map<SymbolId, std::string> variables_;
};

}  // namespace warpwright::ptx
