// Plans: operations in an order in which each finds what it reads, and the work space for what lies between them.
#include <algorithm>
#include <limits>

#include "libraries/cudnn/graph.hpp"

namespace warpwright::libraries::dnn {
namespace {

constexpr std::size_t kMostSteps = 1 << 14;
constexpr i64 kAlignment = 256, kMostBytes = i64{1} << 48;

i64 aligned(i64 bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// What a tensor's memory is that is a view of another's.
i64 owner(const Plan& plan, i64 uid) {
    for (std::size_t k = 0; k <= plan.views.size(); ++k) {
        const auto it = plan.views.find(uid);
        if (it == plan.views.end()) return uid;
        uid = it->second;
    }
    return uid;
}

/// Steps in an order in which what is read is written before. kWrong where there is none.
Status in_order(Plan& plan) {
    std::map<i64, std::vector<std::size_t>> writers;
    for (std::size_t k = 0; k < plan.steps.size(); ++k)
        for (const i64 uid : plan.steps[k].writes) writers[owner(plan, uid)].push_back(k);
    std::vector<int> state(plan.steps.size());
    std::vector<std::size_t> order, open;
    const auto needs = [&](std::size_t step) {
        std::vector<std::size_t> out;
        for (const i64 uid : plan.steps[step].reads)
            if (const auto it = writers.find(owner(plan, uid)); it != writers.end())
                for (const std::size_t w : it->second)
                    if (w != step) out.push_back(w);
        return out;
    };
    for (std::size_t first = 0; first < plan.steps.size(); ++first) {
        open.push_back(first);
        while (!open.empty()) {
            const std::size_t step = open.back();
            if (state[step] == 2) {
                open.pop_back();
                continue;
            }
            const bool again = state[step] == 1;
            state[step] = 1;
            bool waits = false;
            for (const std::size_t before : needs(step)) {
                if (state[before] == 2) continue;
                // Still open below this one: a circle.
                if (again || state[before] == 1) return kWrong;
                open.push_back(before);
                waits = true;
            }
            if (waits) continue;
            state[step] = 2;
            order.push_back(step);
            open.pop_back();
        }
    }
    std::vector<Step> sorted;
    for (const std::size_t k : order) sorted.push_back(std::move(plan.steps[k]));
    plan.steps = std::move(sorted);
    return kDone;
}

/// Places in the work space: a tensor's is free again behind the last step that has it.
Status place_all(Plan& plan) {
    for (const auto& [view, of] : plan.views)
        if (const i64 uid = owner(plan, of); plan.bytes.contains(view) && plan.bytes.contains(uid))
            plan.bytes[uid] = std::max(plan.bytes[uid], plan.bytes[view]);
    std::map<i64, std::pair<std::size_t, std::size_t>> life;
    for (std::size_t k = 0; k < plan.steps.size(); ++k)
        for (const auto* uids : {&plan.steps[k].reads, &plan.steps[k].writes})
            for (const i64 uid : *uids) {
                const auto [it, is_new] = life.try_emplace(owner(plan, uid), k, k);
                it->second.second = k;
            }
    struct Block {
        i64 from, to;
        std::size_t until;
    };
    std::vector<Block> blocks;
    std::vector<std::pair<std::size_t, i64>> by_start;
    for (const auto& [uid, bytes] : plan.bytes)
        if (life.contains(uid) && owner(plan, uid) == uid) by_start.emplace_back(life[uid].first, uid);
    std::sort(by_start.begin(), by_start.end());
    for (const auto& [start, uid] : by_start) {
        std::erase_if(blocks, [&](const Block& b) { return b.until < start; });
        std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.from < b.from; });
        const i64 bytes = aligned(plan.bytes[uid]);
        i64 at = 0;
        for (const Block& b : blocks) {
            if (at + bytes <= b.from) break;
            at = std::max(at, b.to);
        }
        if (at > kMostBytes - bytes) return refuse("a graph of such a work space");
        blocks.push_back({at, at + bytes, life[uid].second});
        plan.offsets[uid] = at;
        plan.workspace = std::max(plan.workspace, at + bytes);
    }
    return kDone;
}

/// Virtual tensors must be written by an operation.
bool all_written(const Plan& plan) {
    std::set<i64> written;
    for (const Step& step : plan.steps)
        for (const i64 uid : step.writes) written.insert(owner(plan, uid));
    for (const Step& step : plan.steps)
        for (const i64 uid : step.reads)
            if (const i64 of = owner(plan, uid); plan.bytes.contains(of) && !written.contains(of)) return false;
    return true;
}

}  // namespace

