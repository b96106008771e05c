// The time of work by the device's clock. The repeats of a sample are one graph where the driver has graphs, so that
// short kernels follow each other without the host between them, and samples are queued behind each other.
#include "device/cuda/flush.hpp"
#include "device/cuda/launch.hpp"

namespace warpwright::device::cuda {
namespace {

/// Work in the context's stream, and its name in messages.
struct QueuedWork {
    std::function<Result<void>()> enqueue;
    std::size_t launches = 1;  ///< in one call, as far as is known
    std::string what;
    Location where;
};

/// A graph of the work's repeats, or nothing: then they are queued one by one.
class Repeated {
public:
    Repeated(ContextHolder& context, const QueuedWork& work, std::uint32_t repeat)
        : context_(context), work_(work), repeat_(repeat) {}
    Repeated(const Repeated&) = delete;
    Repeated& operator=(const Repeated&) = delete;
    ~Repeated() {
        if (exec_ && !context_.given_up() && generation_ == context_.generation())
            (void)context_.table().graph_exec_destroy(exec_);
    }

    /// QueuedWork that cannot be captured (such as a library that waits or allocates) is then queued without a graph.
    void capture() {
        const DriverTable& t = context_.table();
        if (!t.capture_begin || !t.capture_end || !t.graph_instantiate || !t.graph_launch || !t.graph_destroy ||
            !t.graph_exec_destroy || work_.launches * repeat_ < 2)
            return;
        if (t.capture_begin(context_.stream(), kCaptureThreadLocal) != status::success) return;
        const bool fine = queue().ok();
        Graph graph = nullptr;
        if (t.capture_end(context_.stream(), &graph) != status::success || !graph) return;
        if (!fine || t.graph_instantiate(&exec_, graph, 0) != status::success) exec_ = nullptr;
        (void)t.graph_destroy(graph);
        if (exec_ && t.graph_upload) (void)t.graph_upload(exec_, context_.stream());  // else the first launch would
    }

    Result<void> run() {
        if (!exec_) return queue();
        if (Status s = context_.table().graph_launch(exec_, context_.stream()); s != status::success)
            return context_.failed(s, work_.what, work_.where);
        return {};
    }

private:
    Result<void> queue() {
        for (std::uint32_t i = 0; i < repeat_; ++i)
            if (auto ok = work_.enqueue(); !ok) return ok;
        return {};
    }

    ContextHolder& context_;
    const QueuedWork& work_;
    std::uint32_t repeat_;
    GraphExec exec_ = nullptr;
    unsigned generation_ = context_.generation();  ///< the context in which it was captured
};

/// Events that are destroyed with this object.
class Events {
public:
    explicit Events(ContextHolder& context) : context_(context) {}
    Events(const Events&) = delete;
    Events& operator=(const Events&) = delete;
    ~Events() {
        if (context_.given_up()) return;
        for (Event e : list_) (void)context_.table().event_destroy(e);
    }
    Status record() {
        Event e = nullptr;
        if (Status s = context_.table().event_create(&e, kEventDefault); s != status::success) return s;
        list_.push_back(e);
        return context_.table().event_record(e, context_.stream());
    }
    Event operator[](std::size_t i) const { return list_[i]; }

private:
    ContextHolder& context_;
    std::vector<Event> list_;
};

class Timed final : public TimedWork {
public:
    Timed(ContextHolder& context, CacheFlush& flush, QueuedWork work, const TimeRequest& request)
        : context_(context),
          flush_(flush),
          work_(std::move(work)),
          request_(request),
          generation_(context.generation()),
          repeated_(context, work_, request.repeat) {
        if (request.graph) repeated_.capture();
    }

    Result<std::vector<double>> time(std::uint32_t samples, bool ahead) override {
        if (auto ok = context_.use(); !ok) return std::move(ok).error();
        if (generation_ != context_.generation())
            return Error{ErrorKind::no_device, "a fault has destroyed the memory of " + work_.what, work_.where, ""};
        const DriverTable& t = context_.table();
        const auto fail = [&](Status s) { return context_.failed(s, "timing " + work_.what, work_.where); };
        if (request_.flush)
            if (auto ok = flush_.prepare(); !ok) return std::move(ok).error();
        if (ahead)
            if (auto ok = repeated_.run(); !ok) return std::move(ok).error();
        Events events(context_);  // two per sample
        for (std::uint32_t i = 0; i < samples; ++i) {
            if (request_.flush)
                if (auto ok = flush_.enqueue(); !ok) return std::move(ok).error();
            if (Status s = events.record(); s != status::success) return fail(s);
            if (auto ok = repeated_.run(); !ok) return std::move(ok).error();
            if (Status s = events.record(); s != status::success) return fail(s);
        }
        std::vector<double> seconds;
        for (std::uint32_t i = 0; i < samples; ++i) {
            // Each wait lasts one sample, except for the first, which includes the work that runs ahead.
            const auto limit = request_.timeout * (i == 0 && ahead ? 2 : 1);
            if (auto ok = wait(context_, events[2 * i + 1], limit, work_.what, work_.where); !ok)
                return std::move(ok).error();
            float milliseconds = 0;
            if (Status s = t.event_elapsed(&milliseconds, events[2 * i], events[2 * i + 1]); s != status::success)
                return fail(s);
            seconds.push_back(1e-3 * static_cast<double>(milliseconds));
        }
        return seconds;
    }

private:
    ContextHolder& context_;
    CacheFlush& flush_;
    QueuedWork work_;
    TimeRequest request_;
    unsigned generation_;
    Repeated repeated_;
};

Result<std::unique_ptr<TimedWork>> make(ContextHolder& context, CacheFlush& flush, QueuedWork work,
                                        const TimeRequest& request) {
    if (request.repeat == 0) return Error{ErrorKind::usage, "there is nothing to time", {}, "at least one repeat"};
    return std::unique_ptr<TimedWork>(std::make_unique<Timed>(context, flush, std::move(work), request));
}

}  // namespace

Result<std::unique_ptr<TimedWork>> timed_steps(ContextHolder& context, CacheFlush& flush, std::span<const Step> steps,
                                               const TimeRequest& request) {
    if (steps.empty()) return Error{ErrorKind::usage, "there is nothing to time", {}, "at least one step"};
    auto list = std::make_shared<std::vector<ReadyLaunch>>();
    std::vector<std::shared_ptr<Module>> modules;  // they must live as long
    for (const Step& step : steps) {
        auto ready = make_ready(static_cast<CudaModule&>(*step.module), step.kernel, step.config, step.parameters);
        if (!ready) return std::move(ready).error();
        list->push_back(std::move(*ready));
        if (modules.empty() || modules.back() != step.module) modules.push_back(step.module);
    }
    const std::string what = "kernel '" + list->back().kernel + "'";
    const Location where = list->back().where;
    const std::size_t launches = list->size();
    auto enqueue_all = [&context, list = std::move(list), modules = std::move(modules)]() -> Result<void> {
        for (ReadyLaunch& l : *list)
            if (auto ok = enqueue(context, context.stream(), l); !ok) return ok;
        return {};
    };
    return make(context, flush, {std::move(enqueue_all), launches, what, where}, request);
}

Result<std::unique_ptr<TimedWork>> timed_work(ContextHolder& context, CacheFlush& flush, ForeignWork work,
                                              const TimeRequest& request) {
    if (auto ok = context.use(); !ok) return std::move(ok).error();
    return make(context, flush, {std::move(work.enqueue), 2, "'" + work.name + "'", {}}, request);
}

}  // namespace warpwright::device::cuda
