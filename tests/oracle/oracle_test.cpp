// Every instruction form on the emulated GPU against what an H200 computed (h200.golden.zst): bit for bit, or within
// the ISA's error for the approximations; on the native instructions of this CPU, and held to AVX2 and to plain x86-64.
// WARPWRIGHT_ORACLE_FORM=<part of a name> restricts the forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sstream>

#include "device/device.hpp"
#include "forms.hpp"

namespace {

using oracle::Check;
using oracle::Form;

constexpr std::size_t kChunk = 48;

const std::vector<Form>& forms() {
    static const std::vector<Form> all = oracle::all_forms();
    return all;
}

const oracle::Golden& golden() {
    static const oracle::Golden data = [] {
        oracle::Golden g;
        std::string error;
        if (!oracle::read_golden(WARPWRIGHT_SOURCE_DIR "/tests/oracle/h200.golden.zst", g, forms(), error)) {
            ADD_FAILURE() << error;
            g.forms.clear();
        }
        return g;
    }();
    return data;
}

double half_value(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31) return fraction ? std::nan("") : sign * std::numeric_limits<double>::infinity();
    return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

struct Number {
    double value;
    double smallest;  ///< of its type, above zero
};

/// The numbers in a result of a floating-point letter; two for the paired types.
std::vector<Number> numbers(char letter, std::uint64_t bits) {
    const auto low = static_cast<std::uint16_t>(bits), high = static_cast<std::uint16_t>(bits >> 16);
    const auto brain = [](std::uint16_t b) { return double{std::bit_cast<float>(std::uint32_t{b} << 16)}; };
    const double half_least = std::ldexp(1, -24), brain_least = std::ldexp(1, -133);
    switch (letter) {
        case 'd':
            return {{std::bit_cast<double>(bits), 5e-324}};
        case 'e':
            return {{half_value(low), half_least}};
        case 'x':
            return {{half_value(low), half_least}, {half_value(high), half_least}};
        case 'g':
            return {{brain(low), brain_least}};
        case 'y':
            return {{brain(low), brain_least}, {brain(high), brain_least}};
        default:
            return {{std::bit_cast<float>(static_cast<std::uint32_t>(bits)), std::ldexp(1, -149)}};
    }
}

bool close(const Form& form, const Number& ours, const Number& theirs) {
    const double a = ours.value, b = theirs.value;
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (std::isinf(a) || std::isinf(b)) return a == b;
    // The recorded value has the error that the ISA allows, and so may ours.
    const double allowed = 2 * form.tolerance, error = std::fabs(a - b);
    const bool relative = error <= allowed * std::fabs(b) + ours.smallest, absolute = error <= allowed;
    if (form.check == Check::relative) return relative;
    if (form.check == Check::absolute) return absolute;
    return relative || absolute;
}

bool agrees(const Form& form, char letter, std::uint64_t ours, std::uint64_t theirs) {
    if (form.check == Check::exact || ours == theirs) return ours == theirs;
    const auto a = numbers(letter, ours), b = numbers(letter, theirs);
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!close(form, a[i], b[i])) return false;
    return true;
}

struct Runner {
    std::unique_ptr<warpwright::device::Device> device;
    warpwright::device::Address inputs = 0, results = 0, scratch = 0;

    explicit Runner(const std::string& cpu) {
        warpwright::device::EmulatedOptions options;
        options.cpu = cpu;
        options.threads = 1;
        auto made = warpwright::device::make_emulated(options);
        if (!made) {
            ADD_FAILURE() << made.error().text();
            return;
        }
        device = std::move(*made);
        for (auto* address : {&inputs, &results, &scratch}) *address = device->allocate(1 << 17).value();
    }

    /// Empty, or what went wrong.
    std::string run(warpwright::device::Module& module, const Form& form, std::size_t index,
                    std::vector<std::uint64_t>& out) {
        const auto values = oracle::inputs_of(form);
        out.assign(std::size_t{form.vectors} * form.results.size(), 0);
        if (auto r = device->write(inputs, std::as_bytes(std::span(values))); !r) return r.error().text();
        if (auto r = device->fill(results, 0xAB, out.size() * 8); !r) return r.error().text();
        std::array<std::byte, 28> block;
        std::memcpy(block.data(), &inputs, 8);
        std::memcpy(block.data() + 8, &results, 8);
        std::memcpy(block.data() + 16, &scratch, 8);
        std::memcpy(block.data() + 24, &form.vectors, 4);
        warpwright::device::LaunchConfig config;
        config.grid.x = form.vectors / oracle::kBlock;
        config.block.x = oracle::kBlock;
        warpwright::device::LaunchOptions options;
        options.counters = false;
        options.timeout = std::chrono::seconds(20);
        auto launched = device->launch(module, "form_" + std::to_string(index), config, block, options);
        if (!launched) return launched.error().text();
        if (auto r = device->read(std::as_writable_bytes(std::span(out)), results); !r) return r.error().text();
        return "";
    }
};

