// Every instruction form on the emulated GPU against what an H200 computed (h200.golden.zst): bit for bit, or within
// the ISA's error for the approximations; on the native instructions of this CPU, and held to AVX2 and to plain x86-64.
// WARPWRIGHT_ORACLE_FORM=<part of a name> restricts the forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "agree.hpp"
#include "device/emulated/emulated.hpp"
#include "forms.hpp"
#include "ptx/parser.hpp"

namespace oracle_test {

using oracle::agrees;
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
                    const std::vector<std::uint64_t>& values, std::vector<std::uint64_t>& out) {
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
        if (const std::string error = runner.run(**module, form, i, oracle::inputs_of(form), ours); !error.empty()) {
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

/// A vector of inputs on which a form once gave another result than an H200.
struct Differed {
    const char* form;
    std::size_t result;
    std::uint64_t expected;
    std::vector<std::uint64_t> inputs;
};

TEST(OracleDiffered, vectors_that_once_differed_give_what_the_device_gave) {
    const std::vector<Differed> rows = {
#define X(form, result, expected, ...) {form, result, expected, {__VA_ARGS__}},
#include "differed.inc"
#undef X
    };
    ASSERT_GE(rows.size(), 35u);
    Runner runner("native");
    ASSERT_TRUE(runner.device);
    for (const Differed& row : rows) {
        const auto found =
            std::find_if(forms().begin(), forms().end(), [&](const Form& form) { return form.name == row.form; });
        ASSERT_NE(found, forms().end()) << row.form;
        Form form = *found;
        form.vectors = oracle::kBlock;
        ASSERT_EQ(row.inputs.size(), form.inputs.size()) << row.form;
        std::vector<std::uint64_t> values, ours;
        for (const std::uint64_t input : row.inputs) values.insert(values.end(), form.vectors, input);
        auto module = runner.device->load("differed.ptx", oracle::module_text({form}, 0, 1));
        ASSERT_TRUE(module) << row.form << ": " << module.error().text();
        ASSERT_EQ(runner.run(**module, form, 0, values, ours), "") << row.form;
        for (unsigned v = 0; v < form.vectors; ++v)
            ASSERT_TRUE(agrees(form, form.results[row.result], ours[row.result * form.vectors + v], row.expected))
                << row.form << ": 0x" << std::hex << ours[row.result * form.vectors + v] << ", the device gave 0x"
                << row.expected << ", inputs 0x" << row.inputs[0];
    }
}

TEST(OracleList, the_chunks_cover_every_form) { EXPECT_EQ((forms().size() + kChunk - 1) / kChunk, kMostChunks); }

TEST(OracleList, what_the_assembler_took_is_parsed) {
    for (std::size_t i = 0; i < forms().size(); ++i) {
        if (!golden().forms.at(i).accepted) continue;
        const auto module = warpwright::ptx::parse(oracle::module_text(forms(), i, 1), "form.ptx");
        EXPECT_TRUE(module.ok()) << forms()[i].name << ": " << module.error().text();
    }
}

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

}  // namespace oracle_test
