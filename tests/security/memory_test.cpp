// Kernels that reach for memory which is not theirs: by forged objects, addresses that wrap, and sizes that do.
#include <cstddef>
#include <cstring>
#include <random>

#include "engine/shared/tensor_map.hpp"
#include "security/attack.hpp"

namespace memory_test {

using namespace security_tests;

INSTANTIATE_TEST_SUITE_P(Modes, Attack, all_modes(), mode_name);

TEST_P(Attack, ForgedTextureObjects) {
    const std::string file = "forged_texture.ptx";
    std::vector<std::uint64_t> host(64, 0x5a5a5a5a5a5a5a5a);
    for (const std::uint32_t write : {0u, 1u}) {
        const auto object = victim.buffer(4096, 0), data = victim.buffer(4096, 1);
        const auto pitch = reinterpret_cast<std::uint64_t>(host.data()) - data;
        victim.expect_caught(victim.run(file, "surface", parameters(object, data, pitch, write), {1}), file,
                             Cause::invalid_handle);
        EXPECT_TRUE(victim.is_all(data, 4096, 1)) << "something was read";
    }
    for (const auto word : host) EXPECT_EQ(word, 0x5a5a5a5a5a5a5a5a);
}

TEST_P(Attack, NumbersThatAreNoHandles) {
    const std::string file = "forged_texture.ptx";
    const auto out = victim.buffer(256, 0);
    warpwright::device::Texture t;
    t.surface = true;
    t.levels[0] = {victim.buffer(4096, 7), 64, 4096, 16, 64, 1};
    const auto mine = victim.device->textures()->make_texture(t).value();
    ASSERT_TRUE(victim.run(file, "use", parameters(mine, out), {1}).ok());
    EXPECT_EQ(victim.read(out, 1)[0], 7);
    // A neighbour in the table, another generation, other tags, addresses, and the handle after its end.
    for (const std::uint64_t wrong :
         {mine + 1, mine - 1, mine + (1u << 24), mine ^ (std::uint64_t{1} << 48), mine ^ (std::uint64_t{1} << 63), out,
          std::uint64_t{0}, ~std::uint64_t{0}, reinterpret_cast<std::uint64_t>(&t)}) {
        victim.device->finding_log()->clear_findings();
        victim.expect_caught(victim.run(file, "use", parameters(wrong, out), {1}), file, Cause::invalid_handle);
        victim.expect_caught(victim.run(file, "sample", parameters(wrong, out), {1}), file, Cause::invalid_handle);
    }
    victim.device->finding_log()->clear_findings();
    ASSERT_TRUE(victim.device->release(mine).ok());
    EXPECT_FALSE(victim.device->release(mine).ok());
    victim.expect_caught(victim.run(file, "use", parameters(mine, out), {1}), file, Cause::invalid_handle);
    const auto next = victim.device->textures()->make_texture(t).value();
    EXPECT_NE(next, mine) << "a handle is used again";
}

TEST_P(Attack, TexturesLargerThanTheirMemory) {
    warpwright::device::Texture t;
    t.surface = true;
    t.levels[0] = {victim.buffer(4096, 7), 64, 4096, 16, 65, 1};  // one row too many
    const auto out = victim.buffer(256, 0), handle = victim.device->textures()->make_texture(t).value();
    const std::string file = "forged_texture.ptx";
    victim.expect_caught(victim.run(file, "use", parameters(handle, out), {1}), file, Cause::invalid_handle);
    t.levels[0].pitch = ~std::uint64_t{0} / 2;
    EXPECT_FALSE(victim.device->textures()->make_texture(t).ok());
}

/// A map of 64 x 64 elements of 4 bytes, and boxes of 16 x 16.
std::vector<std::byte> tensor_map(Victim& victim, Address data) {
    warpwright::device::TensorMap m;
    m.address = data, m.type = "u32", m.size = {64, 64}, m.stride = {256}, m.box = {16, 16};
    const auto bytes = victim.device->tensor_maps()->encode_tensor_map(m).value();
    return {bytes.begin(), bytes.end()};
}

TEST_P(Attack, ForgedTensorMaps) {
    using Map = warpwright::engine::EncodedTensorMap;
    const std::string file = "forged_tensor_map.ptx";
    const auto before = victim.buffer(65536, 9), data = victim.buffer(64 * 64 * 4, 1), after = victim.buffer(65536, 9),
               map = victim.device->allocate(128).value();
    const auto good = tensor_map(victim, data);
    const auto try_map = [&](const std::vector<std::byte>& bytes, const char* entry) {
        EXPECT_TRUE(victim.device->write(map, bytes).ok());
        return victim.run(file, entry, parameters(map, 0u));
    };
    ASSERT_TRUE(try_map(good, "load").ok());
    ASSERT_TRUE(try_map(good, "store").ok());
    const struct {
        std::size_t offset, bytes;
        std::uint64_t value;
    } fields[] = {
        {offsetof(Map, magic), 8, 0},
        {offsetof(Map, box), 2, 0},
        {offsetof(Map, box), 2, 0xffff},
        {offsetof(Map, box), 2, 17},
        {offsetof(Map, box) + 2, 2, 0},
        {offsetof(Map, box) + 2, 2, 0xffff},
        {offsetof(Map, step), 1, 0},
        {offsetof(Map, step), 1, 255},
        {offsetof(Map, step) + 1, 1, 0},
        {offsetof(Map, rank), 1, 0},
        {offsetof(Map, rank), 1, 5},
        {offsetof(Map, rank), 1, 255},
        {offsetof(Map, type), 1, 255},
        {offsetof(Map, element_bytes), 1, 0},
        {offsetof(Map, element_bytes), 1, 255},
        {offsetof(Map, swizzle), 1, 3},
        {offsetof(Map, swizzle), 1, 255},
        {offsetof(Map, size), 8, 0},
        {offsetof(Map, size), 8, ~std::uint64_t{0}},
        {offsetof(Map, stride), 8, ~std::uint64_t{15}},
        {offsetof(Map, stride), 8, (std::uint64_t{1} << 40) - 16},
        {offsetof(Map, address), 8, 0x1000},
        {offsetof(Map, address), 8, ~std::uint64_t{15}},
    };
    for (const char* entry : {"load", "store"})
        for (const auto& f : fields) {
            auto bytes = good;
            std::memcpy(bytes.data() + f.offset, &f.value, f.bytes);
            victim.device->finding_log()->clear_findings();
            const auto r = try_map(bytes, entry);
            ASSERT_FALSE(r.ok()) << entry << ": field at " << f.offset << " = " << f.value;
            EXPECT_EQ(r.error().kind, ErrorKind::fault) << r.error().text();
            EXPECT_GT(r.error().where.line, 0u) << r.error().text();
        }
    // Whatever else stands there: what is not the map's stays as it is.
    std::mt19937_64 random(7);
    for (int round = 0; round < 60; ++round) {
        auto bytes = good;
        for (auto n = 1 + random() % 3; n; --n)
            bytes[16 + random() % (sizeof(Map) - 16)] = static_cast<std::byte>(random() >> 3);
        (void)try_map(bytes, round % 2 ? "load" : "store").ok();
    }
    EXPECT_TRUE(victim.is_all(before, 65536, 9));
    EXPECT_TRUE(victim.is_all(after, 65536, 9));
}

TEST_P(Attack, LocalAddressesThatWrap) {
    const std::string file = "wrapping_local.ptx";
    const struct {
        const char* entry;
        std::int64_t offset;
    } cases[] = {{"v4", -16},
                 {"v2", -8},
                 {"v2b64", -16},
                 {"b64", -8},
                 {"b32", -4},
                 {"b16", -2},
                 {"b8", -1},
                 {"v4", 56},
                 {"b64", 64},
                 {"b32", 1 << 24},
                 {"b8", std::int64_t{1} << 62},
                 {"atomic", -4}};
    for (const auto& c : cases)
        for (const std::uint32_t write : {0u, 1u}) {
            const auto out = victim.buffer(256, 0);
            victim.device->finding_log()->clear_findings();
            const auto r = victim.run(file, c.entry, parameters(out, c.offset, write));
            const auto unaligned = std::string(c.entry) == "v4" && c.offset == 56;
            // A generic address before local memory is another space's.
            victim.expect_caught(r, file, unaligned ? Cause::misaligned : Cause::out_of_bounds);
        }
}

TEST_P(Attack, MatrixRowsAtAddressesThatWrap) {
    const auto out = victim.buffer(256, 0);
    for (const std::int64_t offset : {-16ll, 256ll, 1ll << 32, -(1ll << 32), 0x7fffffff0ll}) {
        const auto r = victim.run("wrapping_local.ptx", "matrix", parameters(out, offset, 0u));
        ASSERT_FALSE(r.ok()) << offset;
        EXPECT_EQ(r.error().cause, Cause::out_of_bounds) << r.error().text();
        EXPECT_GT(r.error().where.line, 0u);
    }
}

TEST_P(Attack, CopiesQueuedByKernels) {
    const std::string file = "queued_work.ptx";
    const auto before = victim.buffer(65536, 9), data = victim.buffer(4096, 1), after = victim.buffer(65536, 9);
    for (const std::int64_t bytes : {-16ll, -1ll, 4097ll, -9223372036854775807ll}) {
        victim.device->finding_log()->clear_findings();
        victim.expect_caught(victim.run(file, "fill", parameters(data, bytes), {1}), file, Cause::out_of_bounds);
        victim.device->finding_log()->clear_findings();
        victim.expect_caught(victim.run(file, "copy", parameters(data, data + 16, bytes), {1}), file,
                             Cause::out_of_bounds);
    }
    EXPECT_TRUE(victim.is_all(before, 65536, 9));
    EXPECT_TRUE(victim.is_all(after, 65536, 9));
    // Endless planes at one place: refused.
    const auto out = victim.buffer(4, 0);
    ASSERT_TRUE(victim.run(file, "planes", parameters(data, 0ll, 1ll, 9000000000000000000ll, out), {1}).ok());
    EXPECT_EQ(victim.read(out, 1)[0], 1) << "cudaErrorInvalidValue";
    // And planes that leave the memory, or fill it for ever, end.
    victim.device->finding_log()->clear_findings();
    victim.expect_caught(victim.run(file, "planes", parameters(data, 1ll, 1ll, 9000000000000000000ll, out), {1}), file,
                         Cause::out_of_bounds);
}

TEST_P(Attack, StoresToWhatKernelsOnlyRead) {
    const std::string file = "read_only.ptx";
    const auto out = victim.buffer(256, 0);
    for (const std::uint32_t way : {0u, 1u, 2u}) {
        victim.device->finding_log()->clear_findings();
        victim.expect_caught(victim.run(file, "constant", parameters(out, way)), file, Cause::read_only);
    }
    victim.device->finding_log()->clear_findings();
    victim.expect_caught(victim.run(file, "parameter", parameters(out, 0u)), file, Cause::read_only);
    victim.device->finding_log()->clear_findings();
    victim.expect_caught(victim.run(file, "bulk", parameters(out, 0u), {1}), file, Cause::read_only);
}

TEST_P(Attack, PlacesBeyondTheParameters) {
    const auto out = victim.buffer(256, 1);
    const std::string text = Victim::text_of("parameters.ptx"), mark = "OFFSET";
    const auto with = [&](std::int64_t offset) {
        auto t = text;
        for (auto at = t.find(mark); at != std::string::npos; at = t.find(mark))
            t.replace(at, mark.size(), std::to_string(offset));
        return t;
    };
    // By an index: what is read is the parameters or the zeros behind them.
    const std::int64_t far[] = {0, 8184, 16384, -8, -(std::int64_t{1} << 20), std::int64_t{1} << 40};
    for (const auto offset : far)
        for (const auto index : far)
            for (const char* entry : {"varying", "same"}) {
                const auto r = victim.run_text("parameters.ptx", with(offset), entry, parameters(out, index));
                if (!r.ok()) continue;
                const auto got = victim.read(out, 256);
                for (std::size_t l = 0; l < 32; ++l) {
                    std::uint64_t word;
                    std::memcpy(&word, got.data() + 8 * l, 8);
                    EXPECT_TRUE(word == 0 || word == out || word == static_cast<std::uint64_t>(index))
                        << entry << " " << offset << " " << index << ": " << word;
                }
            }
    // By a constant: refused, with the place.
    for (const auto offset :
         {std::int64_t{16}, std::int64_t{4096}, std::int64_t{-8}, std::int64_t{1} << 33, -(std::int64_t{1} << 33)}) {
        const auto r = victim.run_text("k.ptx",
                                       ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 "
                                       "out, .param .u64 n)\n{\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\n"
                                       "ld.param.u64 %rd2, [out+" +
                                           std::to_string(offset) + "];\nst.global.u64 [%rd1], %rd2;\nret;\n}\n",
                                       "k", parameters(out, std::uint64_t{0}));
        ASSERT_FALSE(r.ok()) << offset;
        EXPECT_EQ(r.error().where.line, 8u) << r.error().text();
    }
}

TEST_P(Attack, FreeingWhatTheHostHasAllocated) {
    const auto mine = victim.buffer(256, 5);
    victim.expect_caught(victim.run("free.ptx", "given", parameters(mine), {1}), "free.ptx", Cause::invalid_free);
    EXPECT_TRUE(victim.is_all(mine, 256, 5));
    EXPECT_TRUE(victim.device->release(mine).ok());
    victim.device->finding_log()->clear_findings();
    EXPECT_TRUE(victim.run("free.ptx", "own", parameters(std::uint64_t{0}), {1}).ok());
}

TEST_P(Attack, BoundsThatAnotherSpanWasFoundIn) {
    const auto in = victim.buffer(4096, 1), next = victim.buffer(4096, 9), out = victim.buffer(256, 0);
    (void)next;
    const std::string file = "two_runs.ptx";
    EXPECT_TRUE(victim.run(file, "load", parameters(in, out, std::uint64_t{64})).ok());
    // The second time the last lanes of the second run lie behind the end.
    for (const std::uint64_t further : {4096ull - 192 + 4, 4096ull - 128 - 4, 4096ull - 68}) {
        victim.device->finding_log()->clear_findings();
        victim.expect_caught(victim.run(file, "load", parameters(in, out, further)), file, Cause::out_of_bounds);
    }
}

}  // namespace memory_test
