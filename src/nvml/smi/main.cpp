// The program nvidia-smi that `warpwright run` puts in a program's way: packages read from it which devices there are.
// Exit codes are those that NVIDIA's page documents: 2 for a wrong argument, 3 for what a device does not have, 6 where
// nothing was found.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "nvml/smi/facts.hpp"
#include "nvml/smi/print.hpp"

namespace {

using namespace warpwright::nvml::smi;

enum Exit { done = 0, wrong_argument = 2, not_available = 3, not_found = 6, failed = 255 };

struct Request {
    bool list = false, query = false, xml = false, help = false;
    std::string fields, format, id;
};

int fail(Exit code, const std::string& text) {
    std::fprintf(stderr, "nvidia-smi: %s\n", text.c_str());
    return code;
}

constexpr const char* kUsage =
    "usage: nvidia-smi [-i ID] [-L | -q -x | --query-gpu=FIELD,... --format=csv[,noheader][,nounits]]\n"
    "The stand-in of Warpwright: it tells of the emulated devices. Without options it prints a table.\n";

/// "--name=value" or "--name value".
bool take(const std::vector<std::string>& words, std::size_t& k, const std::string& name, std::string& value) {
    if (words[k].starts_with(name + "=")) return value = words[k].substr(name.size() + 1), true;
    if (words[k] != name || k + 1 == words.size()) return false;
    return value = words[++k], true;
}

/// The word that is not known here; empty: all are.
std::string read(const std::vector<std::string>& words, Request& r) {
    for (std::size_t k = 0; k < words.size(); ++k) {
        const auto& w = words[k];
        if (take(words, k, "--query-gpu", r.fields) || take(words, k, "--format", r.format) ||
            take(words, k, "-i", r.id) || take(words, k, "--id", r.id))
            continue;
        if (w == "-L" || w == "--list-gpus")
            r.list = true;
        else if (w == "-q" || w == "--query")
            r.query = true;
        else if (w == "-x" || w == "--xml-format")
            r.xml = true;
        else if (w == "-qx" || w == "-xq")
            r.query = r.xml = true;
        else if (w == "-h" || w == "--help")
            r.help = true;
        else
            return w;
    }
    return "";
}

/// Leaves the device that is asked for by its number, UUID or bus address. False: there is none.
bool choose(Facts& facts, const std::string& id) {
    std::erase_if(facts.devices,
                  [&](const Device& d) { return id != std::to_string(d.index) && id != d.uuid && id != d.bus_id; });
    return !facts.devices.empty();
}

bool read_format(const std::string& text, CsvForm& form) {
    bool csv = false;
    for (std::size_t from = 0; from <= text.size();) {
        const auto to = std::min(text.find(',', from), text.size());
        const std::string word = text.substr(from, to - from);
        if (word == "csv")
            csv = true;
        else if (word == "noheader")
            form.header = false;
        else if (word == "nounits")
            form.units = false;
        else
            return false;
        from = to + 1;
    }
    return csv;
}

}  // namespace

int main(int argc, char** argv) {
    Request request;
    if (const auto word = read({argv + 1, argv + argc}, request); !word.empty())
        return fail(wrong_argument, "the stand-in for nvidia-smi does not know " + word + " (see nvidia-smi -h)");
    if (request.help) return std::fputs(kUsage, stdout), done;
    if (request.query != request.xml)
        return fail(not_available, "the stand-in for nvidia-smi answers -q and -x together only");
    Facts facts;
    std::string text;
    if (!read_facts(facts, text)) return fail(failed, text);
    if (!request.id.empty() && !choose(facts, request.id))
        return fail(not_found, "no device " + request.id + " was found");
    if (!request.fields.empty()) {
        CsvForm form;
        if (!read_format(request.format, form))
            return fail(wrong_argument, "--format=csv[,noheader][,nounits] goes with --query-gpu");
        if (!csv_of(facts, request.fields, form, text))
            return fail(wrong_argument, "Field \"" + text + "\" is not a valid field to query.");
    } else if (request.list) {
        text = list_of(facts);
    } else {
        text = request.xml ? xml_of(facts) : table_of(facts);
    }
    std::fputs(text.c_str(), stdout);
    return done;
}
