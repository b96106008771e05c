// Reads what tools/record_tensor.cpp wrote on an H200, and makes instructions of PTX text.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ptx/parser.hpp"
#include "simt/details.hpp"

namespace golden {

struct Record {
    unsigned words = 0;                       ///< output words a case
    std::vector<std::uint32_t> fingerprints;  ///< one a case
};
struct File {
    std::map<std::pair<std::string, unsigned>, Record> forms;  ///< by PTX spelling and sparsity selector
    std::map<std::string, std::vector<std::uint16_t>> maps;    ///< wmma.load: [element][lane] -> row * columns + column
    std::map<std::string, std::vector<std::uint32_t>> moves;   ///< ldmatrix and others: all the output
};

inline File read(const std::string& name) {
    File out;
    std::ifstream in(WARPWRIGHT_SOURCE_DIR "/tests/engine_tensor/" + name, std::ios::binary);
    const std::vector<char> data((std::istreambuf_iterator<char>(in)), {});
    std::size_t at = 0;
    const auto get = [&](void* to, std::size_t size) {
        if (at + size > data.size()) return false;
        std::memcpy(to, data.data() + at, size);
        at += size;
        return true;
    };
    std::uint32_t length = 0;
    while (get(&length, 4) && length < 1000) {
        std::string name(length, ' ');
        std::uint32_t head[3];  // selector or mark, cases, words
        if (!get(name.data(), length) || !get(head, 12)) break;
        if (head[0] == ~0u) {
            auto& map = out.maps[name];
            map.resize(std::size_t(head[1]) * 32);
            get(map.data(), map.size() * 2);
        } else if (head[0] == ~1u) {
            auto& words = out.moves[name];
            words.resize(head[2]);
            get(words.data(), words.size() * 4);
        } else {
            auto& record = out.forms[{name, head[0]}];
            record.words = head[2];
            record.fingerprints.resize(head[1]);
            get(record.fingerprints.data(), record.fingerprints.size() * 4);
        }
    }
    return out;
}
inline const File& file() {
    static const File f = read("h200.golden");
    return f;
}
inline const File& wgmma() {
    static const File f = read("h200_wgmma.golden");
    return f;
}

/// "{%p0, %p1, ...}"
inline std::string list(const std::string& prefix, unsigned count) {
    std::string s = "{";
    for (unsigned i = 0; i < count; ++i) s += (i ? ", %" : "%") + prefix + std::to_string(i);
    return s + "}";
}

/// Parses one instruction (with its operands) inside a kernel that declares %r<64>, %f<64>, %d<64> and %addr.
inline warpwright::Result<warpwright::simt::Details> instruction(const std::string& text) {
    const std::string module =
        ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n  .reg .b32 %r<128>;\n"
        "  .reg .f32 %f<128>;\n  .reg .f64 %d<64>;\n  .reg .b64 %addr;\n  .reg .b32 %e;\n  .reg .pred %p;\n  " +
        text + ";\n  ret;\n}\n";
    auto parsed = warpwright::ptx::parse(module, "test.ptx");
    if (!parsed) return parsed.error();
    return warpwright::simt::decode(parsed->functions.at(0).body.at(0));
}

}  // namespace golden
