// Random PTX kernels for differential tests: arithmetic over the thread's place, loops, branches, shared and global
// accesses that stay in bounds whatever the values are.
#pragma once

#include <random>
#include <string>

namespace engine_tests {

inline constexpr unsigned kWords = 256;  ///< words of each buffer, and of shared memory (a power of two)

/// What else random kernels do: some lanes of some blocks return early, and the others meet at barriers; or the four
/// variables are not written before the random statements read them.
enum class Twist { none, leaving, undefined };

class RandomKernel {
public:
    explicit RandomKernel(std::uint32_t seed, Twist twist = Twist::none) : random_(seed), twist_(twist) {}

    /// Kernel k(u64 out, u64 in, u32 n, u32 m): `out` has a word for each thread and kWords more.
    std::string text() {
        body_.clear();
        statements(4 + pick(5), 0);
        std::string s =
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param "
            ".u32 n, .param .u32 m)\n{\n"
            ".shared .align 4 .b8 tile[" +
            std::to_string(4 * kWords) +
            "];\n.reg .pred %p<200>;\n.reg .b32 %r<16>;\n.reg .b32 %t<2000>;\n.reg .b64 %rd<2000>;\n";
        s += "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %tid.y;\nmov.u32 %r2, %ctaid.x;\nld.param.u32 %r3, [n];\nld.param.u32 "
             "%r4, [m];\nmov.u32 %r5, %ntid.x;\n"
             "mad.lo.u32 %r6, %r1, %r5, %r0;\nmov.u32 %r7, 7;\nmov.u32 %r14, tile;\nld.param.u64 %rd0, "
             "[in];\nld.param.u64 %rd1, [out];\n";
        if (twist_ != Twist::undefined)
            s += "mov.u32 %r8, %r0;\nmov.u32 %r9, 1;\nmov.u32 %r10, %r6;\nmov.u32 %r11, 0;\n";
        // Every thread fills its words of shared memory first.
        s += "mov.u32 %t0, %r6;\nmov.u32 %r12, %ntid.y;\nmul.lo.u32 %r12, %r12, %r5;\nFILL:\nshl.b32 %t1, %t0, "
             "2;\nadd.u32 %t1, %t1, %r14;\nst.shared.u32 [%t1], %t0;\n"
             "add.u32 %t0, %t0, %r12;\nsetp.lt.u32 %p0, %t0, " +
             std::to_string(kWords) + ";\n@%p0 bra FILL;\nbar.sync 0;\n";
        s += body_;
        s += "mad.lo.u32 %t2, %r2, %r12, %r6;\nmul.wide.u32 %rd2, %t2, 4;\nadd.s64 %rd2, %rd1, %rd2;\n";
        s += "xor.b32 %r8, %r8, %r9;\nadd.u32 %r8, %r8, %r10;\nxor.b32 %r8, %r8, %r11;\nst.global.u32 [%rd2], "
             "%r8;\nret;\n}\n";
        return s;
    }

private:
    unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
    unsigned temporary() { return next_++; }
    std::string source() {
        if (pick(6) == 0) return std::to_string(static_cast<int>(pick(40)) - 8);
        return "%r" + std::to_string(pick(12));
    }
    std::string variable() { return "%r" + std::to_string(8 + pick(4)); }

    void statements(unsigned count, unsigned depth) {
        for (unsigned k = 0; k < count; ++k) {
            statement(depth);
            if (twist_ != Twist::leaving || depth > 0) continue;
            if (pick(3) == 0) body_ += "barrier.sync 0;\n";  // not aligned: lanes of the warp may be gone
            if (pick(3) == 0) {
                const auto p = "%p" + std::to_string(++label_), t = "%t" + std::to_string(temporary());
                body_ += "and.b32 " + t + ", %r6, 15;\nadd.u32 " + t + ", " + t + ", %r2;\nsetp.eq.u32 " + p + ", " +
                         t + ", " + std::to_string(pick(20)) + ";\n@" + p + " ret;\n";
            }
        }
    }

