// Fat binaries: ours read back, packed ones, which PTX is taken, and every way in which one can be corrupt.
#include "compile/program/fatbin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>

#include "support/cause.hpp"

namespace warpwright::compile {
namespace fatbin_test {

using testing::HasSubstr;

const std::string kText = ".version 8.0\n.target sm_80\n.address_size 64\n" + std::string(500, ' ');

template <class T>
void put(std::string& to, std::size_t at, T value) {
    std::memcpy(to.data() + at, &value, sizeof value);
}

std::string entry(unsigned kind, unsigned arch, std::uint64_t flags, std::string payload, std::uint64_t unpacked) {
    const auto packed = static_cast<std::uint32_t>(payload.size());
    payload.resize((payload.size() + 7) / 8 * 8);
    std::string head(64, '\0');
    put<std::uint16_t>(head, 0, static_cast<std::uint16_t>(kind));
    put<std::uint32_t>(head, 4, 64);
    put<std::uint64_t>(head, 8, payload.size());
    put<std::uint32_t>(head, 16, flags ? packed : 0);
    put<std::uint32_t>(head, 28, arch);
    put<std::uint64_t>(head, 40, flags);
    put<std::uint64_t>(head, 56, unpacked);
    return head + payload;
}

std::string container(const std::string& entries) {
    std::string head(16, '\0');
    put<std::uint32_t>(head, 0, 0xba55ed50);
    put<std::uint16_t>(head, 4, 1);
    put<std::uint16_t>(head, 6, 16);
    put<std::uint64_t>(head, 8, entries.size());
    return head + entries;
}

Result<std::string> ptx(const std::string& bytes, unsigned cc = 90) {
    auto entries = read_fat_binary(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
    if (!entries) return entries.error();
    return ptx_of(*entries, cc);
}

TEST(FatBinary, OursReadsBack) {
    auto text = ptx(write_fat_binary(kText, 80));
    ASSERT_TRUE(text.ok()) << text.error().text();
    EXPECT_EQ(*text, kText);
}

TEST(FatBinary, UnpacksZstdAndLz4) {
    std::string z(ZSTD_compressBound(kText.size()), '\0');
    z.resize(ZSTD_compress(z.data(), z.size(), kText.data(), kText.size(), 3));
    std::string l(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(kText.size()))), '\0');
    l.resize(static_cast<std::size_t>(
        LZ4_compress_default(kText.data(), l.data(), static_cast<int>(kText.size()), static_cast<int>(l.size()))));
    for (auto [flags, payload] : {std::pair{0x8000u, z}, {0x2000u, l}}) {
        auto text = ptx(container(entry(1, 90, flags, payload, kText.size())));
        ASSERT_TRUE(text.ok()) << text.error().text();
        EXPECT_EQ(*text, kText);
        payload[payload.size() / 2] = static_cast<char>(payload[payload.size() / 2] ^ 0x55);
        payload.resize(payload.size() / 2);
        EXPECT_FALSE(ptx(container(entry(1, 90, flags, payload, kText.size()))).ok());
    }
}

TEST(FatBinary, TakesTheHighestPtxThatFits) {
    const auto some = [](unsigned arch) { return entry(1, arch, 0, kText + "// " + std::to_string(arch), 0); };
    const auto all = container(some(70) + some(90) + some(80) + some(100));
    EXPECT_THAT(*ptx(all, 90), HasSubstr("// 90"));
    EXPECT_THAT(*ptx(all, 86), HasSubstr("// 80"));
    EXPECT_THAT(*ptx(all, 75), HasSubstr("// 70"));
}

TEST(FatBinary, PtxForNewerDevicesIsRefused) {
    const auto all = container(entry(1, 120, 0, kText, 0) + entry(1, 100, 0, kText, 0) + entry(2, 86, 0, "code", 0));
    const auto text = ptx(all, 90);
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error().cause, Cause::no_ptx);
    EXPECT_THAT(text.error().what, HasSubstr("PTX for compute_100, compute_120"));
    EXPECT_THAT(text.error().what, HasSubstr("machine code for sm_86"));
    EXPECT_THAT(text.error().what, HasSubstr("compute capability 9.0"));
    EXPECT_TRUE(ptx(all, 103).ok());
}

