// The golden file: "WWORACLE1\n", the device's name and a line a form (name TAB width... or "rejected" TAB reason), an
// empty line, then every accepted form's results in their own widths, little-endian, the bytes of one place together
// (they compress better), all in one zstd frame. Written uncompressed by the recorder, compressed when it is kept.
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "forms.hpp"
#ifdef WARPWRIGHT_ORACLE_ZSTD
    #include <zstd.h>
#endif

namespace oracle {
namespace {

constexpr const char* kMagic = "WWORACLE1";

std::string one_line(std::string text) {
    for (char& c : text)
        if (c == '\n' || c == '\t' || c == '\r') c = ' ';
    return text;
}

}  // namespace

bool write_golden(const std::string& path, const Golden& golden, const std::vector<Form>& forms) {
    std::ofstream out(path, std::ios::binary);
    out << kMagic << '\n' << one_line(golden.device) << '\n';
    for (std::size_t i = 0; i < forms.size(); ++i) {
        const Recorded& r = golden.forms[i];
        out << one_line(forms[i].name) << '\t';
        if (r.accepted)
            out << forms[i].inputs << '\t' << forms[i].results << '\t' << forms[i].vectors << '\n';
        else
            out << "rejected\t" << one_line(r.reason) << '\n';
    }
    out << '\n';
    for (std::size_t i = 0; i < forms.size(); ++i) {
        if (!golden.forms[i].accepted) continue;
        const unsigned n = forms[i].vectors;
        for (std::size_t k = 0; k < forms[i].results.size(); ++k) {
            const unsigned bytes = forms[i].results[k] == 'p' ? 1 : width_of(forms[i].results[k]);
            for (unsigned b = 0; b < bytes; ++b)
                for (unsigned v = 0; v < n; ++v)
                    out.put(static_cast<char>(golden.forms[i].results[k * n + v] >> (8 * b) & 0xFF));
        }
    }
    return static_cast<bool>(out);
}

bool read_golden(const std::string& path, Golden& golden, const std::vector<Form>& forms, std::string& error) {
    std::ifstream in(path, std::ios::binary);
    std::string data((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (data.empty()) {
        error = path + ": cannot read it";
        return false;
    }
#ifdef WARPWRIGHT_ORACLE_ZSTD
    if (data.compare(0, std::strlen(kMagic), kMagic) != 0) {
        const unsigned long long size = ZSTD_getFrameContentSize(data.data(), data.size());
        if (size > (1ull << 30)) {
            error = path + ": not a zstd frame of known size";
            return false;
        }
        std::string plain(size, '\0');
        if (ZSTD_isError(ZSTD_decompress(plain.data(), plain.size(), data.data(), data.size()))) {
            error = path + ": damaged zstd frame";
            return false;
        }
        data = std::move(plain);
    }
#endif
    std::istringstream text(data);
    std::string line;
    if (!std::getline(text, line) || line != kMagic || !std::getline(text, golden.device)) {
        error = path + ": not a golden file";
        return false;
    }
    for (const Form& form : forms) {
        Recorded r;
        if (!std::getline(text, line)) line.clear();
        const std::string name = one_line(form.name) + '\t';
        const std::string shape = name + form.inputs + '\t' + form.results + '\t' + std::to_string(form.vectors);
        if (line.compare(0, name.size(), name) != 0 ||
            (line != shape && line.compare(name.size(), 9, "rejected\t") != 0)) {
            error = path + ": does not fit the list of forms at " + form.name + "; record it anew";
            return false;
        }
        r.name = form.name;
        r.accepted = line == shape;
        if (!r.accepted) r.reason = line.substr(name.size() + 9);
        golden.forms.push_back(std::move(r));
    }
    if (!std::getline(text, line) || !line.empty()) {
        error = path + ": holds more forms than the list";
        return false;
    }
    std::size_t at = static_cast<std::size_t>(text.tellg());
    for (std::size_t i = 0; i < forms.size(); ++i) {
        Recorded& r = golden.forms[i];
        if (!r.accepted) continue;
        const unsigned n = forms[i].vectors;
        r.results.assign(std::size_t{n} * forms[i].results.size(), 0);
        for (std::size_t k = 0; k < forms[i].results.size(); ++k) {
            const unsigned bytes = forms[i].results[k] == 'p' ? 1 : width_of(forms[i].results[k]);
            for (unsigned b = 0; b < bytes; ++b)
                for (unsigned v = 0; v < n; ++v, ++at) {
                    if (at >= data.size()) {
                        error = path + ": cut short";
                        return false;
                    }
                    r.results[k * n + v] |= std::uint64_t{static_cast<unsigned char>(data[at])} << (8 * b);
                }
        }
    }
    return true;
}

}  // namespace oracle
