// Every function that the engine supplies to kernels, with numbers that are no addresses, sizes, streams or functions.
#include <string_view>

#include "security/hostile.hpp"

namespace calls_test {

using namespace security_tests;

struct Function {
    std::string name;
    unsigned inputs;
    std::string_view result;  ///< b32, b64 or none
};

const std::vector<Function>& functions() {
    static const std::vector<Function> all{
#define WW_DEVICE_CALL(name, inputs, result) {"__cudaCDP2" #name, inputs, #result},
#include "simt/device_calls.inc"
#undef WW_DEVICE_CALL
        {"vprintf", 2, "b32"}, {"__assertfail", 5, "none"}, {"malloc", 1, "b64"}, {"free", 1, "none"}};
    return all;
}

/// One thread calls it with its parameters.
std::string kernel_of(const Function& f) {
    const bool gives = f.result != "none";
    std::string declared, passed, names, parameters, loads;
    for (unsigned k = 0; k < f.inputs; ++k) {
        const auto n = std::to_string(k);
        declared += (k ? ", " : "") + std::string(".param .b64 p") + n;
        parameters += (k ? ", " : "") + std::string(".param .u64 a") + n;
        loads += "ld.param.u64 %rd" + std::to_string(k + 2) + ", [a" + n + "];\n";
        passed += ".param .b64 x" + n + "; st.param.b64 [x" + n + "], %rd" + std::to_string(k + 2) + ";\n";
        names += (k ? ", x" : "x") + n;
    }
    const std::string result = "." + std::string(gives ? f.result : "b32");
    return ".version 8.6\n.target sm_90a\n.address_size 64\n.extern .func " +
           (gives ? "(.param " + result + " r) " : std::string()) + f.name + " (" + declared +
           ");\n.visible .entry k(.param .u64 out" + (f.inputs ? ", " : "") + parameters +
           ")\n{\n.reg .b32 %r<4>; .reg .b64 %rd<24>;\nld.param.u64 %rd1, [out];\n" + loads + "{\n" + passed +
           (gives ? ".param " + result + " r;\n" : "") + "call.uni " + (gives ? "(r), " : "") + f.name + ", (" + names +
           ");\n" +
           (!gives              ? ""
            : f.result == "b64" ? "ld.param.b64 %rd20, [r]; st.global.u64 [%rd1], %rd20;\n"
                                : "ld.param.b32 %r1, [r]; st.global.u32 [%rd1], %r1;\n") +
           "}\nret;\n}\n";
}

using Calls = Attack;
INSTANTIATE_TEST_SUITE_P(Modes, Calls, all_modes(), mode_name);

TEST_P(Calls, WithWordsThatAreNone) {
    Surroundings around(victim);
    for (const auto& f : functions()) {
        const auto loaded = victim.device->load("k.ptx", kernel_of(f));
        ASSERT_TRUE(loaded.ok()) << f.name << ": " << loaded.error().text();
        LaunchConfig config;
        config.grid = config.block = {1};
        LaunchOptions options;
        options.timeout = std::chrono::milliseconds(500);
        const auto call = [&](const std::vector<std::uint64_t>& words) {
            std::vector<std::byte> with(8 * (1 + words.size()));
            const auto out = around.out();
            std::memcpy(with.data(), &out, 8);
            if (!words.empty()) std::memcpy(with.data() + 8, words.data(), 8 * words.size());
            const auto r = victim.device->launch(**loaded, "k", config, with, options);
            std::string all = f.name;
            for (const auto word : words) all += " " + std::to_string(word);
            if (r.ok()) return;
            EXPECT_TRUE(r.error().kind == ErrorKind::fault || r.error().kind == ErrorKind::limit)
                << all << ": " << r.error().text();
            EXPECT_NE(r.error().cause, Cause::none) << all << ": " << r.error().text();
        };
        if (f.inputs == 0) call({});
        // One word among others that may be right, and the same word everywhere.
        for (const auto word : around.words())
            for (const std::uint64_t others : {std::uint64_t{0}, std::uint64_t{1}, around.mine(), word}) {
                if (others == word) call(std::vector<std::uint64_t>(f.inputs, word));
                for (unsigned k = 0; others != word && k < f.inputs; ++k) {
                    std::vector<std::uint64_t> words(f.inputs, others);
                    words[k] = word;
                    call(words);
                }
            }
        around.expect_sound(f.name);
        victim.device->finding_log()->clear_findings();
    }
}

}  // namespace calls_test
