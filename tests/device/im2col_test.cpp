// Tensor copies of the mode im2col: columns of pixels between two corners, shifted by the place of a filter.
#include <array>
#include <cmath>

#include "support.hpp"

namespace im2col_test {

using namespace device_tests;
using ::testing::HasSubstr;
using warpwright::device::TensorMap;

/// Images as a map sees them: channels first, images last. The elements are numbered from 1 on.
struct Images {
    std::vector<std::uint64_t> size;
    std::vector<std::int32_t> lower, upper;
    std::vector<std::uint32_t> step;
    std::uint32_t channels, pixels;
    TensorMap::Swizzle swizzle = TensorMap::Swizzle::none;
    bool nan = false;

    std::size_t rank() const { return size.size(); }
    std::uint64_t elements() const {
        std::uint64_t n = 1;
        for (auto s : size) n *= s;
        return n;
    }
    unsigned bytes() const { return channels * pixels * 4; }
    TensorMap map(Address at) const {
        TensorMap m{at, "f32", size, {}, {channels}, step, swizzle, nan};
        std::uint64_t pitch = 4;
        for (std::size_t k = 0; k + 1 < rank(); ++k) m.stride.push_back(pitch *= size[k]);
        m.pixels = pixels, m.lower = lower, m.upper = upper;
        return m;
    }
    /// How many places a filter has along a dimension between channels and images.
    std::int64_t places(std::size_t k) const {
        return (static_cast<std::int64_t>(size[k]) - 1 + upper[k - 1] - lower[k - 1]) / step[k] + 1;
    }
    /// Where the pixel of a number lies: the places of a filter are counted row by row, image by image.
    std::vector<std::int64_t> place(std::uint64_t number) const {
        std::vector<std::int64_t> at(rank());
        auto left = static_cast<std::int64_t>(number);
        for (std::size_t k = 1; k + 1 < rank(); ++k) {
            at[k] = lower[k - 1] + left % places(k) * step[k];
            left /= places(k);
        }
        at.back() = left;
        return at;
    }
    /// The element at a place, 0 or NaN outside.
    float element(std::int64_t channel, std::vector<std::int64_t> at, const std::vector<unsigned>& shift) const {
        at[0] = channel;
        for (std::size_t k = 0; k < shift.size(); ++k) at[k + 1] += shift[k];
        std::int64_t index = 0;
        for (std::size_t k = rank(); k-- > 0;) {
            if (at[k] < 0 || at[k] >= static_cast<std::int64_t>(size[k])) return nan ? NAN : 0;
            index = index * static_cast<std::int64_t>(size[k]) + at[k];
        }
        return static_cast<float>(index + 1);
    }
};

std::string list(const std::vector<std::string>& items) {
    std::string text;
    for (const auto& item : items) text += (text.empty() ? "{" : ", ") + item;
    return text + "}";
}

/// Sets registers of 32 bits from %r40 on to the coordinates, and of 16 bits from %h2 on to the offsets.
struct Where {
    std::string set, coordinates, offsets;
    Where(std::int64_t channel, std::vector<std::int64_t> at, const std::vector<unsigned>& shift) {
        at[0] = channel;
        std::vector<std::string> names;
        for (std::size_t k = 0; k < at.size(); ++k) {
            names.push_back("%r" + std::to_string(40 + k));
            set += "mov.s32 " + names.back() + ", " + std::to_string(at[k]) + ";\n";
        }
        coordinates = list(names);
        names.clear();
        for (std::size_t k = 0; k < shift.size(); ++k) {
            names.push_back("%h" + std::to_string(2 + k));
            set += "mov.u16 " + names.back() + ", " + std::to_string(shift[k]) + ";\n";
        }
        offsets = list(names);
    }
};

std::string kernel(const std::string& body) {
    return kHeader + ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 out)\n{\n" + kRegisters +
           ".shared .align 1024 .b8 tile[8192];\n.shared .align 8 .b64 bar;\n"
           "mov.u32 %r1, %tid.x; ld.param.u64 %rd2, [out]; mov.u32 %r4, tile; mov.u32 %r6, bar;\n"
           "mov.b64 %rd3, map; cvta.param.u64 %rd3, %rd3;\nsetp.ne.u32 %p1, %r1, 0;\n" +
           body + "\nret;\n}\n";
}

std::string load(const Images& i, const Where& where) {
    return kernel("@%p1 bra READY;\nmbarrier.init.shared::cta.b64 [%r6], 1;\nREADY:\nbar.sync 0;\n@%p1 bra GO;\n" +
                  where.set + "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], " + std::to_string(i.bytes()) +
                  ";\ncp.async.bulk.tensor." + std::to_string(i.rank()) +
                  "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r4], [%rd3, " + where.coordinates +
                  "], [%r6], " + where.offsets +
                  ";\nGO:\nW: mbarrier.try_wait.parity.shared::cta.b64 %p10, [%r6], 0;\n@!%p10 bra W;\n"
                  "shl.b32 %r5, %r1, 2;\nSHOW: add.u32 %r7, %r4, %r5; ld.shared.u32 %r8, [%r7];\n"
                  "cvt.u64.u32 %rd4, %r5; add.s64 %rd4, %rd2, %rd4; st.global.u32 [%rd4], %r8;\n"
                  "add.u32 %r5, %r5, 128; setp.lt.u32 %p2, %r5, " +
                  std::to_string(i.bytes()) + ";\n@%p2 bra SHOW;\n");
}

/// Stores, or adds, the numbers from 0 on.
std::string store(const Images& i, const Where& where, bool adds) {
    const auto n = std::to_string(i.bytes() / 4);
    return kernel(
        "mov.u32 %r20, %r1; FILL: shl.b32 %r21, %r20, 2; add.u32 %r21, %r4, %r21; cvt.rn.f32.u32 %f1, %r20; "
        "st.shared.f32 [%r21], %f1; add.u32 %r20, %r20, 32;\nsetp.lt.u32 %p2, %r20, " +
        n + ";\n@%p2 bra FILL;\nfence.proxy.async;\nbar.sync 0;\n@%p1 bra END;\n" + where.set +
        (adds ? "cp.reduce.async.bulk.tensor." : "cp.async.bulk.tensor.") + std::to_string(i.rank()) +
        "d.global.shared::cta" + (adds ? ".add" : "") + ".im2col_no_offs.bulk_group [%rd3, " + where.coordinates +
        "], [%r4];\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND:\n");
}

class Im2col : public ::testing::Test {
protected:
    std::vector<std::byte> arguments(const TensorMap& m, Address out) {
        auto encoded = gpu.device->tensor_maps()->encode_tensor_map(m);
        EXPECT_TRUE(encoded.ok()) << encoded.error().text();
        std::vector<std::byte> all;
        if (encoded) all.assign(encoded->begin(), encoded->end());
        const auto rest = parameters(out);
        all.insert(all.end(), rest.begin(), rest.end());
        return all;
    }
    Address numbered(const Images& i) {
        std::vector<float> all(i.elements());
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<float>(k + 1);
        return gpu.buffer(all);
    }
    void expect_column(const Images& i, std::int64_t channel, std::uint64_t first, const std::vector<unsigned>& shift) {
        const auto in = numbered(i), out = gpu.buffer(std::vector<float>(i.bytes() / 4));
        gpu.launch(load(i, {channel, i.place(first), shift}), {1}, {32}, arguments(i.map(in), out));
        const auto got = gpu.read<float>(out, i.bytes() / 4);
        for (std::uint32_t p = 0; p < i.pixels; ++p)
            for (std::uint32_t c = 0; c < i.channels; ++c) {
                auto word = p * i.channels + c;
                if (i.swizzle == TensorMap::Swizzle::b64) word ^= word / 32 % 4 * 4;
                const auto want = i.element(channel + c, i.place(first + p), shift);
                if (std::isnan(want))
                    ASSERT_TRUE(std::isnan(got[word])) << p << " " << c;
                else
                    ASSERT_EQ(got[word], want) << "pixel " << p << " channel " << c;
            }
    }
    std::string fault(const Images& i, const std::string& text, const TensorMap& map) {
        auto r = gpu.try_launch(text, {1}, {32}, arguments(map, gpu.buffer(std::vector<float>(i.bytes() / 4))));
        return r ? std::string() : r.error().text();
    }
    Gpu gpu{2};
};

TEST_F(Im2col, ColumnsGoOnFromRowToRowAndFromImageToImage) {
    // A filter of 3x3 with a border of one: as many places as pixels. All places of the filter.
    const Images padded{{16, 7, 5, 3}, {-1, -1}, {-1, -1}, {1, 1, 1, 1}, 8, 64};
    for (unsigned x = 0; x < 3; ++x)
        for (unsigned y = 0; y < 3; ++y) expect_column(padded, 0, 0, {x, y});
    expect_column(padded, 8, 17, {2, 0});
    expect_column(padded, -4, 33, {0, 1});
    // The last column goes beyond the last image.
    expect_column(padded, 8, 3 * 35 - 10, {1, 1});
    // Without a border the filter has fewer places; swizzled; NaN outside of the images.
    const Images inner{{16, 9, 6, 2}, {0, 0}, {-2, -1}, {1, 1, 1, 1}, 16, 48, TensorMap::Swizzle::b64, true};
    for (unsigned x : {0u, 2u}) expect_column(inner, 0, 3, {x, 1});
    expect_column(inner, 0, 2 * 7 * 5 - 5, {0, 0});
}

TEST_F(Im2col, EachRankAndStepsAlongEachDimension) {
    expect_column({{8, 20, 3}, {-2}, {0}, {1, 1, 1}, 8, 40}, 0, 7, {1});
    expect_column({{8, 20, 3}, {-2}, {1}, {1, 3, 1}, 4, 20}, 4, 2, {2});
    expect_column({{8, 9, 8, 2}, {-1, -1}, {-1, -1}, {1, 2, 2, 1}, 8, 32}, 0, 5, {1, 2});
    expect_column({{4, 5, 4, 3, 2}, {-1, 0, -1}, {-1, -1, 1}, {1, 1, 1, 1, 1}, 4, 100}, 0, 11, {2, 0, 1});
    expect_column({{4, 5, 4, 6, 2}, {-1, 0, -1}, {-1, -1, 0}, {1, 2, 1, 3, 1}, 4, 30}, 0, 4, {1, 1, 0});
}

TEST_F(Im2col, StoresHaveNoOffsetsAndLeaveOutWhatIsOutside) {
    const Images i{{8, 4, 3, 2}, {0, -1}, {0, 0}, {1, 1, 1, 1}, 8, 24};
    for (bool adds : {false, true}) {
        const auto in = numbered(i);
        gpu.launch(store(i, {0, i.place(2), {}}, adds), {1}, {32}, arguments(i.map(in), in));
        std::vector<float> want(i.elements());
        for (std::size_t k = 0; k < want.size(); ++k) want[k] = static_cast<float>(k + 1);
        for (std::uint32_t p = 0; p < i.pixels; ++p)
            for (std::uint32_t c = 0; c < i.channels; ++c)
                if (const auto e = i.element(c, i.place(2 + p), {}); e > 0) {
                    const auto k = static_cast<std::size_t>(e) - 1;
                    want[k] = static_cast<float>(p * i.channels + c) + (adds ? want[k] : 0.0f);
                }
        EXPECT_EQ(gpu.read<float>(in, want.size()), want) << adds;
    }
}

TEST_F(Im2col, WrongUsesAreSaid) {
    const Images i{{16, 7, 5, 3}, {-1, -1}, {-1, -1}, {1, 1, 1, 1}, 8, 64};
    const auto in = numbered(i);
    const Where start{0, i.place(0), {0, 0}};
    TensorMap tiled = i.map(in);
    tiled.pixels = 0, tiled.lower.clear(), tiled.upper.clear(), tiled.box = {8, 4, 4, 1};
    EXPECT_THAT(fault(i, load(i, start), tiled), HasSubstr("tiled, not for im2col"));
    auto of_tiles = load(i, start);
    of_tiles.replace(of_tiles.find(".im2col"), 7, ".tile");
    of_tiles.erase(of_tiles.find(", {%h2"), 12);
    EXPECT_THAT(fault(i, of_tiles, i.map(in)), HasSubstr("for im2col"));
    EXPECT_THAT(fault(i, load(i, {0, i.place(0), {256, 0}}), i.map(in)), HasSubstr("more than 8 bits"));
    EXPECT_THAT(fault(i, load(i, {2, i.place(0), {0, 0}}), i.map(in)), HasSubstr("no multiple of 16"));
    auto no_offsets = load(i, start);
    no_offsets.erase(no_offsets.find(", {%h2"), 12);
    EXPECT_THAT(fault(i, no_offsets, i.map(in)), HasSubstr("number of operands"));

    const auto refused = [&](auto change) {
        auto m = i.map(in);
        change(m);
        auto r = gpu.device->tensor_maps()->encode_tensor_map(m);
        return r ? std::string("accepted") : r.error().text();
    };
    EXPECT_THAT(refused([](TensorMap& m) { m.pixels = 1025; }), HasSubstr("1024"));
    EXPECT_THAT(refused([](TensorMap& m) { m.lower = {-129, 0}; }), HasSubstr("between -128 and 127"));
    EXPECT_THAT(refused([](TensorMap& m) { m.upper = {0}; }), HasSubstr("corners"));
    EXPECT_THAT(refused([](TensorMap& m) { m.upper = {-8, 0}; }), HasSubstr("nothing between"));
    EXPECT_THAT(refused([](TensorMap& m) { m.box = {257}; }), HasSubstr("256"));
    EXPECT_THAT(refused([](TensorMap& m) { m.box = {6}; }), HasSubstr("multiple of 16"));
    EXPECT_THAT(refused([](TensorMap& m) {
                    m.size = {16, 7}, m.stride = {64}, m.step = {1, 1}, m.lower.clear(), m.upper.clear();
                }),
                HasSubstr("3 to 5 dimensions"));
}

}  // namespace im2col_test
