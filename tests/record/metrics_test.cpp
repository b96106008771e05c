// What a count is, once: the rows of record/metrics.inc, the values derived from them, and the tables of the
// documentation, which WARPWRIGHT_UPDATE_GOLDEN=1 writes again.
#include "record/metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "common/made_text.hpp"

namespace warpwright::record {
namespace metrics_test {

using test::code;

TEST(Metrics, KeysAreDistinctAndFound) {
    std::set<std::string_view> keys;
    for (const CountName& name : count_names()) {
        EXPECT_TRUE(keys.insert(name.key).second) << name.key;
        EXPECT_EQ(find_metric(name.key), Metric(name.count));
        EXPECT_EQ(name.synonym_meaning.empty(), name.key == count_key(name.count));
    }
    for (unsigned i = 0; i < kDerived; ++i) {
        const auto derived = static_cast<Derived>(i);
        EXPECT_TRUE(keys.insert(info(derived).key).second) << info(derived).key;
        EXPECT_EQ(find_metric(info(derived).key), Metric(derived));
        EXPECT_FALSE(counts_in(derived).empty());
    }
    EXPECT_FALSE(find_metric("speed"));
}

TEST(Metrics, EachHasAUnitAndASentence) {
    const auto look = [](const MetricInfo& m) {
        EXPECT_FALSE(m.unit.empty()) << m.key;
        EXPECT_TRUE(m.meaning.ends_with('.')) << m.key;
    };
    for (unsigned i = 0; i < kCounts; ++i) look(info(static_cast<Count>(i)));
    for (unsigned i = 0; i < kDerived; ++i) look(info(static_cast<Derived>(i)));
    for (unsigned i = 0; i < kHardware; ++i) look(info(static_cast<Hardware>(i)));
}

/// Each count another number, so that no two sums are the same.
Counts numbered() {
    Counts c;
    for (unsigned i = 0; i < kCounts; ++i) c.values[i] = 1000 + (std::uint64_t{1} << (i % 20)) * (i + 1);
    return c;
}

TEST(Metrics, FormulasAreWhatTheySay) {
    const Counts c = numbered();
    EXPECT_EQ(total(c, Derived::global_sectors),
              c[Count::global_load_sectors] + c[Count::global_store_sectors] + c[Count::global_atomic_sectors]);
    EXPECT_EQ(total(c, Derived::global_bytes_moved), 32 * total(c, Derived::global_sectors));
    EXPECT_EQ(
        total(c, Derived::memory_requests),
        total(c, Derived::global_requests) + total(c, Derived::local_requests) + total(c, Derived::shared_requests));
    EXPECT_EQ(value(c, Derived::memory_sectors), static_cast<double>(total(c, Derived::memory_sectors)));
    const auto part = [&](Count count) { return static_cast<double>(c[count]); };
    EXPECT_EQ(value(c, Derived::global_load_sectors_per_request),
              part(Count::global_load_sectors) / part(Count::global_load_requests));
    EXPECT_EQ(value(c, Derived::lane_efficiency), part(Count::thread_instructions) / (32 * part(Count::instructions)));
    EXPECT_EQ(value(c, Derived::branch_efficiency), 1 - part(Count::divergent_branches) / part(Count::branches));
    EXPECT_EQ(value(c, Derived::flops_per_access), part(Count::flops) / (part(Count::global_bytes_requested) / 4));
    EXPECT_TRUE(is_sum(Derived::shared_wavefronts));
    EXPECT_FALSE(is_sum(Derived::branch_efficiency));
}

TEST(Metrics, NothingIsDividedByZero) {
    for (unsigned i = 0; i < kDerived; ++i) {
        const auto derived = static_cast<Derived>(i);
        EXPECT_EQ(value(Counts{}, derived).has_value(), is_sum(derived)) << info(derived).key;
    }
}

TEST(Metrics, CountsThatAreOneFactAreOneNumber) {
    Counts c;
    c[Count::shared_load_bank_conflicts] += 31;
    EXPECT_EQ(c[Count::shared_load_excess_wavefronts], 31u);
    c[Count::shared_atomic_bank_conflicts] += 5;
    EXPECT_EQ(total(c, Derived::shared_bank_conflicts), 36u);
    EXPECT_EQ(total(c, Derived::shared_excess_wavefronts), 31u) << "atomics take turns wherever their words lie";
}

TEST(Metrics, ARealGpusCountersHaveTheirNames) {
    EXPECT_EQ(hardware_name(Hardware::duration), "gpu__time_duration.sum");
    EXPECT_EQ(hardware_name(Hardware::dram_read), "dram__bytes_read.sum");
    EXPECT_NE(info(Hardware::dram_read).hardware.find(" dram__bytes_op_read.sum"), std::string_view::npos);
}

// The tables of the documentation.

/// Several names, each in back quotes.
std::string codes(std::string_view names) {
    std::istringstream in{std::string(names)};
    std::string out;
    for (std::string word; in >> word;) out += (out.empty() ? "" : " + ") + code(word);
    return out;
}

std::string count_table() {
    std::string out =
        "| key | unit | one is counted each time | Nsight Compute's counter | in nvprof |\n|---|---|---|---|---|\n";
    for (const CountName& name : count_names()) {
        const MetricInfo& m = info(name.count);
        const bool synonym = !name.synonym_meaning.empty();
        out += "| " + code(name.key) + " | " + std::string(m.unit) + " | " +
               (synonym ? "(" + code(m.key) + ") " + std::string(name.synonym_meaning) : std::string(m.meaning)) +
               " | " + (synonym ? "" : codes(m.hardware)) + " | " + (synonym ? "" : code(m.nvprof)) + " |\n";
    }
    return out;
}

std::string derived_table() {
    std::string out = "| key | unit | meaning | formula | Nsight Compute | nvprof |\n|---|---|---|---|---|---|\n";
    for (unsigned i = 0; i < kDerived; ++i) {
        const MetricInfo& m = info(static_cast<Derived>(i));
        out += "| " + code(m.key) + " | " + std::string(m.unit) + " | " + std::string(m.meaning) + " | " +
               code(m.formula) + " | " + code(m.hardware) + " | " + code(m.nvprof) + " |\n";
    }
    return out;
}

std::string hardware_table() {
    std::string out = "| Nsight Compute's counter | unit | meaning |\n|---|---|---|\n";
    for (unsigned i = 0; i < kHardware; ++i) {
        const MetricInfo& m = info(static_cast<Hardware>(i));
        std::string names = codes(m.hardware);
        if (const auto plus = names.find(" + "); plus != std::string::npos) names.replace(plus, 3, ", on some chips ");
        out += "| " + names + " | " + std::string(m.unit) + " | " + std::string(m.meaning) + " |\n";
    }
    return out;
}

/// The keys one after the other, in lines of at most 120 columns.
std::string key_list() {
    std::string out, line;
    for (std::size_t i = 0; i < count_names().size(); ++i) {
        const std::string word = code(count_names()[i].key) + (i + 1 < count_names().size() ? "," : ".");
        if (!line.empty() && line.size() + 1 + word.size() > 120) out += line + "\n", line.clear();
        line += (line.empty() ? "" : " ") + word;
    }
    return out + line + "\n";
}

TEST(Metrics, TheDocumentationHasTheseTables) {
    test::expect_made("counters.md", "record/metrics.inc: counts", count_table());
    test::expect_made("counters.md", "record/metrics.inc: derived", derived_table());
    test::expect_made("counters.md", "record/metrics.inc: hardware", hardware_table());
    test::expect_made("records.md", "record/metrics.inc: keys", key_list());
}

}  // namespace metrics_test
}  // namespace warpwright::record
