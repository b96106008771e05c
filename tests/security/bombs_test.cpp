// Small files that become large ones: whatever is unpacked here has a bound, which is looked at before memory is taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lz4.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "arch/model.hpp"
#include "compile/program/fatbin.hpp"
#include "record/record.hpp"
#include "values/npy.hpp"
#include "values/png.hpp"

namespace bombs_test {

using namespace warpwright;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// The most memory that the process ever had at once, in bytes.
std::uint64_t most_memory() {
    std::ifstream status("/proc/self/status");
    const std::string key = "VmHWM:";
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(key)) return std::stoull(line.substr(key.size())) * 1024;
    return 0;
}

/// How much more memory a process had at once than at the beginning of `work`, in bytes. It is a child, whose most is
/// at first what it has.
template <class Work>
std::uint64_t growth(Work&& work) {
    int ends[2];
    if (::pipe(ends) != 0) return ADD_FAILURE() << "no pipe", ~std::uint64_t{0};
    const auto child = ::fork();
    if (child == 0) {
        const auto before = most_memory();
        work();
        const std::uint64_t grown = most_memory() - before;
        const bool told = before && ::write(ends[1], &grown, sizeof grown) == sizeof grown;
        ::_exit(told && !testing::Test::HasFailure() ? 0 : 1);
    }
    ::close(ends[1]);
    std::uint64_t grown = 0;
    const bool heard = ::read(ends[0], &grown, sizeof grown) == sizeof grown;
    ::close(ends[0]);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(heard && WIFEXITED(status) && WEXITSTATUS(status) == 0) << "what the child expected does not hold";
    return grown;
}

TEST(Bombs, GrowthIsSeen) {
    EXPECT_GT(growth([] { EXPECT_EQ(std::vector<char>(64 * kMiB, 1).back(), 1); }), 48 * kMiB);
    EXPECT_LT(growth([] {}), 8 * kMiB);
}

template <class T>
void put(std::string& to, std::size_t at, T value) {
    std::memcpy(to.data() + at, &value, sizeof value);
}

constexpr std::uint64_t kZstd = 0x8000, kLz4 = 0x2000;

/// A fat binary with one entry of packed PTX that says it has `unpacked` bytes.
std::string fat_binary(std::uint64_t flags, std::string payload, std::uint64_t unpacked) {
    const auto packed = static_cast<std::uint32_t>(payload.size());
    payload.resize((payload.size() + 7) / 8 * 8);
    std::string all(16 + 64, '\0');
    put<std::uint32_t>(all, 0, 0xba55ed50);
    put<std::uint16_t>(all, 4, 1), put<std::uint16_t>(all, 6, 16);
    put<std::uint64_t>(all, 8, 64 + payload.size());
    put<std::uint16_t>(all, 16, 1);
    put<std::uint32_t>(all, 20, 64);
    put<std::uint64_t>(all, 24, payload.size());
    put<std::uint32_t>(all, 32, packed);
    put<std::uint32_t>(all, 44, 90);
    put<std::uint64_t>(all, 56, flags);
    put<std::uint64_t>(all, 72, unpacked);
    return all + payload;
}

Result<std::string> ptx(const std::string& bytes) {
    auto entries = compile::read_fat_binary(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
    if (!entries) return entries.error();
    return compile::ptx_of(*entries, 90);
}

/// So many zeros, packed; `says`: the frame says how many.
std::string by_zstd(std::uint64_t bytes, bool says = true) {
    auto* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, says);
    if (says) ZSTD_CCtx_setPledgedSrcSize(context, bytes);
    const std::string zeros(kMiB, '\0');
    std::string out, piece(kMiB, '\0');
    for (std::uint64_t at = 0; at < bytes; at += kMiB) {
        ZSTD_inBuffer in{zeros.data(), std::min(kMiB, bytes - at), 0};
        const bool last = at + kMiB >= bytes;
        for (std::size_t left = 1; left != 0 && (last || in.pos < in.size);) {
            ZSTD_outBuffer to{piece.data(), piece.size(), 0};
            left = ZSTD_compressStream2(context, &to, &in, last ? ZSTD_e_end : ZSTD_e_continue);
            out.append(piece, 0, to.pos);
        }
    }
    ZSTD_freeCCtx(context);
    return out;
}

void is_refused(const std::string& bytes) {
    const auto grown = growth([&] { EXPECT_FALSE(ptx(bytes).ok()); });
    EXPECT_LT(grown, 16 * kMiB);
}

TEST(Bombs, CodeOfOneGiB) {
    const auto packed = by_zstd(1024 * kMiB);
    EXPECT_LT(packed.size(), kMiB);
    is_refused(fat_binary(kZstd, packed, 1024 * kMiB));
    is_refused(fat_binary(kZstd, by_zstd(65 * kMiB), 65 * kMiB));
}