    void statement(unsigned depth) {
        static const char* operations[] = {"add.u32", "sub.u32", "mul.lo.u32", "xor.b32",
                                           "and.b32", "min.s32", "max.u32",    "shl.b32"};
        const auto kind = pick(depth < 3 ? 11 : 8);
        const auto to = variable();
        if (kind < 4) {
            const auto op = pick(8);
            body_ += std::string(operations[op]) + " " + to + ", %r" + std::to_string(pick(12)) + ", " +
                     (op == 7 ? std::to_string(pick(5)) : source()) + ";\n";
        } else if (kind == 4) {
            body_ += "mad.lo.u32 " + to + ", %r" + std::to_string(pick(12)) + ", " + source() + ", %r" +
                     std::to_string(pick(12)) + ";\n";
        } else if (kind == 5) {
            const auto i = address_of("%r" + std::to_string(pick(12)), pick(3) == 0);
            body_ += "add.s64 " + i + ", %rd0, " + i + ";\nld.global.u32 " + to + ", [" + i + "];\n";
        } else if (kind == 6) {
            const auto t = "%t" + std::to_string(temporary());
            body_ += "and.b32 " + t + ", %r" + std::to_string(pick(12)) + ", " + std::to_string(kWords - 1) +
                     ";\nshl.b32 " + t + ", " + t + ", 2;\nadd.u32 " + t + ", " + t + ", %r14;\nld.shared.u32 " + to +
                     ", [" + t + "];\n";
        } else if (kind == 7) {
            // Adding is the one write whose order does not matter.
            const auto i = address_of("%r" + std::to_string(pick(12)), false);
            body_ += "add.s64 " + i + ", %rd1, " + i + ";\nred.global.add.u32 [" + i + "+" +
                     std::to_string(4 * kOutThreads) + "], " + "%r" + std::to_string(pick(12)) + ";\n";
        } else if (kind == 8) {
            const auto n = std::to_string(label_++), p = "%p" + std::to_string(label_);
            static const char* tests[] = {"lt.s32", "ge.u32", "eq.u32", "ne.u32"};
            body_ += std::string("setp.") + tests[pick(4)] + " " + p + ", %r" + std::to_string(pick(12)) + ", " +
                     source() + ";\n@" + (pick(2) ? "!" : "") + p + " bra ELSE" + n + ";\n";
            statements(1 + pick(3), depth + 1);
            body_ += "bra DONE" + n + ";\nELSE" + n + ":\n";
            statements(pick(3), depth + 1);
            body_ += "DONE" + n + ":\n";
        } else {
            // A loop of a bounded number of rounds: uniform, or by the thread.
            const auto n = std::to_string(label_++), p = "%p" + std::to_string(label_),
                       c = "%t" + std::to_string(temporary());
            if (pick(2))
                body_ += "mov.u32 " + c + ", " + std::to_string(1 + pick(5)) + ";\n";
            else
                body_ +=
                    "and.b32 " + c + ", %r" + std::to_string(pick(12)) + ", 3;\nadd.u32 " + c + ", " + c + ", 1;\n";
            body_ += "LOOP" + n + ":\n";
            statements(1 + pick(3), depth + 1);
            body_ += "sub.u32 " + c + ", " + c + ", 1;\nsetp.ne.u32 " + p + ", " + c + ", 0;\n@" + p + " bra LOOP" + n +
                     ";\n";
        }
    }

    /// A byte offset below 4 * kWords in a 64-bit register, from any 32-bit value.
    std::string address_of(const std::string& value, bool by_remainder) {
        const auto n = temporary();
        const auto t = "%t" + std::to_string(n), rd = "%rd" + std::to_string(n);
        body_ += (by_remainder ? "rem.u32 " + t + ", " + value + ", " + std::to_string(kWords)
                               : "and.b32 " + t + ", " + value + ", " + std::to_string(kWords - 1)) +
                 ";\nmul.wide.u32 " + rd + ", " + t + ", 4;\n";
        return rd;
    }

public:
    static constexpr unsigned kOutThreads = 1024;

private:
    std::mt19937 random_;
    Twist twist_;
    std::string body_;
    unsigned next_ = 10, label_ = 1;
};

}  // namespace engine_tests
