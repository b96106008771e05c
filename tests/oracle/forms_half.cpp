// f16, f16x2, bf16 and bf16x2 arithmetic (PTX ISA 9.7.4).
#include <cmath>

#include "forms.hpp"

namespace oracle {

void add_half_forms(std::vector<Form>& out) {
    const auto n = [](char letter, unsigned times) { return std::string(times, letter); };
    struct Type {
        const char* name;
        char letter;
    };
    for (const Type& t : {Type{"f16", 'e'}, Type{"f16x2", 'x'}}) {
        const std::string type = std::string(".") + t.name, one = n(t.letter, 1);
        for (const char* mode : {"", ".rn", ".ftz", ".sat", ".rn.ftz.sat"})
            for (const char* op : {"add", "sub", "mul"}) add_plain(out, op + (mode + type), n(t.letter, 2), one);
        for (const char* mode : {".rn", ".rn.ftz", ".rn.sat", ".rn.ftz.sat", ".rn.relu", ".rn.ftz.relu"})
            add_plain(out, "fma" + (mode + type), n(t.letter, 3), one);
        for (const char* op : {"abs", "abs.ftz", "neg", "neg.ftz"}) add_plain(out, op + type, one, one);
        for (const char* op : {"min", "max"})
            for (const char* mode : {"", ".ftz", ".NaN", ".ftz.NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
                add_plain(out, std::string(op) + mode + type, n(t.letter, 2), one);
        add_plain(out, "ex2.approx" + type, one, one, Check::relative, std::exp2(-9.9));
        add_plain(out, "tanh.approx" + type, one, one, Check::absolute, std::exp2(-10.987));
    }
    for (const Type& t : {Type{"bf16", 'g'}, Type{"bf16x2", 'y'}}) {
        const std::string type = std::string(".") + t.name, one = n(t.letter, 1);
        for (const char* mode : {"", ".rn"})
            for (const char* op : {"add", "sub", "mul"}) add_plain(out, op + (mode + type), n(t.letter, 2), one);
        for (const char* mode : {".rn", ".rn.relu"}) add_plain(out, "fma" + (mode + type), n(t.letter, 3), one);
        for (const char* op : {"abs", "neg"}) add_plain(out, op + type, one, one);
        for (const char* op : {"min", "max"})
            for (const char* mode : {"", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
                add_plain(out, std::string(op) + mode + type, n(t.letter, 2), one);
        add_plain(out, "ex2.approx.ftz" + type, one, one, Check::relative, std::ldexp(1.0, -7));
        add_plain(out, "tanh.approx" + type, one, one, Check::absolute, std::ldexp(1.0, -8));
    }
    for (const char* op : {"fma.rn.oob", "fma.rn.oob.relu"}) {
        add_plain(out, std::string(op) + ".f16", "eee", "e");
        add_plain(out, std::string(op) + ".bf16x2", "yyy", "y");
    }
}

}  // namespace oracle