Tensor Plan::temporary(int type, const Tensor& of_size) {
    Tensor t;
    t.uid = std::numeric_limits<i64>::min() + temporaries++;
    t.type = type, t.dims = of_size.dims, t.size = of_size.size, t.is_virtual = true;
    i64 next = 1;
    for (auto d = static_cast<std::size_t>(t.dims); d-- > 0; next *= t.size[d]) t.apart[d] = next;
    return t;
}

Status Plan::note(const Tensor& t) {
    if (!is_computed(t.type)) return refuse("a graph with elements of cudnnDataType_t " + std::to_string(t.type));
    if (!t.is_virtual) {
        // Truth values are bits in memory, and bytes between operations here.
        if (t.type == CUDNN_DATA_BOOLEAN) return refuse("a graph's tensor of truth values that is not virtual");
        if (!t.constant) wanted.insert(t.uid);
        return kDone;
    }
    const i64 elements = t.reach();
    if (elements > kMostBytes / 8) return refuse("a graph of such a work space");
    i64& room = bytes[t.uid];
    room = std::max(room, elements * static_cast<i64>(bytes_of_element(t.type)));
    return kDone;
}

Status Plan::add(std::vector<const Tensor*> reads, std::vector<const Tensor*> writes,
                 std::function<Status(const Run&)> run) {
    if (steps.size() >= kMostSteps) return refuse("a graph of so many operations");
    Step step;
    for (const bool written : {false, true})
        for (const Tensor* t : written ? writes : reads) {
            if (!t) continue;
            if (const auto s = note(*t); s != kDone) return s;
            if (written && (t->by_value || t->constant)) return kWrong;
            (written ? step.writes : step.reads).push_back(t->uid);
        }
    step.run = std::move(run);
    steps.push_back(std::move(step));
    return kDone;
}

Status plan_for(const Descriptor& graph, std::shared_ptr<const Plan>& to) {
    if (graph.kind != CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) return kWrong;
    auto plan = std::make_shared<Plan>();
    const auto it = graph.values.find(CUDNN_ATTR_OPERATIONGRAPH_OPS);
    if (it == graph.values.end()) return kWrong;
    for (const auto& operation : it->second.parts)
        if (const auto s = read_operation(*operation, *plan); s != kDone) return s;
    // Views of each other in a circle are no memory.
    for (const auto& [view, of] : plan->views)
        if (plan->views.contains(owner(*plan, view))) return kWrong;
    if (const auto s = in_order(*plan); s != kDone) return s;
    if (!all_written(*plan)) return kWrong;
    if (const auto s = place_all(*plan); s != kDone) return s;
    to = plan;
    return kDone;
}

bool wrong_operation(const Descriptor& operation) {
    Plan plan;
    return is_operation(operation.kind) && read_operation(operation, plan) == kWrong;
}

Status Run::all() const {
    if (plan.workspace > 0 && workspace == 0) return kWrong;
    for (const i64 uid : plan.wanted) {
        const auto it = given.find(uid);
        if (it == given.end() || it->second == 0) return kWrong;
    }
    for (const Step& step : plan.steps)
        if (const auto s = step.run(*this); s != kDone) return s;
    return kDone;
}

void* Run::at(const Tensor& t) const {
    const i64 uid = owner(plan, t.uid);
    if (const auto place = plan.offsets.find(uid); place != plan.offsets.end())
        return reinterpret_cast<void*>(workspace + place->second);
    const auto it = given.find(uid);
    return it == given.end() ? nullptr : reinterpret_cast<void*>(it->second);
}

double Run::value(const Tensor& t) const {
    if (t.constant) return *t.constant;
    const auto it = given.find(t.uid);
    return it == given.end() ? 0 : number_at(reinterpret_cast<const void*>(it->second), t.type);
}

Status launch_over_lines(const Run& run, const std::string& kernel, const char* arithmetic, const Layout& layout,
                         void* argument) {
    // From so many elements on, a block has a line.
    constexpr unsigned kOfBlock = 1024, kWarps = ww_dnn::kThreads / 32;
    const bool by_blocks = layout.elements.count >= kOfBlock;
    const i64 lines = layout.lines.count;
    const i64 threads = (by_blocks ? lines : (lines + kWarps - 1) / kWarps) * ww_dnn::kThreads;
    return launch_elements(run.handle, Code::graph_lines,
                           "dnn_" + kernel + (by_blocks ? "_block" : "_warp") + arithmetic, threads, argument);
}

}  // namespace warpwright::libraries::dnn
