#include "forms.hpp"

namespace oracle {

void add_form(std::vector<Form>& out, std::string name, std::string body, std::string inputs, std::string results,
              Check check, double tolerance) {
    Form form{std::move(name), std::move(body), std::move(inputs), std::move(results), check, tolerance, 0, false};
    form.memory = form.body.find("%scratch") != std::string::npos || form.body.find("%sh") != std::string::npos ||
                  form.body.find("%loc") != std::string::npos;
    form.vectors = form.inputs.size() <= 1 ? 256 : form.inputs.size() == 2 ? 384 : 512;
    out.push_back(std::move(form));
}

void add_plain(std::vector<Form>& out, const std::string& name, const std::string& inputs, const std::string& results,
               Check check, double tolerance) {
    static const char* const operand[] = {", %a", ", %b", ", %c", ", %d"};
    std::string body = name + " %r";
    for (std::size_t i = 0; i < inputs.size(); ++i) body += operand[i];
    add_form(out, name, body + ";", inputs, results, check, tolerance);
}

std::vector<Form> all_forms() {
    std::vector<Form> out;
    add_integer_forms(out);
    add_float_forms(out);
    add_half_forms(out);
    add_compare_forms(out);
    add_convert_forms(out);
    add_video_forms(out);
    add_warp_forms(out);
    add_memory_forms(out);
    return out;
}

}  // namespace oracle
