// Every load, store and atomic of spellings.txt moves the right bytes: each stands in a kernel where every thread has
// 32 bytes of known content in each state space; what it read, and what the 32 bytes are afterwards, is compared with
// what its suffixes say. Two warps, the second with lanes missing. (Arithmetic is compared with a GPU's in
// tests/oracle.)
#include <array>
#include <bit>
#include <cmath>
#include <span>

#include "../device/support.hpp"
#include "kernel_text.hpp"

namespace memory_test {

using namespace coverage_tests;
using device_tests::Gpu;

constexpr unsigned kLanes = 40, kRegion = 32,
                   kSlot = 64;  ///< kSlot: the region afterwards, then four values of 8 bytes
constexpr std::size_t kInAKernel = 32;
using Region = std::array<std::uint8_t, kRegion>;

struct Words {
    std::vector<std::string> all;
    bool has(const std::string& w) const { return std::find(all.begin(), all.end(), w) != all.end(); }
};
Words words_of(const std::string& text) {
    Words w;
    std::istringstream in(text);
    for (std::string one; std::getline(in, one, '.');) w.all.push_back(one);
    return w;
}

struct Type {
    char kind;  ///< u, s, b, f
    unsigned bytes;
    std::string name;
};

/// One line of the list, taken apart.
struct Access {
    std::string text, op, space, operation;
    Type type;
    unsigned count;
};

Access access_of(const std::string& text) {
    const auto w = words_of(text);
    Access a{text, w.all[0], "generic", "", {}, w.has("v2") ? 2u : w.has("v4") ? 4u : 1u};
    const auto& t = w.all.back();
    a.type = {t[0], static_cast<unsigned>(std::stoul(t.substr(1))) / 8, t};
    for (const auto* s : {"global", "shared", "local", "const", "param"})
        if (w.has(s)) a.space = s;
    for (const auto* o : {"add", "and", "or", "xor", "min", "max", "inc", "dec", "exch", "cas"})
        if (w.has(o)) a.operation = o;
    return a;
}

std::string register_of(const Type& t, unsigned n) {
    const auto number = std::to_string(n);
    if (t.bytes <= 2) return "%h" + number;
    if (t.kind == 'f') return (t.bytes == 4 ? "%f" : "%d") + number;
    return (t.bytes == 4 ? "%r" : "%rd") + number;
}
std::string list_of(const Access& a, unsigned from) {
    if (a.count == 1) return register_of(a.type, from);
    std::string s = "{";
    for (unsigned k = 0; k < a.count; ++k) s += (k ? ", " : "") + register_of(a.type, from + k);
    return s + "}";
}

/// The content of thread t's region before the access; thread 0's is also in constant and parameter memory. Atomics
/// work on small numbers of their type (at 0; the operands at 8 and 16), so that sums of floats are exact and no NaN
/// appears.
template <class T>
void put(Region& r, unsigned at, T x) {
    std::memcpy(r.data() + at, &x, sizeof x);
}
template <class T>
T get(const Region& r, unsigned at) {
    T x;
    std::memcpy(&x, r.data() + at, sizeof x);
    return x;
}
void put_number(Region& r, unsigned at, const Type& t, std::int64_t x) {
    if (t.kind == 'f')
        t.bytes == 4 ? put(r, at, static_cast<float>(x) / 2) : put(r, at, static_cast<double>(x) / 2);
    else
        t.bytes == 4 ? put(r, at, static_cast<std::uint32_t>(x)) : put(r, at, static_cast<std::uint64_t>(x));
}
Region before(const Access& a, unsigned thread) {
    Region r;
    for (unsigned k = 0; k < kRegion; ++k) r[k] = static_cast<std::uint8_t>(thread * 67 + k * 29 + 131);
    if (a.operation.empty()) return r;
    const std::int64_t old = std::int64_t{thread % 7} * 5 - (a.type.kind == 's' || a.type.kind == 'f' ? 12 : 0);
    put_number(r, 0, a.type, old);
    put_number(r, 8, a.type,
               a.operation == "cas" && thread % 2 ? old : std::int64_t{thread % 5} * 6 - (a.type.kind == 's' ? 9 : 0));
    put_number(r, 16, a.type, 1000 + thread);
    return r;
}

template <class T>
T applied(const std::string& op, T old, T x, T y) {
    if (op == "add") return static_cast<T>(old + x);
    if (op == "exch") return x;
    if (op == "cas") return old == x ? y : old;
    if (op == "min") return std::min(old, x);
    if (op == "max") return std::max(old, x);
    if constexpr (std::is_integral_v<T>) {
        if (op == "and") return old & x;
        if (op == "or") return old | x;
        if (op == "xor") return old ^ x;
        if (op == "inc") return old >= x ? 0 : old + 1;
        if (op == "dec") return old == 0 || old > x ? x : old - 1;
    }
    ADD_FAILURE() << "no operation " << op;
    return old;
}
template <class T>
void apply(const Access& a, Region& r) {
    put(r, 0, applied(a.operation, get<T>(r, 0), get<T>(r, 8), get<T>(r, 16)));
}

struct Expected {
    Region after;
    std::array<std::uint64_t, 4> values{};
};

Expected expected(const Access& a, unsigned thread) {
    const bool shared_by_all = a.space == "const" || a.space == "param";
    Expected e{before(a, thread), {}};
    const auto start = e.after;
    if (a.op == "ld") {
        const auto from = shared_by_all ? before(a, 0) : start;
        // A narrow element is extended to the register, which has 16 bits at least.
        for (unsigned k = 0; k < a.count; ++k) {
            std::uint64_t x = 0;
            std::memcpy(&x, from.data() + 16 + k * a.type.bytes, a.type.bytes);
            if (a.type.bytes == 1 && a.type.kind == 's') x = static_cast<std::uint16_t>(static_cast<std::int8_t>(x));
            e.values[k] = x;
        }
    } else if (a.op == "st" && a.space == "param") {  // through a call: the value comes back
        std::memcpy(e.values.data(), start.data(), a.type.bytes);
    } else if (a.op == "st") {  // elements 8 bytes apart in the first half, and the 16 bits of a narrow register
        for (unsigned k = 0; k < a.count; ++k)
            std::memcpy(e.after.data() + 16 + k * a.type.bytes, start.data() + k * (a.type.bytes == 8 ? 8 : 4),
                        a.type.bytes);
    } else {
        if (a.op == "atom") std::memcpy(e.values.data(), start.data(), a.type.bytes);
        if (a.type.kind == 'f')
            a.type.bytes == 4 ? apply<float>(a, e.after) : apply<double>(a, e.after);
        else if (a.type.kind == 's')
            a.type.bytes == 4 ? apply<std::int32_t>(a, e.after) : apply<std::int64_t>(a, e.after);
        else
            a.type.bytes == 4 ? apply<std::uint32_t>(a, e.after) : apply<std::uint64_t>(a, e.after);
    }
    return e;
}

/// Line `n` of a kernel: content into the region, the access, the region and the values out.
std::string statements(const Access& a, std::size_t n) {
    const std::string in = std::to_string(n * kLanes * kRegion), out = std::to_string(n * kLanes * kSlot);
    const auto moved = [](const std::string& from, const std::string& to) {
        std::string s;
        for (const auto* half : {"", "+16"}) s += "ld." + from + half + "]; st." + to + half + "], {%rd20, %rd21}; ";
        return s;
    };
    const bool store = a.op == "st", through_call = store && a.space == "param";
    std::string space = a.space == "generic" || a.space == "const" || a.space == "param" ? "global" : a.space;
    const std::string region = space == "global" ? "%work" : space == "shared" ? "%sp" : "%lp";
    const std::string load = "v2.u64 {%rd20, %rd21}, [", at = space + ".v2.u64 [" + region;
    std::string s = "add.s64 %in, %source, " + in + "; add.s64 %to, %out, " + out + ";\n";
    s += moved("global." + load + "%in", at);
    const std::string address = a.space == "const"     ? "constants"
                                : a.space == "param"   ? "block"
                                : a.space == "generic" ? "%gen"
                                                       : region;
    const auto bits = "b" + std::to_string(a.type.bytes * 8);
    const auto source = [&](unsigned to, unsigned offset) {
        return "ld.global." + bits + " " + register_of(a.type, to) + ", [%in+" + std::to_string(offset) + "]; ";
    };
    unsigned values = 0;
    s += "\n";
    if (a.op == "ld") {
        s += a.text + " " + list_of(a, 0) + ", [" + address + "+16];";
        values = a.count;
    } else if (through_call) {
        s += source(10, 0) + "{ .param ." + bits + " a; .param ." + bits + " b; " + a.text + " [a], " +
             register_of(a.type, 10) + "; call.uni (b), same_" + bits + ", (a); ld.param." + bits + " " +
             register_of(a.type, 0) + ", [b]; }";
        values = 1;
    } else if (store) {
        for (unsigned k = 0; k < a.count; ++k) s += source(10 + k, k * (a.type.bytes == 8 ? 8 : 4));
        s += a.text + " [" + address + "+16], " + list_of(a, 10) + ";";
    } else {
        s += source(10, 8) + source(11, 16) + a.text + " " + (a.op == "atom" ? register_of(a.type, 0) + ", " : "") +
             "[" + address + "], " + register_of(a.type, 10) +
             (a.operation == "cas" ? ", " + register_of(a.type, 11) : "") + ";";
        values = a.op == "atom" ? 1 : 0;
    }
    s += "\n";
    for (unsigned k = 0; k < values; ++k)
        s += "st.global.b" + std::to_string(std::max(16u, a.type.bytes * 8)) + " [%to+" +
             std::to_string(kRegion + 8 * k) + "], " + register_of(a.type, k) + "; ";
    return s + moved(space + "." + load + region, "global.v2.u64 [%to") + "\n";
}

std::string kernel_of(const std::vector<Access>& accesses) {
    std::string s = device_tests::kHeader + ".const .align 16 .b8 constants[32] = {";
    const auto first = before(access_of("ld.const.u8"), 0);
    for (unsigned k = 0; k < kRegion; ++k) s += (k ? ", " : "") + std::to_string(first[k]);
    s += "};\n";
    for (const std::string t : {"b32", "b64"})
        s += ".func (.param ." + t + " r) same_" + t + "(.param ." + t + " x) { .reg ." + t + " %a; ld.param." + t +
             " %a, [x]; st.param." + t + " [r], %a; ret; }\n";
    s += ".visible .entry k(.param .u64 source, .param .u64 out, .param .u64 work, .param .align 16 .b8 "
         "block[32])\n{\n" +
         device_tests::kRegisters +
         R"(.reg .b64 %source, %out, %in, %to, %work, %gen, %lp; .reg .b32 %sp;
.shared .align 16 .b8 smem[1280];
.local .align 16 .b8 lmem[32];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 32; mul.wide.u32 %rd2, %r1, 64;
ld.param.u64 %source, [source]; add.s64 %source, %source, %rd1; ld.param.u64 %work, [work]; add.s64 %work, %work, %rd1;
ld.param.u64 %out, [out]; add.s64 %out, %out, %rd2; cvta.global.u64 %gen, %work;
mov.u32 %sp, smem; shl.b32 %r2, %r1, 5; add.u32 %sp, %sp, %r2; mov.u64 %lp, lmem;
)";
    for (std::size_t n = 0; n < accesses.size(); ++n) s += statements(accesses[n], n);
    return s + "ret;\n}\n";
}