TEST(Bombs, CodeThatMayBeSoLong) {
    const auto bytes = fat_binary(kZstd, by_zstd(32 * kMiB), 32 * kMiB);
    EXPECT_LT(growth([&] { (void)ptx(bytes); }), 256 * kMiB);
}

TEST(Bombs, FramesThatSayLessThanTheyHave) {
    is_refused(fat_binary(kZstd, by_zstd(512 * kMiB, false), 1000));
    is_refused(fat_binary(kZstd, by_zstd(512 * kMiB, false), 64 * kMiB));
    // The first frame is as long as it says; another follows it.
    is_refused(fat_binary(kZstd, by_zstd(1000) + by_zstd(512 * kMiB), 1000));
}

TEST(Bombs, CodeByLz4) {
    const std::string zeros(64 * kMiB, '\0');
    std::string packed(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(zeros.size()))), '\0');
    packed.resize(static_cast<std::size_t>(LZ4_compress_default(
        zeros.data(), packed.data(), static_cast<int>(zeros.size()), static_cast<int>(packed.size()))));
    is_refused(fat_binary(kLz4, packed, 1000));
    is_refused(fat_binary(kLz4, packed, 65 * kMiB));
    is_refused(fat_binary(kLz4, packed.substr(0, 1000), 64 * kMiB));
}

std::string big_endian(std::uint32_t value) {
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
    return out;
}

std::string chunk(const std::string& kind, const std::string& data) {
    const std::string all = kind + data;
    const auto sum = ::crc32(0, reinterpret_cast<const Bytef*>(all.data()), static_cast<uInt>(all.size()));
    return big_endian(static_cast<std::uint32_t>(data.size())) + all + big_endian(static_cast<std::uint32_t>(sum));
}

/// So many zeros, by deflate.
std::string deflated(std::size_t bytes) {
    const std::string zeros(bytes, '\0');
    uLongf size = ::compressBound(zeros.size());
    std::string out(size, '\0');
    EXPECT_EQ(::compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(zeros.data()),
                          zeros.size(), 9),
              Z_OK);
    out.resize(size);
    return out;
}

/// A grey picture of one bit per pixel.
std::string png(std::uint32_t width, std::uint32_t height, const std::string& more, const std::string& pixels) {
    return "\x89PNG\r\n\x1a\n" +
           chunk("IHDR", big_endian(width) + big_endian(height) + std::string("\x01\x00\x00\x00\x00", 5)) + more +
           chunk("IDAT", pixels) + chunk("IEND", "");
}

TEST(Bombs, PicturesLargerThanTheirBytes) {
    const auto few = deflated(1000);
    for (const auto& [width, height] : {std::pair{65535u, 65535u}, {1u << 30, 1u}, {1u << 14, 1u << 14}}) {
        const auto bytes = png(width, height, "", few);
        EXPECT_LT(growth([&] { EXPECT_FALSE(values::parse_png(bytes, "x.png").ok()); }), 16 * kMiB);
    }
}

TEST(Bombs, PicturesWithTextsAndProfilesOfGigabytes) {
    const auto packed = deflated(64 * kMiB);
    const auto pixels = deflated(8 * 2);
    const std::string key("Comment\0\0", 9);
    for (const char* kind : {"zTXt", "iCCP"}) {
        const auto bytes = png(8, 8, chunk(kind, key + packed), pixels);
        const auto grown = growth([&] {
            const auto picture = values::parse_png(bytes, "x.png");
            if (picture) EXPECT_EQ(picture->values.size(), 64u);
        });
        EXPECT_LT(grown, 32 * kMiB) << kind;
    }
}

TEST(Bombs, ArraysLargerThanTheirBytes) {
    for (const char* shape : {"(1099511627776,)", "(4294967295, 4294967295, 4294967295)", "(18446744073709551615,)"}) {
        std::string head = std::string("{'descr': '<f4', 'fortran_order': False, 'shape': ") + shape + ", }";
        head.resize(118, ' ');
        head.back() = '\n';
        const std::string bytes = std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + head + "abcd";
        EXPECT_LT(growth([&] { EXPECT_FALSE(values::parse_npy(std::as_bytes(std::span(bytes)), "x.npy").ok()); }),
                  16 * kMiB)
            << shape;
    }
}

TEST(Bombs, TextsNestedWithoutEnd) {
    const std::string open(kMiB, '['), objects = [] {
        std::string out;
        for (int k = 0; k < 200000; ++k) out += "{\"a\":";
        return out;
    }();
    for (const auto& text : {open, objects})
        EXPECT_LT(growth([&] { EXPECT_FALSE(record::from_json(text, "x.json").ok()); }), 256 * kMiB);
    EXPECT_LT(growth([&] { EXPECT_FALSE(arch::parse_model("a = " + open, "x.toml").ok()); }), 64 * kMiB);
}

}  // namespace bombs_test
