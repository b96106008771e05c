// The calls between functions of a module, the recursive ones, and their sizes with their callees inlined.
#include <algorithm>

#include "simt/limits.hpp"
#include "simt/lowering/builder.hpp"

namespace warpwright::simt {

namespace {

void find_calls(const ptx::Module& module, CallGraph& g) {
    const auto n = module.functions.size();
    for (const auto& variable : module.variables)
        for (const auto& r : variable.relocations)
            if (r.is_function && r.symbol < n) g.address_taken[r.symbol] = true;
    for (std::uint32_t i = 0; i < n; ++i)
        for (const auto& inst : module.functions[i].body) {
            if (inst.call && inst.call->target.kind == ptx::Operand::Kind::function &&
                system_call_of(module.functions[inst.call->target.symbol]) == SystemCall::none)
                g.callees[i].push_back(inst.call->target.symbol);
            for (const auto& o : inst.operands)
                if (o.kind == ptx::Operand::Kind::function && o.symbol < n) g.address_taken[o.symbol] = true;
        }
}

/// Tarjan's strongly connected components: returns the functions with callees before callers, and marks those that can
/// reach themselves.
class Components {
public:
    explicit Components(CallGraph& g) : g_(g), number_(g.callees.size(), 0), low_(g.callees.size(), 0) {
        on_stack_.assign(g.callees.size(), false);
        for (std::uint32_t i = 0; i < g.callees.size(); ++i)
            if (!number_[i]) walk(i);
    }
    std::vector<std::uint32_t> callees_first;

private:
    void walk(std::uint32_t root) {
        std::vector<std::pair<std::uint32_t, std::size_t>> todo;
        auto enter = [&](std::uint32_t i) {
            number_[i] = low_[i] = ++count_;
            stack_.push_back(i);
            on_stack_[i] = true;
            todo.push_back({i, 0});
        };
        enter(root);
        while (!todo.empty()) {
            const auto i = todo.back().first;
            if (todo.back().second < g_.callees[i].size()) {
                const auto c = g_.callees[i][todo.back().second++];
                if (!number_[c])
                    enter(c);
                else if (on_stack_[c])
                    low_[i] = std::min(low_[i], number_[c]);
                if (c == i) g_.recursive[i] = true;
                continue;
            }
            todo.pop_back();
            if (!todo.empty()) low_[todo.back().first] = std::min(low_[todo.back().first], low_[i]);
            if (low_[i] == number_[i]) close(i);
        }
    }

    void close(std::uint32_t first) {
        const bool many = stack_.back() != first;
        for (;;) {
            const auto i = stack_.back();
            stack_.pop_back();
            on_stack_[i] = false;
            if (many) g_.recursive[i] = true;
            callees_first.push_back(i);
            if (i == first) return;
        }
    }

    CallGraph& g_;
    std::uint32_t count_ = 0;
    std::vector<std::uint32_t> number_, low_, stack_;
    std::vector<bool> on_stack_;
};

/// The most blocks that a function's own text can become.
std::uint64_t own_blocks(const ptx::Function& f) {
    std::uint64_t n = 1 + f.labels.size();
    for (const auto& inst : f.body) {
        const auto& facts = ptx::facts(inst.op);
        n += facts.form == ptx::Form::jump || facts.form == ptx::Form::call || inst.waits();
        n += inst.guard && !facts.pure ? 2 : 0;
    }
    return n;
}

}  // namespace

bool CallGraph::inlines(std::uint32_t function) const {
    return !recursive[function] && size[function] <= kMaxInlinedInstructions && blocks[function] <= kMaxInlinedBlocks;
}

CallGraph call_graph(const ptx::Module& module) {
    CallGraph g;
    const auto n = module.functions.size();
    g.callees.resize(n);
    g.recursive.assign(n, false);
    g.address_taken.assign(n, false);
    g.size.assign(n, 0);
    g.blocks.assign(n, 0);
    find_calls(module, g);
    for (auto i : Components(g).callees_first) {
        g.size[i] = module.functions[i].body.size();
        g.blocks[i] = own_blocks(module.functions[i]);
        for (auto c : g.callees[i]) {
            if (!g.inlines(c)) continue;  // a call adds no more than itself
            g.size[i] += g.size[c];
            g.blocks[i] += g.blocks[c];
        }
    }
    return g;
}

std::shared_ptr<const CallGraph> Decoded::calls(const ptx::Module& module) {
    std::lock_guard lock(mutex_);
    if (!calls_) calls_ = std::make_shared<const CallGraph>(call_graph(module));
    return calls_;
}

}  // namespace warpwright::simt
