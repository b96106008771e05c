#include "forms.hpp"

#include <cctype>

namespace oracle {
namespace {

const char* const kInputs[] = {"%a", "%b", "%c", "%d"};
const char* const kResults[] = {"%r", "%q"};

const char* register_type(char letter) {
    if (letter == 'p') return "pred";
    switch (width_of(letter)) {
        case 2:
            return "b16";
        case 8:
            return "b64";
        default:
            return "b32";
    }
}

/// Loads the register from the low bits of a 64-bit word. Not by way of a 64-bit register: for f16x2 atomics in shared
/// memory ptxas 13.0 then takes the wrong register for the upper half.
std::string load(char letter, const std::string& name) {
    if (letter == 'p') return "ld.global.u64 %word, [%at];\nsetp.ne.u64 " + name + ", %word, 0;\n";
    return std::string("ld.global.") + register_type(letter) + " " + name + ", [%at];\n";
}

std::string widen(char letter, const std::string& name) {
    if (letter == 'p') return "selp.u64 %word, 1, 0, " + name + ";\n";
    switch (width_of(letter)) {
        case 2:
            return "cvt.u64.u16 %word, " + name + ";\n";
        case 8:
            return "mov.b64 %word, " + name + ";\n";
        default:
            return "cvt.u64.u32 %word, " + name + ";\n";
    }
}

std::string entry_text(const Form& form, std::size_t index) {
    std::string t =
        ".visible .entry form_" + std::to_string(index) +
        "(.param .u64 inputs, .param .u64 results, .param .u64 scratch, .param .u32 vectors)\n{\n"
        ".reg .b64 %in, %out, %at, %word, %step;\n.reg .b32 %thread, %block, %n, %lane;\n.reg .pred %skip;\n"
        ".reg .b16 %v0, %v1, %v2, %v3;\n.reg .b32 %t0, %t1, %t2, %t3;\n.reg .b64 %u0, %u1, %u2, %u3;\n"
        ".reg .pred %p0, %p1, %p2, %p3;\n";
    for (std::size_t j = 0; j < form.inputs.size(); ++j)
        t += std::string(".reg .") + register_type(form.inputs[j]) + " " + kInputs[j] + ";\n";
    for (std::size_t k = 0; k < form.results.size(); ++k)
        t += std::string(".reg .") + register_type(form.results[k]) + " " + kResults[k] + ";\n";
    if (form.memory) {
        const std::string bytes = std::to_string(kBlock * kScratchBytes);
        t += ".reg .b64 %scratch, %loc;\n.reg .b32 %sh;\n";
        if (form.body.find("%sh") != std::string::npos) t += ".shared .align 16 .b8 shared_bytes[" + bytes + "];\n";
        if (form.body.find("%loc") != std::string::npos)
            t += ".local .align 16 .b8 local_bytes[" + std::to_string(kScratchBytes) + "];\n";
    }
    t += "ld.param.u64 %in, [inputs];\nld.param.u64 %out, [results];\nld.param.u32 %n, [vectors];\n"
         "mov.u32 %thread, %tid.x;\nmov.u32 %block, %ctaid.x;\n";
    if (form.memory) {
        if (form.body.find("%sh") != std::string::npos)
            t += "mov.u32 %sh, shared_bytes;\nmad.lo.u32 %sh, %thread, " + std::to_string(kScratchBytes) + ", %sh;\n";
        if (form.body.find("%loc") != std::string::npos) t += "mov.u64 %loc, local_bytes;\n";
    }
    t += "mad.lo.u32 %thread, %block, " + std::to_string(kBlock) + ", %thread;\n";
    if (form.memory && form.body.find("%scratch") != std::string::npos)
        t += "ld.param.u64 %scratch, [scratch];\nmul.wide.u32 %at, %thread, " + std::to_string(kScratchBytes) +
             ";\nadd.u64 %scratch, %scratch, %at;\ncvta.to.global.u64 %scratch, %scratch;\n";
    t += "cvta.to.global.u64 %in, %in;\ncvta.to.global.u64 %out, %out;\n"
         "mul.wide.u32 %step, %n, 8;\nmul.wide.u32 %at, %thread, 8;\nadd.u64 %out, %out, %at;\n";
    for (std::size_t j = 0; j < form.inputs.size(); ++j) {
        const char letter = form.inputs[j];
        if (std::isupper(static_cast<unsigned char>(letter)))
            t += "and.b32 %lane, %thread, -32;\nmul.wide.u32 %at, %lane, 8;\n";  // the warp's first lane
        else
            t += "mul.wide.u32 %at, %thread, 8;\n";
        t += "mad.lo.u64 %at, %step, " + std::to_string(j) + ", %at;\nadd.u64 %at, %at, %in;\n" +
             load(letter, kInputs[j]);
    }
    // Results that the body may leave unset read as this.
    for (std::size_t k = 0; k < form.results.size(); ++k) {
        if (form.results[k] == 'p')
            t += std::string("setp.ne.u32 ") + kResults[k] + ", %thread, %thread;\n";
        else
            t += std::string("mov.") + register_type(form.results[k]) + " " + kResults[k] + ", 0;\n";
    }
    const std::size_t mask = form.inputs.find('M');
    if (mask != std::string::npos) {
        // Lanes outside the member mask do not take part.
        t += std::string("mov.u32 %lane, %laneid;\nshr.u32 %lane, ") + kInputs[mask] +
             ", %lane;\nand.b32 %lane, %lane, 1;\nsetp.eq.u32 %skip, %lane, 0;\n@%skip bra DONE;\n";
    }
    t += form.body + "\n";
    if (mask != std::string::npos) t += "DONE:\n";
    for (std::size_t k = 0; k < form.results.size(); ++k)
        t += widen(form.results[k], kResults[k]) + (k ? "add.u64 %out, %out, %step;\n" : "") +
             "st.global.u64 [%out], %word;\n";
    return t + "ret;\n}\n";
}

}  // namespace

std::string module_text(const std::vector<Form>& forms, std::size_t first, std::size_t count) {
    std::string text = ".version 8.6\n.target sm_90\n.address_size 64\n\n";
    for (std::size_t i = first; i < first + count && i < forms.size(); ++i) text += entry_text(forms[i], i);
    return text;
}

}  // namespace oracle
