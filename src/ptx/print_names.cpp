// Gives each local item the name that it had, or that name with a number where an outer or an earlier item has it:
// scopes are gone in printed text.
#include "ptx/print_names.hpp"

#include "ptx/suffix.hpp"

namespace warpwright::ptx {

ModuleNames::ModuleNames(const Module& module) : owned(module.functions.size()) {
    for (const Function& f : module.functions) taken.insert(f.name);
    for (SymbolId id = 0; id < module.variables.size(); ++id) {
        const Variable& v = module.variables[id];
        if (v.function == kNoId)
            taken.insert(v.name);
        else
            owned[v.function].push_back(id);
    }
}

LocalNames::LocalNames(const Module& module, const ModuleNames& outer, const Function& function)
    : module_(module), outer_(outer) {
    SymbolId self = static_cast<SymbolId>(&function - module.functions.data());
    // Parameters first: they are outermost, so they keep their names. A parameter in a register has one name.
    auto parameters = [&](const std::vector<SymbolId>& list) {
        for (SymbolId id : list)
            variables_.emplace(id, module.variables[id].name == "_" ? "_" : fresh(module.variables[id].name));
    };
    parameters(function.results);
    parameters(function.parameters);
    registers_.resize(function.registers.size());
    for (const auto& list : {function.results, function.parameters})
        for (SymbolId id : list)
            if (RegId reg = module.variables[id].reg; reg < registers_.size()) registers_[reg] = variables_[id];
    for (std::size_t i = 0; i < registers_.size(); ++i)
        if (registers_[i].empty()) registers_[i] = fresh(function.registers[i].name);
    for (const Prototype& p : function.prototypes) {
        prototypes_.push_back(fresh(p.label));
        for (const auto& list : {p.results, p.parameters})
            for (SymbolId id : list) variables_.emplace(id, "_");
    }
    for (SymbolId id : outer.owned[self])
        if (!variables_.contains(id)) variables_.emplace(id, fresh(module.variables[id].name));
    for (const Label& l : function.labels) labels_.push_back(fresh(l.name));
}

const std::string& LocalNames::variable(SymbolId id) const {
    auto it = variables_.find(id);
    return it == variables_.end() ? module_.variables[id].name : it->second;
}

std::string LocalNames::fresh(std::string_view wanted) {
    std::string name(wanted);
    if (!outer_.taken.contains(name) && taken_.insert(name).second) return name;
    for (unsigned& number = next_[name];;) {
        std::string candidate = name + "_" + std::to_string(++number);
        if (!special_from(candidate) && !outer_.taken.contains(candidate) && taken_.insert(candidate).second)
            return candidate;
    }
}

}  // namespace warpwright::ptx