std::string differences(const Form& form, const std::vector<std::uint64_t>& ours,
                        const std::vector<std::uint64_t>& theirs, unsigned& wrong) {
    const auto values = oracle::inputs_of(form);
    std::ostringstream text;
    wrong = 0;
    for (unsigned v = 0; v < form.vectors; ++v)
        for (std::size_t k = 0; k < form.results.size(); ++k) {
            const std::size_t at = k * form.vectors + v;
            if (agrees(form, form.results[k], ours[at], theirs[at])) continue;
            if (++wrong > 4) continue;
            text << "\n    vector " << v << ", result " << k << ": " << std::hex << "0x" << ours[at] << ", recorded 0x"
                 << theirs[at] << ", inputs";
            for (std::size_t j = 0; j < form.inputs.size(); ++j) text << " 0x" << values[j * form.vectors + v];
            text << std::dec;
        }
    return text.str();
}

class Oracle : public testing::TestWithParam<std::tuple<const char*, std::size_t>> {};

TEST_P(Oracle, forms_match_the_recorded_device) {
    const auto [cpu, chunk] = GetParam();
    ASSERT_EQ(golden().forms.size(), forms().size());
    const char* only = std::getenv("WARPWRIGHT_ORACLE_FORM");
    Runner runner(cpu);
    ASSERT_TRUE(runner.device);
    const std::size_t first = chunk * kChunk, last = std::min(first + kChunk, forms().size());
    for (std::size_t i = first; i < last; ++i) {
        const Form& form = forms()[i];
        if (!golden().forms[i].accepted || (only && form.name.find(only) == std::string::npos)) continue;
        auto module = runner.device->load("form_" + std::to_string(i) + ".ptx", oracle::module_text(forms(), i, 1));
        if (!module) {
            ADD_FAILURE() << form.name << ": " << module.error().text();
            continue;
        }
        std::vector<std::uint64_t> ours;
        if (const std::string error = runner.run(**module, form, i, ours); !error.empty()) {
            ADD_FAILURE() << form.name << ": " << error;
            continue;
        }
        unsigned wrong = 0;
        const std::string text = differences(form, ours, golden().forms[i].results, wrong);
        EXPECT_EQ(wrong, 0u) << form.name << " (of " << form.vectors << ")" << text;
    }
}

constexpr std::size_t kMostChunks = 46;

INSTANTIATE_TEST_SUITE_P(native, Oracle,
                         testing::Combine(testing::Values("native"), testing::Range<std::size_t>(0, kMostChunks)),
                         [](const auto& info) { return std::to_string(std::get<1>(info.param)); });
#if defined(__x86_64__)
INSTANTIATE_TEST_SUITE_P(avx2, Oracle,
                         testing::Combine(testing::Values("avx2"), testing::Range<std::size_t>(0, kMostChunks)),
                         [](const auto& info) { return std::to_string(std::get<1>(info.param)); });
INSTANTIATE_TEST_SUITE_P(sse2, Oracle,
                         testing::Combine(testing::Values("x86-64"), testing::Range<std::size_t>(0, kMostChunks)),
                         [](const auto& info) { return std::to_string(std::get<1>(info.param)); });
#endif

TEST(OracleList, the_chunks_cover_every_form) { EXPECT_EQ((forms().size() + kChunk - 1) / kChunk, kMostChunks); }

TEST(OracleList, names_are_unique) {
    std::vector<std::string> names;
    for (const Form& form : forms()) names.push_back(form.name);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(OracleList, what_the_assembler_rejected_is_known) {
    // Spellings that the ISA describes and the assembler for this target does not take: kept in the list, not dropped.
    unsigned rejected = 0;
    for (const auto& form : golden().forms) rejected += !form.accepted;
    EXPECT_EQ(rejected, 53u);
    EXPECT_NE(golden().device.find("H200"), std::string::npos);
}

}  // namespace
