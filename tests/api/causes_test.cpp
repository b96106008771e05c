// Planted defects, each with a mended twin: the first cause of the one is the defect, and the other does not have it.
// A file of tests/api/causes has both. Its first comment names the cause; a comment of words and numbers ("block 64;
// planted_grid 2") tells shapes other than 256 threads and a grid of one thread for each of `n` numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "warpwright/matchers.hpp"
#include "warpwright/profile.hpp"

namespace warpwright {
namespace causes_test {

namespace fs = std::filesystem;

constexpr std::uint32_t kNumbers = 1 << 18, kMultiprocessors = 132;

struct Planted {
    std::string name, text, cause;
    std::map<std::string, std::string> shapes;

    /// "sms", "2*sms", "sms+1" or a number.
    std::uint32_t number(const std::string& key, std::uint32_t otherwise) const {
        const auto at = shapes.find(key);
        if (at == shapes.end()) return otherwise;
        std::string text = at->second;
        const bool twice = text == "2*sms", more = text == "sms+1";
        if (twice || more || text == "sms") return kMultiprocessors * (twice ? 2 : 1) + (more ? 1 : 0);
        return static_cast<std::uint32_t>(std::stoul(text));
    }
    std::uint32_t of(const std::string& which, const std::string& key, std::uint32_t otherwise) const {
        return number(which + "_" + key, number(key, otherwise));
    }
};

Planted read(const fs::path& file) {
    Planted out;
    out.name = file.stem().string();
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        out.text += line + "\n";
        if (!line.starts_with("// ")) continue;
        if (out.cause.empty()) {
            out.cause = line.substr(3, line.find(':') - 3);
            continue;
        }
        std::istringstream parts(line.substr(3));
        for (std::string part; std::getline(parts, part, ';');) {
            std::istringstream words(part);
            std::string key, value;
            words >> key >> value;
            out.shapes[key] = value;
        }
    }
    return out;
}

std::vector<Planted> all() {
    std::vector<Planted> out;
    for (const auto& entry : fs::directory_iterator(fs::path(WARPWRIGHT_SOURCE_DIR) / "tests/api/causes"))
        out.push_back(read(entry.path()));
    std::ranges::sort(out, {}, &Planted::name);
    return out;
}

std::string shown(const Profile& p) {
    std::ostringstream out;
    if (!p.predicted) return "no predicted time";
    for (const record::Bottleneck& b : p.predicted->causes)
        out << "\n    " << b.cause << " " << b.share << " line " << b.line << ": " << evidence_english(b) << " -> "
            << b.way;
    out << "\n    " << p.predicted->seconds * 1e6 << " us; peaks";
    for (const auto& [name, use] : p.predicted->peaks) out << " " << name << " " << use;
    out << "; stalls";
    for (const auto& [name, cycles] : p.predicted->stalls)
        if (cycles > 0.2) out << " " << name << " " << cycles;
    return out.str();
}

/// One device with the buffers of all of them.
class Bench {
public:
    Bench() : device_(Device::open({.model = "h200"})) {
        EXPECT_TRUE(device_) << device_.error().text();
        std::vector<float> numbers(kNumbers * 33);
        std::uint32_t s = 1;
        for (float& x : numbers) s = s * 1664525u + 1013904223u, x = static_cast<float>(s >> 8) / 16777216.0f;
        in_ = *device_->upload<float>(numbers);
        out_ = *device_->allocate(std::uint64_t{kNumbers} * 36);
        EXPECT_TRUE(device_->write(out_, std::vector<std::byte>(out_.bytes)));
    }
    Profile run(const Planted& p, const std::string& which) {
        const Program* const program = compiled(p);
        if (!program) return {};
        const auto block = p.of(which, "block", 256), grid = p.of(which, "grid", kNumbers / block);
        LaunchOptions options;
        options.dynamic_shared = p.number("shared", 0);
        auto seen = take_profile(*device_, *program, which + "_" + p.name, {grid}, {block},
                                 {out_, in_, static_cast<std::int32_t>(kNumbers)}, options);
        EXPECT_TRUE(seen) << seen.error().text();
        return seen ? *seen : Profile{};
    }

private:
    /// The kernels of one file; a test that is a process of its own compiles no other's.
    const Program* compiled(const Planted& p) {
        auto& program = programs_[p.name];
        if (program) return &*program;
        auto made = device_->compile_text(p.name + ".cu", p.text);
        EXPECT_TRUE(made) << made.error().text();
        if (made) program = *made;
        return program ? &*program : nullptr;
    }

    Result<Device> device_;
    std::map<std::string, std::optional<Program>> programs_;
    Buffer in_, out_;
};

class Causes : public testing::TestWithParam<Planted> {};

TEST_P(Causes, first_is_what_was_planted_and_the_mended_twin_does_not_have_it) {
    static Bench bench;
    const Planted& p = GetParam();
    const Profile planted = bench.run(p, "planted"), mended = bench.run(p, "mended");
    if (std::getenv("WARPWRIGHT_SHOW_CAUSES"))
        std::puts((p.name + shown(planted) + "\n  mended" + shown(mended)).c_str());
    ASSERT_TRUE(planted.predicted && !planted.predicted->causes.empty());
    const record::Bottleneck& first = planted.predicted->causes.front();
    EXPECT_EQ(first.cause, p.cause) << shown(planted);
    EXPECT_GE(first.share, record::kLeastShare);
    EXPECT_THAT(evidence_english(first), testing::Not(testing::HasSubstr("["))) << "an argument of the text is missing";
    EXPECT_THAT(mended, matchers::IsNotHeldBackBy(p.cause)) << shown(mended);
}

/// For messages.
void PrintTo(const Planted& p, std::ostream* out) { *out << p.name; }

INSTANTIATE_TEST_SUITE_P(Planted, Causes, testing::ValuesIn(all()), [](const auto& info) { return info.param.name; });

}  // namespace causes_test
}  // namespace warpwright
