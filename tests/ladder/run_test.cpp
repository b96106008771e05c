#include <gmock/gmock.h>

#include "fake_device.hpp"
#include "ladder/cpu.hpp"
#include "ladder/pack.hpp"
#include "ladder/run.hpp"
#include "ladder/verify.hpp"

namespace warpwright::ladder {
namespace run_test {

using test::FakeDevice;
using testing::HasSubstr;

RunOptions options() {
    return {{}, [](const std::string& path, const std::vector<std::string>& defines) -> Result<std::string> {
                std::string text = path;
                for (const std::string& d : defines) text += " " + d;
                return text;
            }};
}

/// One pass of a block-wise sum of int32, as the reduce ladder's simple rungs do it.
Result<void> block_sums(const FakeDevice::Call& call) {
    auto* in = call.pointer<const std::int32_t>(0);
    auto* out = call.pointer<std::int32_t>(8);
    auto n = call.get<std::uint64_t>(16);
    for (std::uint32_t b = 0; b < call.config.grid.x; ++b) {
        out[b] = 0;
        for (std::uint64_t i = std::uint64_t{b} * call.config.block.x;
             i < std::min<std::uint64_t>(n, (b + 1ull) * call.config.block.x); ++i)
            out[b] += in[i];
    }
    return {};
}

struct Reduce {
    Ladder ladder = *read_ladder(WARPWRIGHT_SOURCE_DIR "/kernels/reduce");
    FakeDevice device;
    Session session{device, options()};
    Reduce() { device.kernels = {test::kernel("reduce_interleaved_modulo", {"u64", "u64", "u64"})}; }

