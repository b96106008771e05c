// A kernel's properties are found when it is first asked for, unless all are wanted at once. A small module is
// assembled as a whole and a large one in parts, because a program may use one kernel of hundreds.
#include "device/emulated/module.hpp"

#include <algorithm>

namespace warpwright::device {

namespace {

/// The layout of a parameter block: as C's, each at a multiple of its alignment.
std::vector<Parameter> parameters_of(const ptx::Module& m, const ptx::Function& function) {
    std::vector<Parameter> out;
    std::uint32_t offset = 0;
    for (auto p : function.parameters) {
        const auto& v = m.variables[p];
        const std::uint32_t align = v.align ? v.align : std::max(1u, ptx::bytes(v.type) * v.vector);
        offset = (offset + align - 1) / align * align;
        const auto natural = ptx::bytes(v.type) * v.vector;
        out.push_back({v.name, offset, static_cast<std::uint32_t>(v.size), align,
                       std::string(v.size == natural ? ptx::spelling(v.type) : "b8")});
        offset += static_cast<std::uint32_t>(v.size);
    }
    return out;
}

/// A size that a directive gives: its y and z may be left out, which is 1.
template <class Three>
Extent extent(const Three& n) {
    return {n[0], std::max(1u, n[1]), std::max(1u, n[2])};
}

/// Modules of a program that have more kernels, or are longer, are assembled in parts, as their kernels are used: of
/// hundreds a program may use one.
constexpr std::size_t kMostAtOnce = 8, kMostBytesAtOnce = 256 * 1024;
/// How many parts there are at most. The assembler reads the whole text for each, which takes it as long as assembling
/// a tenth of the kernels (ptxas 13.0); so a part of which one kernel is used costs less than twice that kernel alone.
constexpr std::size_t kParts = 16;
/// What a launch has at least, whatever the assembler says (Nsight Compute, H200).
constexpr std::uint32_t kFewestOfLaunch = 16;

}  // namespace

EmulatedModule::EmulatedModule(engine::Engine& engine, std::shared_ptr<engine::Program> program, bool lazy,
                               Assembling assembling)
    : engine_(engine), program_(std::move(program)), assembling_(std::move(assembling)) {
    const auto& functions = program_->module.functions;
    for (ptx::SymbolId f = 0; f < functions.size(); ++f)
        if (functions[f].entry && functions[f].defined) add(f);
    known_.assign(ids_.size(), false);
    whole_ = !lazy || (ids_.size() <= kMostAtOnce && assembling_.text.size() <= kMostBytesAtOnce);
    for (std::size_t i = 0; !lazy && i < ids_.size(); ++i) learn(i);
}

void EmulatedModule::add(ptx::SymbolId id) {
    const auto& function = program_->module.functions[id];
    const auto& d = function.directives;
    KernelInfo k;
    k.name = function.name;
    k.parameters = parameters_of(program_->module, function);
    if (d.reqntid[0]) k.required_block = extent(d.reqntid);
    if (d.maxntid[0]) k.max_threads = d.maxntid[0] * std::max(1u, d.maxntid[1]) * std::max(1u, d.maxntid[2]);
    if (d.reqnctapercluster[0]) k.required_cluster = extent(d.reqnctapercluster);
    k.explicit_cluster = d.explicitcluster;
    k.max_cluster = d.maxclusterrank;
    for (const auto& i : function.body) k.has_line_information |= i.source.line != 0;
    index_.emplace(function.name, ids_.size());
    kernels_.push_back(std::move(k));
    ids_.push_back(id);
}

/// A kernel that this version cannot execute must not prevent the others from running: its properties stay empty.
void EmulatedModule::learn(std::size_t i) {
    std::lock_guard lock(mutex_);
    if (known_[i]) return;
    known_[i] = true;
    auto& k = kernels_[i];
    const auto most = program_->module.functions[ids_[i]].directives.maxnreg;
    if (auto facts = engine_.facts(*program_, ids_[i])) {
        k.static_shared = facts->static_shared;
        k.local = facts->local_bytes;
        k.constant = facts->constant_bytes;
        k.registers = most ? std::min(most, facts->registers) : facts->registers;
        take_assembled(i);
    }
}

/// Asks for a kernel, and for what is assembled with it: that follows from the module alone, not from what was used.
void EmulatedModule::assemble(std::size_t i) {
    const auto& m = program_->module;
    std::vector<std::string> part;
    const std::size_t size = ids_.size() / kParts;
    if (!whole_ && size > 1)
        for (std::size_t k = i / size * size; k < std::min(ids_.size(), i / size * size + size); ++k)
            part.push_back(kernels_[k].name);
    ++tried_;
    auto figures = assembling_.ptxas->figures({m.name, assembling_.text, m.target}, assembling_.compute_capability,
                                              whole_ ? "" : kernels_[i].name, part);
    if (!figures) failure_ = figures.error();
    if (figures && *figures)
        for (const auto& [name, f] : **figures) {
            program_->tell_spills(name, {static_cast<unsigned>(f.frame), static_cast<unsigned>(f.spill_stores),
                                         static_cast<unsigned>(f.spill_loads)});
            assembled_.insert_or_assign(name, f);
        }
    if (!whole_) return;
    assembling_.text.clear();
    assembling_.text.shrink_to_fit();
}

/// Takes an assembler's figures in place of the estimates.
void EmulatedModule::take_assembled(std::size_t i) {
    if (!assembling_.ptxas) return;
    auto& k = kernels_[i];
    if (!assembled_.contains(k.name) && !(whole_ && tried_)) assemble(i);
    const auto f = assembled_.find(k.name);
    if (f == assembled_.end() || !f->second.registers) return;
    k.registers = std::max(kFewestOfLaunch, *f->second.registers);
    k.registers_source = assembling_.ptxas->source();
    k.local = f->second.frame;
}

Result<std::pair<Address, std::uint64_t>> EmulatedModule::variable(const std::string& name) const {
    const auto& m = program_->module;
    for (std::size_t i = 0; i < m.variables.size(); ++i)
        if (m.variables[i].name == name && program_->variables[i])
            return std::pair{program_->variables[i], m.variables[i].size};
    return Error{ErrorKind::input, "no variable '" + name + "'", {m.name, 0, 0}, ""};
}

Module::Holds EmulatedModule::holds(const std::string& name) const {
    for (const auto& v : program_->module.variables) {
        if (v.name != name) continue;
        if (v.type == ptx::Type::texref) return Holds::texture;
        if (v.type == ptx::Type::surfref) return Holds::surface;
    }
    return Holds::data;
}

Result<const KernelInfo*> EmulatedModule::kernel(const std::string& name) {
    const auto found = index_.find(name);
    if (found == index_.end()) return Module::kernel(name);
    learn(found->second);
    if (auto why = failure()) return std::move(*why);
    return &kernels_[found->second];
}

std::optional<Error> EmulatedModule::failure() {
    std::lock_guard lock(mutex_);
    return failure_;
}

ptx::SymbolId EmulatedModule::function(const KernelInfo& kernel) const {
    return ids_[static_cast<std::size_t>(&kernel - kernels_.data())];
}

const KernelInfo* EmulatedModule::kernel(ptx::SymbolId function) {
    const auto found = std::lower_bound(ids_.begin(), ids_.end(), function);
    if (found == ids_.end() || *found != function) return nullptr;
    const auto i = static_cast<std::size_t>(found - ids_.begin());
    learn(i);
    return &kernels_[i];
}

}  // namespace warpwright::device
