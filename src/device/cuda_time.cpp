// The time of steps by the device's clock: the repeats of a sample are one graph where the driver has graphs, so that
// short kernels follow each other without the host between them.
#include "device/cuda_launch.hpp"

namespace warpwright::device::cuda {
namespace {

/// A graph of the steps, or nothing: then they are launched one by one.
class Repeated {
public:
    explicit Repeated(ContextHolder& context) : context_(context) {}
    Repeated(const Repeated&) = delete;
    Repeated& operator=(const Repeated&) = delete;
    ~Repeated() {
        if (exec_) (void)context_.table().graph_exec_destroy(exec_);
    }

    void make(std::vector<ReadyLaunch>& list, std::uint32_t repeat) {
        const DriverTable& t = context_.table();
        if (!t.capture_begin || !t.capture_end || !t.graph_instantiate || !t.graph_launch || !t.graph_destroy ||
            !t.graph_exec_destroy || list.size() * repeat < 2)
            return;
        if (t.capture_begin(context_.stream(), kCaptureThreadLocal) != status::success) return;
        bool fine = true;
        for (std::uint32_t i = 0; i < repeat && fine; ++i)
            for (ReadyLaunch& l : list) fine = fine && enqueue(context_, l).ok();
        Graph graph = nullptr;
        if (t.capture_end(context_.stream(), &graph) != status::success || !graph) return;
        if (!fine || t.graph_instantiate(&exec_, graph, 0) != status::success) exec_ = nullptr;
        (void)t.graph_destroy(graph);
    }

    Result<void> run(std::vector<ReadyLaunch>& list, std::uint32_t repeat) {
        if (exec_) {
            if (Status s = context_.table().graph_launch(exec_, context_.stream()); s != status::success)
                return context_.failed(s, "launch of '" + list.front().kernel + "'", list.front().where);
            return {};
        }
        for (std::uint32_t i = 0; i < repeat; ++i)
            for (ReadyLaunch& l : list)
                if (auto ok = enqueue(context_, l); !ok) return ok;
        return {};
    }

private:
    ContextHolder& context_;
    GraphExec exec_ = nullptr;
};

}  // namespace

Result<std::vector<double>> time_steps(ContextHolder& context, std::span<const Step> steps, const TimeRequest& request) {
    if (steps.empty() || request.repeat == 0)
        return Error{ErrorKind::usage, "there is nothing to time", {}, "at least one step and one repeat"};
    std::vector<ReadyLaunch> list;
    for (const Step& step : steps) {
        auto ready = make_ready(static_cast<CudaModule&>(*step.module), step.kernel, step.config, step.parameters);
        if (!ready) return std::move(ready).error();
        list.push_back(std::move(*ready));
    }
    const DriverTable& t = context.table();
    Repeated work(context);
    work.make(list, request.repeat);
    const auto fail = [&](Status s) { return context.failed(s, "timing '" + list.front().kernel + "'", list.front().where); };
    std::vector<double> seconds;
    for (std::uint32_t i = 0; i < request.samples; ++i) {
        if (Status s = t.event_record(context.first(), context.stream()); s != status::success) return fail(s);
        if (auto ok = work.run(list, request.repeat); !ok) return std::move(ok).error();
        if (Status s = t.event_record(context.last(), context.stream()); s != status::success) return fail(s);
        if (auto ok = wait(context, request.timeout, list.back()); !ok) return std::move(ok).error();
        float milliseconds = 0;
        if (Status s = t.event_elapsed(&milliseconds, context.first(), context.last()); s != status::success) return fail(s);
        seconds.push_back(1e-3 * static_cast<double>(milliseconds));
    }
    return seconds;
}

}  // namespace warpwright::device::cuda