std::vector<Access> accesses() {
    std::vector<Access> all;
    for (const auto& line : read_list("spellings.txt")) {
        const auto op = line.base();
        if (op == "ld" || op == "st" || op == "atom" || op == "red") all.push_back(access_of(line.text));
    }
    return all;
}

class MemoryResults : public testing::TestWithParam<std::size_t> {};

TEST_P(MemoryResults, AreWhatTheSuffixesSay) {
    auto all = accesses();
    const auto to = std::min(all.size(), GetParam() + kInAKernel);
    const std::vector<Access> part(all.begin() + static_cast<long>(GetParam()), all.begin() + static_cast<long>(to));
    Gpu gpu;
    std::vector<std::uint8_t> in;
    for (const auto& a : part)
        for (unsigned t = 0; t < kLanes; ++t) {
            const auto r = before(a, t);
            in.insert(in.end(), r.begin(), r.end());
        }
    const auto source = gpu.buffer(in), out = gpu.buffer(std::vector<std::uint8_t>(part.size() * kLanes * kSlot)),
               work = gpu.buffer(std::vector<std::uint8_t>(kLanes * kRegion));
    std::vector<std::uint64_t> with{source, out, work, 0};
    const auto first = before(access_of("ld.param.u8"), 0);
    const auto bytes = std::as_bytes(std::span(with));
    std::vector<std::byte> block(bytes.begin(), bytes.end());
    for (auto b : first) block.push_back(std::byte{b});
    gpu.launch(kernel_of(part), {1}, {kLanes}, block);
    const auto got = gpu.read<std::uint8_t>(out, part.size() * kLanes * kSlot);
    for (std::size_t n = 0; n < part.size(); ++n)
        for (unsigned t = 0; t < kLanes; ++t) {
            const auto* at = got.data() + (n * kLanes + t) * kSlot;
            Region after;
            std::array<std::uint64_t, 4> values;
            std::memcpy(after.data(), at, kRegion);
            std::memcpy(values.data(), at + kRegion, sizeof values);
            const auto want = expected(part[n], t);
            ASSERT_EQ(values, want.values) << part[n].text << ", thread " << t;
            ASSERT_EQ(after, want.after) << part[n].text << ", thread " << t;
        }
}

INSTANTIATE_TEST_SUITE_P(From, MemoryResults, testing::Range<std::size_t>(0, accesses().size(), kInAKernel));

TEST(MemoryResults, TheListIsWhole) { EXPECT_EQ(accesses().size(), 227u); }

}  // namespace memory_test
