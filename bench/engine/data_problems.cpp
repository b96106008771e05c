// Problems of whole numbers: scan, hash table, histogram, sort, divergent and long kernels.
#include <algorithm>

#include "plain.hpp"
#include "problem_parts.hpp"

namespace warpwright::bench {
namespace {

Problem scan(int n) {
    const auto blocks = static_cast<std::uint32_t>(n / 256), outer = blocks / 256;
    Problem p;
    p.source = "scan";
    p.buffers = {to_bytes(random_words(n, 20, 1000)),
                 Bytes(static_cast<std::size_t>(n) * 4, kPoison),
                 Bytes(blocks * 4, kPoison),
                 Bytes(blocks * 4, kPoison),
                 Bytes(256 * 4, std::byte{0}),
                 Bytes(256 * 4, kPoison),
                 Bytes(4, kPoison)};
    p.output = 1;
    // The totals of blocks are summed in turn, and so are theirs.
    p.steps = {{"scan", {blocks, 1, 1}, {256, 1, 1}, {BufferIndex{0}, BufferIndex{1}, BufferIndex{2}}},
               {"scan", {outer, 1, 1}, {256, 1, 1}, {BufferIndex{2}, BufferIndex{3}, BufferIndex{4}}},
               {"scan", {1, 1, 1}, {256, 1, 1}, {BufferIndex{4}, BufferIndex{5}, BufferIndex{6}}},
               {"scan_add", {outer, 1, 1}, {256, 1, 1}, {BufferIndex{3}, BufferIndex{5}}},
               {"scan_add", {blocks, 1, 1}, {256, 1, 1}, {BufferIndex{1}, BufferIndex{3}}}};
    p.plain = [n](std::vector<Bytes>& m) { plain_scan(as<std::int32_t>(m[0]), as<std::int32_t>(m[1]), n); };
    p.work.operations = 9.0 * n;
    p.work.words = 26.0 * n;
    p.work.bytes = 16.0 * n;
    check_exactly(p);
    return p;
}

Problem hash_insert(int keys, int slots) {
    auto drawn = random_words(keys, 21);
    for (auto& key : drawn) key |= 1;
    Problem p;
    p.source = "hash_insert";
    p.buffers = {to_bytes(drawn), Bytes(static_cast<std::size_t>(slots) * 4, std::byte{0})};
    p.output = 1;
    p.steps = {{"hash_insert",
                {static_cast<std::uint32_t>(keys / 256), 1, 1},
                {256, 1, 1},
                {BufferIndex{0}, BufferIndex{1}, slots}}};
    p.plain = [=](std::vector<Bytes>& m) {
        plain_hash_insert(as<std::uint32_t>(m[0]), as<std::uint32_t>(m[1]), keys, slots);
    };
    p.work.global_atomics = keys * 1.5;  // a table half full: linear probing looks at one and a half slots
    p.work.table = 4.0 * slots;
    // Where a key lies depends on who came first.
    std::sort(drawn.begin(), drawn.end());
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
    p.check = [want = std::move(drawn)](std::span<const std::byte> got) -> std::string {
        std::vector<std::uint32_t> found;
        for (std::size_t i = 0; i < got.size() / 4; ++i)
            if (const auto key = element<std::uint32_t>(got, i)) found.push_back(key);
        std::sort(found.begin(), found.end());
        return found == want ? "" : "the table has other keys than were inserted";
    };
    return p;
}

Problem histogram_global(int n, std::uint32_t bins) {
    Problem p;
    p.source = "histogram_global";
    p.buffers = {to_bytes(random_words(n, 22, bins)), Bytes(std::size_t{bins} * 4, std::byte{0})};
    p.output = 1;
    p.steps = {{"histogram_global", {256, 1, 1}, {256, 1, 1}, {BufferIndex{0}, BufferIndex{1}, n}}};
    p.plain = [=](std::vector<Bytes>& m) {
        plain_histogram(as<std::uint32_t>(m[0]), as<std::uint32_t>(m[1]), n, static_cast<int>(bins));
    };
    p.work.global_atomics = n;
    p.work.table = 4.0 * bins;
    check_exactly(p);
    return p;
}

Problem sort(int n) {
    const auto tiles = static_cast<std::uint32_t>(n / 1024);
    Problem p;
    p.source = "sort";
    p.buffers = {to_bytes(random_words(n, 23))};
    p.output = 0;
    p.steps = {{"sort_tile", {tiles, 1, 1}, {512, 1, 1}, {BufferIndex{0}, 2, 1024}}};
    double steps = 55;
    for (int merge = 2048; merge <= n; merge *= 2) {
        for (int distance = merge / 2; distance >= 1024; distance /= 2, ++steps)
            p.steps.push_back({"sort_step", {tiles, 1, 1}, {512, 1, 1}, {BufferIndex{0}, merge, distance}});
        p.steps.push_back({"sort_tile", {tiles, 1, 1}, {512, 1, 1}, {BufferIndex{0}, merge, merge}});
        steps += 10;
    }
    p.plain = [n](std::vector<Bytes>& m) { plain_sort(as<std::uint32_t>(m[0]), n); };
    p.work.operations = steps * n / 2 * 3;
    p.work.words = steps * n / 2 * 4;
    check_exactly(p);
    return p;
}

/// A kernel with a thread for each of n words, which reads one and writes one.
Problem word_for_word(const char* kernel, int n, unsigned seed,
                      void (*plain)(const std::uint32_t* in, std::uint32_t* out, int n), double operations_each) {
    Problem p;
    p.source = kernel;
    p.buffers = {to_bytes(random_words(n, seed)), Bytes(static_cast<std::size_t>(n) * 4, kPoison)};
    p.output = 1;
    p.steps = {{kernel, {static_cast<std::uint32_t>(n / 256), 1, 1}, {256, 1, 1}, {BufferIndex{0}, BufferIndex{1}}}};
    p.plain = [n, plain](std::vector<Bytes>& m) { plain(as<std::uint32_t>(m[0]), as<std::uint32_t>(m[1]), n); };
    p.work.operations = operations_each * n;
    check_exactly(p);
    return p;
}

Problem eight_ways(int n) {
    // Of active lanes: rounds and operations of the mean way.
    return word_for_word("eight_ways", n, 24, plain_eight_ways, 36 * 2.5);
}

Problem long_kernel(int n) { return word_for_word("long_kernel", n, 25, plain_long, 144 * 11 + 16 * 4.0); }

}  // namespace

bool make_data_problem(const std::string& name, Problem& problem) {
    int n = 0;
    if (is_power(name, "scan of 2^%d", n))
        problem = scan(n);
    else if (is_power(name, "hash insert 2^%d", n))
        problem = hash_insert(n, 2 * n);
    else if (name == "histogram, global")
        problem = histogram_global(1 << 20, 1 << 14);
    else if (is_power(name, "sort of 2^%d", n))
        problem = sort(n);
    else if (is_power(name, "eight ways 2^%d", n))
        problem = eight_ways(n);
    else if (name == "2000 instructions")
        problem = long_kernel(1 << 18);
    else if (is_power(name, "2000 instructions 2^%d", n))
        problem = long_kernel(n);
    else
        return false;
    return true;
}

}  // namespace warpwright::bench