TEST(FatBinary, PtxForOneArchitectureIsForThatOneAlone) {
    const auto text = [](const std::string& target) { return ".version 8.7\n.target " + target + "\n"; };
    const auto all = container(entry(1, 90, 0, text("sm_90a"), 0) + entry(1, 100, 0, text("sm_100f"), 0) +
                               entry(1, 80, 0, text("sm_80"), 0));
    EXPECT_THAT(*ptx(all, 90), HasSubstr("sm_90a"));
    EXPECT_THAT(*ptx(all, 100), HasSubstr("sm_100f"));
    EXPECT_THAT(*ptx(all, 103), HasSubstr("sm_100f"));
    EXPECT_THAT(*ptx(all, 120), HasSubstr("sm_80"));
    EXPECT_EQ(ptx_arch(text("sm_90a")), 90u);
    EXPECT_EQ(ptx_arch("no target"), 0u);
}

TEST(FatBinary, OursIsForEveryDeviceWhereItSaysSo) {
    EXPECT_FALSE(ptx(write_fat_binary(kText, 80), 30).ok());
    EXPECT_TRUE(ptx(write_fat_binary(kText, 80, true), 30).ok());
}

// Every byte of the headers changed in several ways: an error, or text that was there.
TEST(FatBinary, ChangedHeadersAreErrorsOrHarmless) {
    const auto whole = write_fat_binary(kText, 80);
    for (std::size_t k = 0; k < 80; ++k)
        for (int change = 1; change < 256; change *= 2) {
            auto bytes = whole;
            bytes[k] = static_cast<char>(bytes[k] ^ change);
            if (const auto text = ptx(bytes)) {
                EXPECT_LE(text->size(), whole.size()) << k;
            }
        }
}

// What is packed must agree with what the header says of it, before memory is taken for that.
TEST(FatBinary, SizesOfPackedTextAreNotBelieved) {
    std::string z(ZSTD_compressBound(kText.size()), '\0');
    z.resize(ZSTD_compress(z.data(), z.size(), kText.data(), kText.size(), 3));
    for (const unsigned flags : {0x8000u, 0x2000u}) {
        const auto text = ptx(container(entry(1, 90, flags, z, std::uint64_t{1} << 25)));
        ASSERT_FALSE(text.ok());
        EXPECT_THAT(text.error().what, HasSubstr("cannot be 33554432 bytes"));
    }
}

TEST(FatBinary, MachineCodeAloneIsSaid) {
    auto text = ptx(container(entry(2, 86, 0, "machine code", 0)));
    ASSERT_FALSE(text.ok());
    EXPECT_THAT(text.error().what, HasSubstr("sm_86"));
    EXPECT_THAT(text.error().hint, HasSubstr("compute_90"));
}

TEST(FatBinary, EveryTruncationIsAnError) {
    const auto whole = write_fat_binary(kText, 80);
    for (std::size_t n = 0; n < whole.size(); n += 7) {
        auto entries = read_fat_binary(reinterpret_cast<const std::byte*>(whole.data()), n);
        EXPECT_FALSE(entries.ok()) << n;
    }
}

TEST(FatBinary, WrongSizesAreErrors) {
    for (auto [at, value] : {std::pair<std::size_t, std::uint32_t>{0, 1},
                             {6, 0},
                             {16 + 4, 8},
                             {16 + 4, 0xffffff},
                             {16 + 12, 0x7fffffff}}) {
        auto bytes = write_fat_binary(kText, 80);
        if (at == 6)
            put<std::uint16_t>(bytes, at, 0);
        else
            put(bytes, at, value);
        EXPECT_FALSE(ptx(bytes).ok()) << at;
    }
}

}  // namespace fatbin_test
}  // namespace warpwright::compile
