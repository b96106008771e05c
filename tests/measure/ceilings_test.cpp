// Measuring ceilings: what is made of times and cycles, on devices whose clocks the tests hold; and every launch that
// the plan makes, on the emulated device with a clock made up.
#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "../ladder/fake_device.hpp"
#include "compile/kernel/compile.hpp"
#include "device/emulated/emulated.hpp"
#include "device/stream.hpp"
#include "measure/ceilings/ceilings.hpp"

namespace warpwright::measure {
namespace ceilings_test {

using testing::HasSubstr;

arch::DeviceModel h200() {
    auto m = arch::load_model("h200");
    EXPECT_TRUE(m.ok());
    return *m;
}

std::string kernels() { return WARPWRIGHT_SOURCE_DIR "/kernels/measure"; }

/// Kernels take what `seconds` says; those that write cycles write `cycles` for each step.
class Clocked : public ladder::test::FakeDevice, public device::Timer, public device::Streams {
public:
    std::function<Result<double>(const device::Step&)> seconds = [](const device::Step&) {
        return Result<double>(1e-3);
    };
    device::Timer* timer() override { return this; }
    device::Streams& streams() override { return *this; }
    Result<std::vector<double>> time(std::span<const device::Step> steps, const device::TimeRequest& request) override {
        double sum = 0;
        for (const device::Step& s : steps) {
            auto one = seconds(s);
            if (!one) return std::move(one).error();
            sum += *one;
        }
        // Queued one by one the host takes as long again.
        return std::vector<double>(request.samples, sum * request.repeat * (request.graph ? 1 : 2));
    }
    // Streams with a time of their own: pinned memory moves at 50 GB/s, each way for itself, other memory at 10.
    struct Memory : device::HostMemory {
        Memory(Clocked& of, std::uint64_t bytes) : device(of), own(bytes) { device.pinned.insert(own.data()); }
        ~Memory() override { device.pinned.erase(own.data()); }
        Clocked& device;
        std::vector<std::byte> own;
        std::span<std::byte> bytes() override { return own; }
    };
    struct Moment : device::Event {
        double at = -1;
        Result<void> wait() override { return {}; }
        Result<std::optional<double>> since(const device::Event& earlier) override {
            return std::optional<double>(at - static_cast<const Moment&>(earlier).at);
        }
    };
    struct Line : device::Stream {
        Clocked* device = nullptr;
        double now = 0;
        Result<void> move(std::span<const std::byte> host) {
            const bool pinned = device->pinned.count(host.data()) != 0;
            if (!pinned && device->refuses_pageable) return Error{ErrorKind::fault, "not from there", {}, ""};
            now += static_cast<double>(host.size()) / (pinned ? 50e9 : 10e9);
            return {};
        }
        Result<void> write(device::Address, std::span<const std::byte> from) override { return move(from); }
        Result<void> read(std::span<std::byte> to, device::Address) override { return move(to); }
        Result<void> copy(device::Address, device::Address, std::uint64_t) override { return {}; }
        Result<void> fill(device::Address, std::uint8_t, std::uint64_t) override { return {}; }
        Result<void> launch(const device::Step&) override { return {}; }
        Result<void> record(device::Event& e) override { return static_cast<Moment&>(e).at = now, Result<void>(); }
        Result<void> wait(const device::Event& e) override {
            return now = std::max(now, static_cast<const Moment&>(e).at), Result<void>();
        }
        Result<void> finish(std::chrono::milliseconds) override { return {}; }
    };
    Result<std::unique_ptr<device::Stream>> make_stream_as(device::StreamKind) override {
        auto line = std::make_unique<Line>();
        line->device = this;
        line->now = 1e-3 * ++made;  // none begins with another by chance
        return std::unique_ptr<device::Stream>(std::move(line));
    }
    Result<std::unique_ptr<device::Event>> make_event() override {
        return std::unique_ptr<device::Event>(std::make_unique<Moment>());
    }
    Result<std::unique_ptr<device::HostMemory>> allocate_host(std::uint64_t bytes) override {
        return std::unique_ptr<device::HostMemory>(std::make_unique<Memory>(*this, bytes));
    }
    std::set<const std::byte*> pinned;
    int made = 0;  ///< streams
    bool refuses_pageable = false;
};

CeilingOptions quick() {
    CeilingOptions o;
    o.folder = "kernels";
    o.compile = [](const std::string& path, const std::vector<std::string>&) { return Result<std::string>(path); };
    o.how = "measured by a test";
    o.work = 1e-4;
    return o;
}

const record::Record* find(const Ceilings& c, const std::string& rung) {
    for (const record::Record& r : c.records)
        if (r.rung == rung) return &r;
    return nullptr;
}

const arch::Figure* figure(const Ceilings& c, const std::string& table, const std::string& key) {
    for (const arch::Figure& f : c.figures)
        if (f.table == table && f.key == key) return &f;
    return nullptr;
}

TEST(Ceilings, the_best_launch_shape_is_the_figure) {
    Clocked device;
    // Reads: 512 threads, 4 a multiprocessor and 8 accesses a thread are the fastest, at 2 TB/s.
    device.seconds = [&](const device::Step& s) -> Result<double> {
        if (!s.kernel.starts_with("read_") || s.kernel == "read_bulk" || s.kernel == "read_l1") return 1.0;
        ladder::test::FakeDevice::Call call{s.kernel, s.config, s.parameters};
        const double amount = 16.0 * static_cast<double>(call.get<std::uint64_t>(8));
        const bool fast = s.kernel == "read_8" && s.config.block.x == 512 && s.config.grid.x == 4 * 132;
        return (fast ? 1 : 2) * amount / 2e12;
    };
    CeilingOptions o = quick();
    o.groups = {"memory"};
    o.work = 1.0 / 64;  // 64 MiB, so that every shape has its tiles
    auto c = measure_ceilings(device, h200(), o);
    ASSERT_TRUE(c.ok()) << c.error().text();
    const record::Record* r = find(*c, "dram_read");
    ASSERT_TRUE(r && r->quantity);
    EXPECT_NEAR(r->quantity->median, 2e12, 1e9);
    EXPECT_EQ(r->quantity->unit, "B/s");
    EXPECT_DOUBLE_EQ(*r->quantity->sheet, 4.8e12);
    EXPECT_EQ(r->kernel, "read_8");
    EXPECT_EQ(r->block->x, 512u);
    EXPECT_THAT(r->notes.at(0), HasSubstr("528 blocks of 512 threads, 8 accesses"));
    EXPECT_THAT(r->notes.at(0), HasSubstr("launch shapes"));
    const arch::Figure* f = figure(*c, "ceilings", "dram_read");
    ASSERT_TRUE(f);
    EXPECT_NEAR(std::stod(f->value), 2e12, 1e9);
    EXPECT_THAT(f->source, HasSubstr("measured by a test"));
    EXPECT_EQ(f->spread, 0.0);
}

TEST(Ceilings, cycles_are_a_step_and_the_median_of_launches) {
    Clocked device;
    unsigned n = 0;
    device.body = [&](const ladder::test::FakeDevice::Call& call) -> Result<void> {
        if (call.kernel != "barrier") return {};
        const auto times = call.get<std::uint32_t>(0);
        // 30, 30, 40, 30, ... cycles a barrier; the first launch of all is not among the samples.
        const double each = n == 0 ? 1000 : n % 3 == 0 ? 40 : 30;
        ++n;
        call.pointer<std::uint64_t>(8)[0] = static_cast<std::uint64_t>(each * times);
        return {};
    };
    CeilingOptions o = quick();
    o.groups = {"latency"};
    auto c = measure_ceilings(device, h200(), o);
    ASSERT_TRUE(c.ok());
    const record::Record* r = find(*c, "barrier");
    ASSERT_TRUE(r && r->quantity) << "the first barrier is that of 32 threads";
    EXPECT_DOUBLE_EQ(r->quantity->median, 30);
    EXPECT_DOUBLE_EQ(r->quantity->best, 30);
    EXPECT_EQ(r->quantity->samples, 7u);
    EXPECT_EQ(r->quantity->unit, "cycles");
    EXPECT_TRUE(figure(*c, "latency", "barrier"));
    // Constants: the fake module has none, which is a reason and no failure.
    const record::Record* constant = find(*c, "constant");
    ASSERT_TRUE(constant);
    EXPECT_TRUE(constant->left_out);
    EXPECT_FALSE(figure(*c, "latency", "constant"));
}

TEST(Ceilings, full_load_counts_from_the_first_warp_to_the_last) {
    Clocked device;
    device.body = [&](const ladder::test::FakeDevice::Call& call) -> Result<void> {
        if (call.kernel != "shared_throughput") return {};
        const auto stride = call.get<std::uint32_t>(0), loads = call.get<std::uint32_t>(4);
        auto* out = call.pointer<std::uint64_t>(8);
        for (std::uint64_t w = 0; w < 32; ++w)
            out[2 * w] = 5000 + w, out[2 * w + 1] = 5000 + w + std::uint64_t{stride} * loads * 32 - 31;
        return {};
    };
    CeilingOptions o = quick();
    o.groups = {"shared"};
    auto c = measure_ceilings(device, h200(), o);
    ASSERT_TRUE(c.ok());
    for (unsigned ways : {1u, 2u, 4u, 8u, 16u, 32u}) {
        const arch::Figure* f = figure(*c, "conflicts", "cycles_" + std::to_string(ways));
        ASSERT_TRUE(f) << ways;
        EXPECT_DOUBLE_EQ(std::stod(f->value), ways);
    }
    unsigned strides = 0;
    for (const record::Record& r : c->records)
        if (r.rung == "load, one warp") {
            ++strides;
            EXPECT_EQ(r.axes.at(0).text(), std::to_string(strides));
            EXPECT_EQ(r.axes.at(1).text(), std::to_string(std::gcd(strides, 32u)));
        }
    EXPECT_EQ(strides, 64u);
}

TEST(Ceilings, transfers_each_way_and_both) {
    Clocked device;
    CeilingOptions o = quick();
    o.groups = {"transfers", "launches"};
    for (const bool refuses : {false, true}) {
        device.refuses_pageable = refuses;
        auto c = measure_ceilings(device, h200(), o);
        ASSERT_TRUE(c.ok());
        const auto value = [&](const std::string& key) {
            const arch::Figure* f = figure(*c, "ceilings", key);
            return f ? std::stod(f->value) : 0;
        };
        EXPECT_NEAR(value("to_device"), 50e9, 1e5);
        EXPECT_NEAR(value("to_host"), 50e9, 1e5);
        EXPECT_NEAR(value("both_ways"), 100e9, 1e5);
        EXPECT_NEAR(value("pageable_to_device"), refuses ? 0 : 10e9, 1e5);
        EXPECT_NEAR(value("pageable_to_host"), refuses ? 0 : 10e9, 1e5);
        unsigned left_out = 0;
        for (const record::Record& r : c->records) left_out += r.experiment == "transfers" && r.left_out;
        EXPECT_EQ(left_out, refuses ? 10u : 0u);
        // An empty kernel takes a millisecond on this device.
        EXPECT_NEAR(std::stod(figure(*c, "launches", "graph_us")->value), 1000, 0.01);
        EXPECT_NEAR(std::stod(figure(*c, "launches", "queued_us")->value), 2000, 0.01);
    }
}

TEST(Ceilings, the_host_s_clock_times_a_round_trip) {
    Clocked device;
    double now = 0;
    device.body = [&](const ladder::test::FakeDevice::Call&) { return now += 7e-6, Result<void>(); };
    CeilingOptions o = quick();
    o.groups = {"launches"};
    o.clock = [&] { return now; };
    auto c = measure_ceilings(device, h200(), o);
    ASSERT_TRUE(c.ok());
    const record::Record* r = find(*c, "round trip");
    ASSERT_TRUE(r && r->quantity);
    EXPECT_NEAR(r->quantity->median, 7e-6, 1e-12);
    EXPECT_EQ(r->quantity->samples, 200u);
    EXPECT_NEAR(std::stod(figure(*c, "launches", "round_trip_us")->value), 7, 1e-3);
}

TEST(Ceilings, what_fails_is_a_reason_and_the_rest_goes_on) {
    Clocked device;
    device.seconds = [](const device::Step& s) -> Result<double> {
        if (s.kernel.starts_with("mma_") || s.kernel.starts_with("wgmma_"))
            return Error{ErrorKind::fault, "broken unit", {}, ""};
        return 1e-3;
    };
    CeilingOptions o = quick();
    o.groups = {"arithmetic", "tensor"};
    o.compile = [](const std::string& path, const std::vector<std::string>&) -> Result<std::string> {
        if (path.ends_with("wgmma_sparse.cu")) return Error{ErrorKind::input, "not understood", {}, ""};
        return path;
    };
    std::vector<std::string> said;
    o.progress = [&](const std::string& what, std::size_t done, std::size_t all) {
        EXPECT_EQ(done, said.size());
        EXPECT_GT(all, done);
        said.push_back(what);
    };
    auto c = measure_ceilings(device, h200(), o);
    ASSERT_TRUE(c.ok());
    EXPECT_THAT(said, testing::Contains("tensor cores, bf16"));
    EXPECT_TRUE(figure(*c, "ceilings", "fma_f32"));
    EXPECT_FALSE(figure(*c, "ceilings", "tensor_bf16"));
    EXPECT_THAT(*find(*c, "tensor_bf16")->left_out, HasSubstr("broken unit"));
    EXPECT_THAT(*find(*c, "sparse_bf16")->left_out, HasSubstr("not understood"));
    const std::string text = ceilings_model(*c, "h200", "T", "C");
    EXPECT_THAT(text, HasSubstr("# not measured: sparse_bf16: "));
    auto model = arch::parse_model(text, "m.toml");
    ASSERT_TRUE(model.ok()) << model.error().text();
    EXPECT_GT(model->ceilings.fma_f32, 0);
    EXPECT_EQ(model->ceilings.tensor_bf16, 0);
    EXPECT_EQ(model->sm.multiprocessors, 132u);
}

TEST(Ceilings, a_device_that_takes_no_time_has_no_rate) {
    Clocked device;
    device.seconds = [](const device::Step&) -> Result<double> { return 0.0; };
    CeilingOptions o = quick();
    o.groups = {"arithmetic"};
    auto c = measure_ceilings(device, h200(), o);
    ASSERT_TRUE(c.ok());
    EXPECT_TRUE(c->figures.empty());
    for (const record::Record& r : c->records) EXPECT_TRUE(r.left_out) << r.rung;
}

TEST(Ceilings, models_that_come_with_the_program_are_starts_and_measured_ones_are_not) {
    for (const std::string& name : arch::list_models()) EXPECT_FALSE(is_measured(*arch::load_model(name))) << name;
    Ceilings c;
    c.figures = {{"ceilings", "dram_read", "4e12", "measured by a test", {}}};
    const auto own = arch::parse_model(ceilings_model(c, "h200", "T", "C"), "m.toml");
    ASSERT_TRUE(own.ok()) << own.error().text();
    EXPECT_TRUE(is_measured(*own));
    arch::DeviceModel named = h200();
    named.name = "h200-measured";
    EXPECT_TRUE(is_measured(named));
}

TEST(Ceilings, without_a_clock_there_is_nothing_to_measure) {
    ladder::test::FakeDevice device;
    auto c = measure_ceilings(device, h200(), quick());
    ASSERT_FALSE(c.ok());
    EXPECT_EQ(c.error().kind, ErrorKind::no_device);
    EXPECT_THAT(c.error().what, HasSubstr("has no clock"));
}

/// The emulated device with a made-up clock: a launch takes a microsecond for each that it is.
class EmulatedWithClock : public device::Device, public device::Timer {
public:
    explicit EmulatedWithClock(std::unique_ptr<device::Device> real) : real_(std::move(real)) {}
    std::string name() const override { return "clocked"; }
    const device::Limits& limits() const override { return real_->limits(); }
    Result<device::Address> allocate(std::uint64_t bytes) override { return real_->allocate(bytes); }
    Result<void> release(device::Address a) override { return real_->release(a); }
    Result<void> write(device::Address to, std::span<const std::byte> from) override { return real_->write(to, from); }
    Result<void> read(std::span<std::byte> to, device::Address from) override { return real_->read(to, from); }
    Result<void> fill(device::Address to, std::uint8_t value, std::uint64_t bytes) override {
        return real_->fill(to, value, bytes);
    }
    Result<std::shared_ptr<device::Module>> load(std::string name, std::string ptx) override {
        return real_->load(std::move(name), std::move(ptx));
    }
    Result<device::LaunchResult> launch(device::Module& module, const std::string& kernel,
                                        const device::LaunchConfig& config, std::span<const std::byte> parameters,
                                        const device::LaunchOptions& options) override {
        return real_->launch(module, kernel, config, parameters, options);
    }
    device::Timer* timer() override { return this; }
    Result<std::vector<double>> time(std::span<const device::Step> steps, const device::TimeRequest& request) override {
        for (const device::Step& s : steps) {
            std::string key = s.kernel + ' ' + std::to_string(s.config.grid.x) + ' ' + std::to_string(s.config.block.x);
            for (std::byte b : s.parameters) key += char(b);
            if (!seen_.insert(key).second) continue;  // once is enough for correctness
            auto done = real_->launch(*s.module, s.kernel, s.config, s.parameters, {});
            if (!done) return std::move(done).error();
        }
        return std::vector<double>(request.samples, 1e-6 * request.repeat);
    }

private:
    std::unique_ptr<device::Device> real_;
    std::set<std::string> seen_;
};

/// Every launch of every group is one that the kernels take: no access out of bounds, no shape over a limit.
class EveryLaunch : public testing::TestWithParam<std::string> {};

TEST_P(EveryLaunch, runs_on_the_emulated_device) {
    arch::DeviceModel model = h200();
    model.cache.l2 = 1 << 20;
    model.memory.size = 64 << 20;
    device::EmulatedOptions emulated;
    emulated.limits.multiprocessors = model.sm.multiprocessors = 2;
    auto real = device::make_emulated(emulated);
    ASSERT_TRUE(real.ok()) << real.error().text();
    EmulatedWithClock device(std::move(*real));
    CeilingOptions o;
    o.folder = kernels();
    o.compile = [](const std::string& path, const std::vector<std::string>& defines) -> Result<std::string> {
        compile::CompileRequest request;
        request.path = path;
        request.arch = "sm_90a";
        request.defines = defines;
        compile::CompileOptions options;
        options.cache_dir = WARPWRIGHT_TEST_CACHE;
        auto ptx = compile::compile(request, options);
        if (!ptx) return std::move(ptx).error();
        return ptx->ptx;
    };
    o.how = "made up";
    o.work = 1e-3;
    o.groups = {GetParam()};
    auto c = measure_ceilings(device, model, o);
    ASSERT_TRUE(c.ok()) << c.error().text();
    EXPECT_FALSE(c->records.empty());
    for (const record::Record& r : c->records) {
        if (r.rung.starts_with("sparse_") && r.left_out && r.left_out->find("wgmma") != std::string::npos)
            continue;  // not emulated
        // What a line through emulated clocks gives may be nothing.
        if (r.experiment == "timing" && r.left_out &&
            (r.left_out->starts_with("it came out as") || *r.left_out == "the device gave no time for it" ||
             r.left_out->starts_with("code of up to") || r.left_out->starts_with("more warps take longer")))
            continue;
        EXPECT_TRUE(r.quantity) << r.rung << ": " << r.left_out.value_or("");
    }
}

INSTANTIATE_TEST_SUITE_P(Groups, EveryLaunch,
                         testing::Values("clock", "memory", "latency", "shared", "arithmetic", "tensor", "launches",
                                         "operations", "blocks", "waits", "traffic", "bulk"),
                         [](const auto& info) { return info.param; });

}  // namespace ceilings_test
}  // namespace warpwright::measure