    RungRun run(std::int64_t n, const std::string& name = "interleaved_modulo") {
        const Rung* rung = select_rungs(ladder, {name})->front();
        Variant v = variants(ladder, *rung, {{"T", {"int32"}}})->front();
        auto problem = Problem::make(ladder, {n}, v, 1);
        EXPECT_TRUE(problem.ok());
        return session.run_rung(*rung, v, *problem);
    }
};

TEST(Run, launches_again_until_one_value_is_left) {
    Reduce r;
    r.device.body = block_sums;
    RungRun run = r.run(256 * 256 + 1);
    EXPECT_FALSE(run.problem) << run.problem->text();
    EXPECT_EQ(run.record.verified, true);
    ASSERT_EQ(r.device.calls.size(), 3u);
    EXPECT_EQ(r.device.calls[0].config.grid.x, 257u);
    EXPECT_EQ(r.device.calls[1].config.grid.x, 2u);
    EXPECT_EQ(r.device.calls[2].config.grid.x, 1u);
    EXPECT_EQ(r.device.calls[0].config.dynamic_shared, 1024u);
    EXPECT_EQ((*run.record.counts)[record::Count::instructions], 30u);
    ASSERT_EQ(run.record.lines.size(), 1u);
    EXPECT_EQ(run.record.lines[0].counts[record::Count::instructions], 30u);
    EXPECT_EQ(run.record.grid->x, 257u);
    EXPECT_EQ(run.record.kernel, "reduce_interleaved_modulo");
    EXPECT_TRUE(r.device.memory.empty());  // all buffers released
    EXPECT_THAT(r.device.loaded, testing::ElementsAre(HasSubstr("01_interleaved_modulo.cu ELEMENT=int32")));
}

TEST(Run, rungs_share_inputs_and_outputs_and_have_the_scratch_that_they_name) {
    Reduce r;
    r.device.body = block_sums;
    const Rung* rung = select_rungs(r.ladder, {"interleaved_modulo"})->front();
    Variant v = variants(r.ladder, *rung, {{"T", {"int32"}}})->front();
    auto problem = Problem::make(r.ladder, {300}, v, 1);
    ASSERT_TRUE(problem.ok());
    const std::set<std::string> used = scratch_of(r.ladder, *rung);
    EXPECT_FALSE(used.empty());
    EXPECT_FALSE(used.contains("x") || used.contains(r.ladder.reference.output));
    {
        auto first = DeviceBuffers::shared(r.device, *problem), second = DeviceBuffers::shared(r.device, *problem);
        ASSERT_TRUE(first.ok() && second.ok());
        EXPECT_EQ(r.device.memory.size(), 4u) << "the input and the output, twice";
        const auto given = [&](const DeviceBuffers& set, const DeviceBuffers* scratch) {
            std::map<std::string, device::Address> out;
            for (std::size_t i = 0; i < r.ladder.buffers.size(); ++i) {
                const Buffer& b = r.ladder.buffers[i];
                if (b.role != Role::scratch) out[b.name] = set[i];
                if (scratch && used.contains(b.name)) out[b.name] = (*scratch)[i];
            }
            return out;
        };
        auto one = DeviceBuffers::around(r.device, *problem, given(*first, nullptr), &used);
        ASSERT_TRUE(one.ok());
        EXPECT_EQ(r.device.memory.size(), 4 + used.size());
        ASSERT_EQ(r.session.run_rung(*rung, v, *problem, &*one).record.verified, true);
        const auto calls = r.device.calls.size();
        EXPECT_EQ(calls, 2u);
        auto two = DeviceBuffers::around(r.device, *problem, given(*second, &*one), &used);
        ASSERT_TRUE(two.ok());
        EXPECT_EQ(r.device.memory.size(), 4 + used.size()) << "the same scratch";
        auto steps = r.session.steps(*rung, v, *problem, *two);
        ASSERT_TRUE(steps.ok());
        EXPECT_EQ(r.device.calls.size(), calls) << "nothing runs";
        ASSERT_EQ(steps->size(), 2u);
        const FakeDevice::Call& before = r.device.calls[0];
        const FakeDevice::Call again{"", {}, steps->front().parameters};
        EXPECT_EQ(before.config.grid, steps->front().config.grid);
        EXPECT_EQ(before.kernel, steps->front().kernel);
        EXPECT_NE(before.get<std::uint64_t>(0), again.get<std::uint64_t>(0));
        EXPECT_EQ(before.get<std::uint64_t>(8), again.get<std::uint64_t>(8));
        EXPECT_EQ(before.get<std::uint64_t>(16), again.get<std::uint64_t>(16));
        EXPECT_EQ(std::memcmp(before.pointer<int>(0), again.pointer<int>(0), 300 * sizeof(int)), 0);
        // What a run leaves behind is gone before the next.
        std::vector<std::byte> input(before.pointer<std::byte>(0), before.pointer<std::byte>(0) + 1200);
        before.pointer<int>(0)[7] ^= 1;
        ASSERT_TRUE(one->refill(*problem).ok());
        EXPECT_EQ(std::memcmp(before.pointer<int>(0), input.data(), input.size()), 0);
    }
    EXPECT_TRUE(r.device.memory.empty());
}

TEST(Run, small_and_empty_sizes_make_one_launch_of_one_block) {
    for (std::int64_t n : {0, 1, 255, 256}) {
        Reduce r;
        r.device.body = block_sums;
        EXPECT_EQ(r.run(n).record.verified, true) << n;
        ASSERT_EQ(r.device.calls.size(), 1u);
        EXPECT_EQ(r.device.calls[0].config.grid.x, 1u);
    }
}

TEST(Run, a_kernel_that_writes_nothing_or_the_wrong_sum_fails) {
    Reduce r;
    EXPECT_EQ(r.run(1000).record.verified, false);
    r.device.body = [](const FakeDevice::Call& call) {
        auto ok = block_sums(call);
        if (call.config.grid.x == 1) *call.pointer<std::int32_t>(8) += 1;
        return ok;
    };
    RungRun run = r.run(1000);
    EXPECT_EQ(run.record.verified, false);
    EXPECT_THAT(run.record.verification->first_mismatch, HasSubstr("1 of 1 elements wrong"));
    EXPECT_FALSE(run.problem);
}

TEST(Run, outputs_of_an_earlier_run_do_not_pass_for_this_one) {
    Reduce r;
    r.device.body = block_sums;
    EXPECT_EQ(r.run(1000).record.verified, true);
    r.device.body = [](const FakeDevice::Call&) { return Result<void>(); };
    EXPECT_EQ(r.run(1000).record.verified, false);
}

TEST(Run, faults_and_wrong_declarations_are_in_the_record) {
    Reduce r;
    r.device.body = [](const FakeDevice::Call&) -> Result<void> {
        return Error{ErrorKind::fault, "out of bounds", Location{"k.cu", 9, 0}, ""};
    };
    RungRun run = r.run(1000);
    ASSERT_TRUE(run.problem);
    EXPECT_EQ(run.problem->kind, ErrorKind::fault);
    EXPECT_EQ(*run.record.error, "k.cu:9: error: out of bounds");
    EXPECT_FALSE(run.record.verified);
    EXPECT_TRUE(r.device.memory.empty());

    r.device.kernels = {test::kernel("reduce_strided", {"u64", "u64"})};
    run = r.run(1000, "strided");
    ASSERT_TRUE(run.problem);
    EXPECT_THAT(run.problem->text(), HasSubstr("the kernel 'reduce_strided' takes 2 arguments, 3 given"));
    EXPECT_THAT(run.problem->text(), HasSubstr("ladder.toml:"));
    run = r.run(1000, "sequential");
    ASSERT_TRUE(run.problem);
    EXPECT_THAT(run.problem->text(), HasSubstr("there is no kernel 'reduce_sequential'"));
}

TEST(Run, rungs_that_do_not_serve_are_left_out_with_a_reason) {
    Reduce r;
    r.device.body = block_sums;
    Rung& rung = r.ladder.rungs[select_rungs(r.ladder, {"interleaved_modulo"})->front()->number - 1];
    rung.compute = 100;
    RungRun run = r.run(1000);
    EXPECT_EQ(run.record.left_out, "needs compute capability 10.0; the device has 9.0");
    EXPECT_FALSE(run.problem);
    EXPECT_FALSE(run.record.error);
    EXPECT_FALSE(run.record.verified);
    EXPECT_EQ(run.record.rung, "interleaved_modulo");
    EXPECT_EQ(run.record.axes.size(), 3u);  // n, T, OP
    EXPECT_TRUE(r.device.calls.empty());
    rung.compute = 90;
    rung.require = *Expression::parse("mod(n, 16) == 0 && T_int32");
    rung.require_says.clear();
    EXPECT_EQ(r.run(1000).record.left_out, "requires mod(n, 16) == 0 && T_int32");
    rung.require_says = "n must be a multiple of 16";
    EXPECT_EQ(r.run(1000).record.left_out, "n must be a multiple of 16");
    EXPECT_TRUE(r.device.loaded.empty());
    run = r.run(1600);
    EXPECT_FALSE(run.record.left_out);
    EXPECT_EQ(run.record.verified, true);
    EXPECT_EQ(run.record.verification->method, "every element");
    rung.require.reset();
    rung.library = "cublas";
    rung.source.clear();
    EXPECT_THAT(*r.run(1000).record.left_out, HasSubstr("the library 'cublas' is not run on the device 'fake'"));
}

TEST(Run, a_tensor_map_a_device_has_not_is_an_error_with_its_place) {
    Reduce r;
    Rung& rung = r.ladder.rungs[select_rungs(r.ladder, {"interleaved_modulo"})->front()->number - 1];
    Argument& argument = rung.launches[0].arguments[0];
    argument.map.emplace();
    argument.map->buffer = r.ladder.buffers[0].name;
    argument.map->size = {*Expression::parse("n")};
    argument.map->box = {*Expression::parse("64")};
    RungRun run = r.run(1000);
    ASSERT_TRUE(run.problem);
    EXPECT_THAT(run.problem->text(), HasSubstr("the device 'fake' has no tensor maps"));
    EXPECT_THAT(run.problem->text(), HasSubstr("ladder.toml:"));
    argument.map->box = {*Expression::parse("300")};
    EXPECT_THAT(r.run(1000).problem->text(), HasSubstr("'300' gives 300, which is not valid in a tensor map"));
    argument.map->box = {*Expression::parse("64")};
    argument.map->swizzle = *Expression::parse("48");
    EXPECT_THAT(r.run(1000).problem->text(), HasSubstr("the swizzle 48 is not"));
}

TEST(Run, a_size_the_ladder_does_not_take_is_refused) {
    Ladder ladder = *read_ladder(WARPWRIGHT_SOURCE_DIR "/kernels/matmul");
    auto problem = Problem::make(ladder, {50000, 50000, 1}, {}, 1);
    ASSERT_FALSE(problem.ok());
    EXPECT_EQ(problem.error().kind, ErrorKind::usage);
    EXPECT_THAT(problem.error().text(), HasSubstr("does not take the size 50000 x 50000 x 1"));
}

TEST(Pack, places_and_checks_arguments) {
    auto k = test::kernel("_Z3fooPfid", {"u64", "u32", "f64"});
    auto number = [](long double v, std::optional<values::Element> e = {}) {
        ArgumentValue a;
        a.number = v, a.element = e, a.text = "arg";
        return a;
    };
    ArgumentValue pointer;
    pointer.kind = ArgumentValue::Kind::buffer;
    pointer.address = 0x1234;
    pointer.text = "buf";
    auto block = pack_arguments(k, std::vector{pointer, number(-1), number(2.5)});
    ASSERT_TRUE(block.ok());
    ASSERT_EQ(block->size(), 24u);
    FakeDevice::Call call{"", {}, *block};
    EXPECT_EQ(call.get<std::uint64_t>(0), 0x1234u);
    EXPECT_EQ(call.get<std::uint32_t>(8), 0xffffffffu);
    EXPECT_EQ(call.get<double>(16), 2.5);
    auto error = [&](std::vector<ArgumentValue> list) {
        auto r = pack_arguments(k, list);
        return r ? std::string("no error") : r.error().text();
    };
    EXPECT_THAT(
        error({pointer, number(1)}),
        HasSubstr("the kernel 'foo(float*, int, double)' takes 3 arguments, 2 given (its parameters: u64, u32, f64)"));
    EXPECT_THAT(error({pointer, pointer, number(1)}),
                HasSubstr("argument 1 ('buf') does not fit the kernel's parameter 1 of type u32"));
    EXPECT_THAT(error({pointer, number(1.5), number(1)}), HasSubstr("not a whole number"));
    EXPECT_THAT(error({pointer, number(4294967296.0L), number(1)}), HasSubstr("argument 1"));
    EXPECT_THAT(error({pointer, number(1, values::Element::f32), number(1)}), HasSubstr("argument 1"));
    EXPECT_THAT(error({pointer, number(1, values::Element::u64), number(1)}), HasSubstr("argument 1"));
    EXPECT_EQ(error({pointer, number(1, values::Element::i32), number(1, values::Element::f64)}), "no error");
}

TEST(FindKernel, by_linkage_name_or_name_in_the_source) {
    FakeDevice::FakeModule m;
    m.list = {test::kernel("_Z3fooPfid", {}), test::kernel("_ZN2ns3barIiEEvPT_", {}), test::kernel("plain", {}),
              test::kernel("_Z3twoi", {}), test::kernel("_Z3twof", {})};
    EXPECT_EQ((*find_kernel(m, "foo"))->name, "_Z3fooPfid");
    EXPECT_EQ((*find_kernel(m, "bar"))->name, "_ZN2ns3barIiEEvPT_");
    EXPECT_EQ((*find_kernel(m, "plain"))->name, "plain");
    EXPECT_EQ((*find_kernel(m, "_Z3twoi"))->name, "_Z3twoi");
    EXPECT_EQ((*find_kernel(m, "two(float)"))->name, "_Z3twof");
    EXPECT_THAT(find_kernel(m, "two").error().text(), HasSubstr("say which: two(int), two(float)"));
    EXPECT_THAT(find_kernel(m, "fo").error().text(), HasSubstr("kernels: foo(float*, int, double), "));
}

TEST(Cpu, every_rung_gives_the_reference_result) {
    for (std::int64_t n : {0, 1, 5, 33, 64, 130}) {
        for (values::Element e : {values::Element::f32, values::Element::f64}) {
            HostBuffers b;
            values::Contents random;
            random.kind = values::Contents::Kind::random;
            b["A"] = {e, *values::make_contents(random, e, n * n, "A", 1)};
            b["B"] = {e, *values::make_contents(random, e, n * n, "B", 1)};
            Reference r;
            r.kind = Reference::Kind::matmul;
            r.inputs = {"A", "B"};
            r.output = "C";
            for (int i = 0; i < 3; ++i) r.sizes.push_back(*Expression::parse("n"));
            Expected expected = reference_matmul(b["A"], b["B"], e, n, n, n);
            for (const char* cpu : {"serial", "openmp", "blas"}) {
                b["C"] = {e, std::vector<std::byte>(n * n * values::element_size(e), std::byte{0xff})};
                auto work = make_cpu_work(r, cpu, b, {{"n", double(n)}}, 2);
                ASSERT_TRUE(work.ok());
                (*work)();
                double u = e == values::Element::f32 ? 0x1p-24 : 0x1p-53;
                EXPECT_TRUE(verify(e, b["C"].bytes, expected, double(n + 1) * u, ToleranceScale::magnitude).passed)
                    << cpu << n;
            }
        }
    }
}

TEST(Cpu, every_layout) {
    const std::int64_t m = 37, n = 50, k = 21;
    for (const char* layout : {"NN", "NT", "TN", "TT"}) {
        HostBuffers b;
        const values::Contents random = *values::parse_contents("random");
        b["A"] = {values::Element::f32, *values::make_contents(random, values::Element::f32, m * k, "A", 1)};
        b["B"] = {values::Element::f32, *values::make_contents(random, values::Element::f32, k * n, "B", 1)};
        Reference r;
        r.kind = Reference::Kind::matmul;
        r.inputs = {"A", "B"};
        r.output = "C";
        r.layout = "L";
        for (const char* size : {"m", "n", "k"}) r.sizes.push_back(*Expression::parse(size));
        const Expected expected = reference_matmul(b["A"], b["B"], values::Element::f32, m, n, k, Layout::of(layout));
        for (const char* cpu : {"serial", "openmp", "blas"}) {
            b["C"] = {values::Element::f32, std::vector<std::byte>(m * n * 4, std::byte{0xff})};
            auto work = make_cpu_work(r, cpu, b, {{"m", m}, {"n", n}, {"k", k}}, 2, {{"L", {layout, {}}}});
            ASSERT_TRUE(work.ok());
            (*work)();
            EXPECT_TRUE(
                verify(values::Element::f32, b["C"].bytes, expected, 22 * 0x1p-24, ToleranceScale::magnitude).passed)
                << cpu << layout;
        }
    }
}

TEST(Cpu, sums) {
    for (values::Element e : {values::Element::i32, values::Element::i64, values::Element::f32, values::Element::f64})
        for (std::int64_t n : {0, 1, 1000, 100003}) {
            HostBuffers b;
            values::Contents random;
            random.kind = values::Contents::Kind::random;
            b["x"] = {e, *values::make_contents(random, e, n, "x", 1)};
            Reference r;
            r.kind = Reference::Kind::reduce;
            r.inputs = {"x"};
            r.output = "s";
            r.sizes = {*Expression::parse("n")};
            Expected expected = reference_reduce(b["x"], e, n);
            for (const char* cpu : {"serial", "openmp"}) {
                b["s"] = {e, std::vector<std::byte>(values::element_size(e), std::byte{0xa5})};
                auto work = make_cpu_work(r, cpu, b, {{"n", double(n)}}, 2);
                ASSERT_TRUE(work.ok());
                (*work)();
                EXPECT_TRUE(verify(e, b["s"].bytes, expected, 1e-5, ToleranceScale::magnitude).passed) << cpu << n;
            }
            EXPECT_FALSE(make_cpu_work(r, "blas", b, {{"n", double(n)}}, 2).ok());
        }
}

}  // namespace run_test
}  // namespace warpwright::ladder
