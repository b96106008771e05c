// Textures and surfaces as PTX has them: through handles and through references (.texref, .surfref), every form of
// instruction.
#include "machine/trace.hpp"
#include "support.hpp"

namespace textures_test {

using namespace device_tests;
using testing::ElementsAre;
using testing::HasSubstr;
using warpwright::device::Texture;

constexpr std::uint64_t kWidth = 4, kHeight = 4;

/// 4 x 4 floats, 10 for a row and 1 for a column; `layers` of them, 100 apart.
Texture picture(Gpu& gpu, unsigned layers = 1) {
    std::vector<float> data;
    for (unsigned z = 0; z < layers; ++z)
        for (unsigned y = 0; y < kHeight; ++y)
            for (unsigned x = 0; x < kWidth; ++x) data.push_back(static_cast<float>(100 * z + 10 * y + x));
    Texture t;
    t.levels[0] = {gpu.buffer(data), kWidth * 4, kWidth * kHeight * 4, kWidth, kHeight, layers};
    t.layered = layers > 1;
    return t;
}

/// What four registers hold after `body`, which puts them into %f0 to %f3; %rd1 is the handle.
std::vector<float> fetched(Gpu& gpu, const Texture& t, const std::string& body, Address* made = nullptr) {
    const auto handle = gpu.device->textures()->make_texture(t).value();
    if (made) *made = handle;
    auto out = gpu.buffer(std::vector<float>(4, -1));
    gpu.launch(module("u64 t, u64 out",
                      "ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [out];\nmov.f32 %f10, 0f3FC00000; mov.f32 %f11, "
                      "0f40200000; mov.f32 %f12, 0f00000000;\n" +
                          body + "\nst.global.v4.f32 [%rd2], {%f0, %f1, %f2, %f3};"),
               {1}, {1}, parameters(handle, out));
    return gpu.read<float>(out, 4);
}

TEST(Textures, FormsOfAFetch) {
    Gpu gpu;
    const auto t = picture(gpu);
    // x = 1.5, y = 2.5: column 1, row 2.
    EXPECT_THAT(fetched(gpu, t, "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f10, %f11}];"),
                ElementsAre(21, 0, 0, 1));
    EXPECT_THAT(fetched(gpu, t, "tex.base.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f10, %f11}];"),
                ElementsAre(21, 0, 0, 1));
    EXPECT_THAT(fetched(gpu, t, "tex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f10, %f11}], %f12;"),
                ElementsAre(21, 0, 0, 1));
    EXPECT_THAT(
        fetched(gpu, t,
                "tex.grad.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f10, %f11}], {%f12, %f12}, {%f12, %f12};"),
        ElementsAre(21, 0, 0, 1));
    EXPECT_THAT(fetched(gpu, t,
                        "mov.u32 %r1, 2; mov.u32 %r2, -1; tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f10, "
                        "%f11}], {%r1, %r2};"),
                ElementsAre(13, 0, 0, 1));
    EXPECT_THAT(fetched(gpu, t,
                        "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}|%p1, [%rd1, {%f10, %f11}]; selp.f32 %f1, 0f3F800000, "
                        "0f00000000, %p1;"),
                ElementsAre(21, 1, 0, 1));
    EXPECT_THAT(fetched(gpu, t, "mov.u32 %r1, 3; tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1, {%r1, %r1}];"),
                ElementsAre(33, 0, 0, 1));
    EXPECT_THAT(fetched(gpu, t, "mov.u32 %r1, 4; tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1, {%r1, %r1}];"),
                ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(fetched(gpu, t, "tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f10, %f11}];"),
                ElementsAre(31, 32, 22, 21));
    EXPECT_THAT(fetched(gpu, t,
                        "tex.2d.v2.f16x2.f32 {%r1, %r2}, [%rd1, {%f10, %f11}]; mov.b32 {%h1, %h2}, %r1; cvt.f32.f16 "
                        "%f0, %h1; cvt.f32.f16 %f1, %h2;\n"
                        "mov.b32 {%h1, %h2}, %r2; cvt.f32.f16 %f2, %h1; cvt.f32.f16 %f3, %h2;"),
                ElementsAre(21, 0, 0, 1));
    EXPECT_THAT(fetched(gpu, picture(gpu, 3),
                        "mov.u32 %r1, 2; tex.a2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%r1, %f10, %f11, %f11}];"),
                ElementsAre(221, 0, 0, 1));
}

/// They go through memory's units, and were counted as moves until the table of opcodes gave them their class.
TEST(Textures, AreCountedAsMemoryInstructions) {
    Gpu gpu;
    const auto t = gpu.device->textures()->make_texture(picture(gpu)).value();
    auto surface = picture(gpu);
    surface.surface = true;
    const auto s = gpu.device->textures()->make_texture(surface).value();
    const auto counts = [&](const std::string& body) {
        return gpu.counts(
            module("u64 t, u64 s", "ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [s]; mov.u32 %r1, 0;\n" + body), {1},
            {1}, parameters(t, s));
    };
    const auto none = counts("");
    for (const auto* one : {"tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1, {%r1, %r1}];", "txq.width.b32 %r2, [%rd1];",
                            "suld.b.2d.b32.trap %r2, [%rd2, {%r1, %r1}];",
                            "sust.b.2d.b32.trap [%rd2, {%r1, %r1}], %r1;", "suq.width.b32 %r2, [%rd2];"}) {
        const auto more = counts(one);
        EXPECT_EQ(more[Count::mix_memory], none[Count::mix_memory] + 1) << one;
        EXPECT_EQ(more[Count::mix_move], none[Count::mix_move]) << one;
    }
    const auto asked = counts("istypep.texref %p1, %rd1;");
    EXPECT_EQ(asked[Count::mix_integer], none[Count::mix_integer] + 1);
}

TEST(Textures, Queries) {
    Gpu gpu;
    auto t = picture(gpu, 3);
    t.linear = true;
    t.mode[1] = Texture::Mode::border;
    const std::string asked[] = {
        "width",         "height",           "depth", "array_size", "num_mipmap_levels", "channel_data_type",
        "channel_order", "normalized_coords"};
    const std::uint32_t answers[] = {4, 4, 1, 3, 1, 0x10DE, 0x10B0, 0};
    std::string body = "ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [out];\n";
    for (unsigned k = 0; k < 8; ++k)
        body += "txq." + asked[k] + ".b32 %r1, [%rd1]; st.global.u32 [%rd2+" + std::to_string(4 * k) + "], %r1;\n";
    body +=
        "txq.filter_mode.b32 %r1, [%rd1]; st.global.u32 [%rd2+32], %r1; txq.addr_mode_1.b32 %r1, [%rd1]; st.global.u32 "
        "[%rd2+36], %r1;\n"
        "istypep.texref %p1, %rd1; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%rd2+40], %r1;\n"
        "istypep.surfref %p1, %rd1; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%rd2+44], %r1;\n"
        "istypep.texref %p1, %rd2; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%rd2+48], %r1;";
    auto out = gpu.buffer(std::vector<std::uint32_t>(16, 99));
    gpu.launch(module("u64 t, u64 out", body), {1}, {1},
               parameters(gpu.device->textures()->make_texture(t).value(), out));
    const auto got = gpu.read<std::uint32_t>(out, 13);
    for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(got[k], answers[k]) << asked[k];
    EXPECT_THAT(std::vector(got.begin() + 8, got.end()), ElementsAre(1, 3, 1, 0, 0));
}

/// As compilers wrote PTX until CUDA 11: the variable's name in the brackets; and its address, as clang writes it.
TEST(Textures, References) {
    Gpu gpu;
    const std::string text = kHeader + ".global .texref picture;\n.visible .global .surfref canvas;\n" +
                             kernel("u64 out",
                                    "ld.param.u64 %rd2, [out]; mov.f32 %f10, 0f3FC00000;\n"
                                    "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [picture, {%f10, %f10}];\n"
                                    "st.global.f32 [%rd2], %f0;\n"
                                    "mov.u64 %rd3, picture;\n"
                                    "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd3, {%f10, %f10}];\n"
                                    "st.global.f32 [%rd2+4], %f0;\n"
                                    "mov.u32 %r1, 4; mov.u32 %r2, 1; sust.b.2d.b32.trap [canvas, {%r1, %r2}], {%r2};\n"
                                    "txq.width.b32 %r1, [picture]; st.global.u32 [%rd2+8], %r1;");
    auto loaded = gpu.device->load("test.ptx", text);
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    auto out = gpu.buffer(std::vector<float>(4));
    const auto go = [&] { return gpu.device->launch(**loaded, "k", {{1}, {1}}, parameters(out), {}); };
    const auto unbound = go();
    ASSERT_FALSE(unbound.ok());
    EXPECT_THAT(unbound.error().what, HasSubstr("texture reference is bound to nothing"));
    EXPECT_EQ(unbound.error().where.line, line_of(text, "[picture, {"));
    auto t = picture(gpu);
    const auto put = [&](const char* name, const Texture& what) {
        const auto handle = gpu.device->textures()->make_texture(what).value();
        const auto place = (*loaded)->variable(name).value();
        EXPECT_EQ(place.second, 8u);
        EXPECT_TRUE(gpu.device->write(place.first, std::as_bytes(std::span(&handle, 1))).ok());
        return handle;
    };
    put("picture", t);
    t.surface = true;
    const auto canvas = put("canvas", t);
    const auto r = go();
    ASSERT_TRUE(r.ok()) << r.error().text();
    EXPECT_THAT(gpu.read<float>(out, 2), ElementsAre(11, 11));
    EXPECT_EQ(gpu.read<std::uint32_t>(out, 3)[2], 4u);
    EXPECT_EQ(gpu.read<std::uint32_t>(t.levels[0].data, 6)[5], 1u);
    EXPECT_TRUE(gpu.device->release(canvas).ok());
    const auto gone = go();
    ASSERT_FALSE(gone.ok());
    EXPECT_THAT(gone.error().what, HasSubstr("surface object does not exist"));
}

TEST(Textures, MemoryThatIsGoneIsNotRead) {
    Gpu gpu;
    const auto t = picture(gpu);
    const auto handle = gpu.device->textures()->make_texture(t).value();
    EXPECT_TRUE(gpu.device->release(t.levels[0].data).ok());
    const auto r = gpu.try_launch(
        module(
            "u64 t",
            "ld.param.u64 %rd1, [t]; mov.f32 %f1, 0f00000000;\ntex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f1}];"),
        {1}, {1}, parameters(handle));
    ASSERT_FALSE(r.ok());
    EXPECT_THAT(r.error().what, HasSubstr("memory behind its texture object was freed"));
}

/// Each boundary mode reads and writes one place inside and one outside, at x = 16 bytes (column 4 of 4).
TEST(Surfaces, BoundaryModes) {
    const auto run = [](Gpu& gpu, const Texture& t, const std::string& mode) {
        auto out = gpu.buffer(std::vector<std::uint32_t>(1, 99));
        auto r = gpu.try_launch(
            module(
                "u64 s, u64 out",
                "ld.param.u64 %rd1, [s]; ld.param.u64 %rd2, [out]; mov.u32 %r1, 16; mov.u32 %r2, 1; mov.u32 %r4, 7;\n"
                "suld.b.2d.b32." +
                    mode +
                    " {%r3}, [%rd1, {%r1, %r2}];\nst.global.u32 [%rd2], %r3;\n"
                    "sust.b.2d.b32." +
                    mode + " [%rd1, {%r1, %r2}], {%r4};"),
            {1}, {1}, parameters(gpu.device->textures()->make_texture(t).value(), out));
        return std::pair{r.ok() ? std::string() : r.error().what, gpu.read<std::uint32_t>(out, 1)[0]};
    };
    Gpu gpu;
    Texture t;
    const auto data = gpu.buffer(iota<std::uint32_t>(16, 100));
    t.levels[0] = {data, 16, 64, 4, 4, 1};
    t.kind = Texture::Kind::unsigned_integer, t.surface = true;
    EXPECT_EQ(run(gpu, t, "zero"), (std::pair<std::string, std::uint32_t>{"", 0}));
    EXPECT_EQ(gpu.read<std::uint32_t>(data, 16), iota<std::uint32_t>(16, 100));
    EXPECT_EQ(run(gpu, t, "clamp"), (std::pair<std::string, std::uint32_t>{"", 107}));
    EXPECT_EQ(gpu.read<std::uint32_t>(data, 16)[7], 7u);
    EXPECT_THAT(run(gpu, t, "trap").first, HasSubstr("(16 bytes, 1, 0) is outside the surface of 16 bytes x 4 x 1"));
}

TEST(Surfaces, FormattedStoresAndReductions) {
    Gpu gpu;
    Texture t;
    const auto data = gpu.buffer(std::vector<std::uint8_t>(32, 9));
    t.levels[0] = {data, 16, 32, 4, 2, 1};
    t.kind = Texture::Kind::unsigned_integer, t.channels = 4, t.bits = 8, t.surface = true;
    // Element (1, 1) of four bytes: 300 does not fit into one.
    gpu.launch(module("u64 s",
                      "ld.param.u64 %rd1, [s]; mov.u32 %r1, 1; mov.u32 %r2, 300; mov.u32 %r3, 5;\n"
                      "sust.p.2d.v4.b32.trap [%rd1, {%r1, %r1}], {%r3, %r2, %r1, %r3};"),
               {1}, {1}, parameters(gpu.device->textures()->make_texture(t).value()));
    const auto bytes = gpu.read<std::uint8_t>(data, 32);
    EXPECT_THAT(std::vector(bytes.begin() + 19, bytes.begin() + 25), ElementsAre(9, 5, 255, 1, 5, 9));
    t.channels = 1, t.bits = 32;
    const auto sums = gpu.buffer(std::vector<std::uint32_t>(8, 0));
    t.levels[0].data = sums;
    // 64 threads on 8 places: each gets 8 ones; then the largest thread index.
    gpu.launch(module("u64 s",
                      "ld.param.u64 %rd1, [s]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 3; shl.b32 %r2, %r2, 2; shr.u32 "
                      "%r3, %r1, 2; and.b32 %r3, %r3, 1;\n"
                      "mov.u32 %r4, 1; sured.b.add.2d.u32.trap [%rd1, {%r2, %r3}], %r4;"),
               {1}, {64}, parameters(gpu.device->textures()->make_texture(t).value()));
    EXPECT_EQ(gpu.read<std::uint32_t>(sums, 8), std::vector<std::uint32_t>(8, 8));
}

TEST(Textures, WhatIsNotExecutedIsNamed) {
    Gpu gpu;
    const auto refuse = [&](const std::string& line) {
        const auto r =
            gpu.try_launch(module("u64 t", "ld.param.u64 %rd1, [t];\n" + line), {1}, {1}, parameters(Address{0}));
        EXPECT_FALSE(r.ok()) << line;
        return r.ok() ? std::string() : r.error().what;
    };
    EXPECT_THAT(refuse("tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f0, %f1}], %f2;"),
                HasSubstr("comparisons of depths"));
    EXPECT_THAT(refuse("tex.2dms.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1, {%r0, %r1, %r2, %r3}];"),
                HasSubstr("this geometry"));
    EXPECT_THAT(refuse("tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, %rd2, {%f0, %f1}];"),
                HasSubstr("samplers apart"));
    EXPECT_THAT(refuse("tex.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f0, %f1, %f2, %f3}];"),
                HasSubstr("texture object does not exist"));
}

/// The only access that a warp of 32 lanes makes, as a traced launch tells of it.
warpwright::machine::Event traced(const std::string& body, bool surface = false) {
    Gpu gpu;
    std::vector<float> data(32 * 32);
    Texture t;
    t.levels[0] = {gpu.buffer(data), 128, 128 * 32, 32, 32, 1};
    t.surface = surface;
    const auto handle = gpu.device->textures()->make_texture(t).value();
    LaunchOptions options;
    options.trace = {1, 1};
    const auto r = gpu.launch(module("u64 t", "ld.param.u64 %rd1, [t]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0;\n" + body),
                              {1}, {32}, parameters(handle), options);
    EXPECT_TRUE(r.trace);
    for (const auto& e : r.trace->sample.at(0).warps.at(0).events)
        if (e.what & warpwright::machine::Event::kAccess) return e;
    ADD_FAILURE() << "no access was traced";
    return {};
}

TEST(Textures, TracesTellWhatAFetchTouches) {
    const auto row = traced("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1, {%r1}];");
    EXPECT_EQ(row.lanes, 32u);
    EXPECT_EQ(row.count, 4u) << "sectors of 128 bytes";
    EXPECT_EQ(row.passes, 4u) << "eight lanes of a sector at a time";
    const auto column = traced("tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%rd1, {%r2, %r1}];");
    EXPECT_EQ(column.count, 32u);
    EXPECT_EQ(column.passes, 8u) << "four lanes at a time";
    const auto store = traced("shl.b32 %r1, %r1, 2; sust.b.2d.b32.trap [%rd1, {%r1, %r2}], {%r2};", true);
    EXPECT_EQ(store.count, 4u);
    const auto sum = traced("shl.b32 %r1, %r1, 2; sured.b.add.2d.u32.trap [%rd1, {%r1, %r2}], %r2;", true);
    EXPECT_TRUE(sum.what & warpwright::machine::Event::kAtomic);
    EXPECT_EQ(sum.count, 32u) << "a sector as often as lanes want it";
}

}  // namespace textures_test
