// A record of a program has a member more in the database, which readers of records pass over.
#include "store/run_data.hpp"

#include <nlohmann/json.hpp>

namespace warpwright::store {
namespace {

using Json = nlohmann::json;

/// For how many launches the record stands, and in the first what was found.
constexpr const char* kOfProgram = "program";

}  // namespace

std::string record_text(const RunData& data, std::size_t k) {
    std::string text = record::to_json(data.set.records[k]);
    if (k >= data.launches.size()) return text;
    Json more = {{"launches", data.launches[k]}};
    if (k == 0 && data.findings) more["findings"] = *data.findings;
    text.erase(text.find_last_of('}'));
    return text + ",\"" + kOfProgram + "\":" + more.dump(-1, ' ', false, Json::error_handler_t::replace) + "}";
}

void take_of_program(const std::string& text, RunData& to) {
    const Json record = Json::parse(text, nullptr, false);
    const auto more = record.is_object() ? record.find(kOfProgram) : record.end();
    if (more == record.end() || !more->is_object()) return;
    const auto launches = more->find("launches");
    to.launches.push_back(launches != more->end() && launches->is_number_unsigned() ? launches->get<std::uint64_t>()
                                                                                    : 0);
    const auto findings = more->find("findings");
    if (findings == more->end() || !findings->is_array()) return;
    to.findings.emplace();
    for (const Json& one : *findings)
        if (one.is_string()) to.findings->push_back(one.get<std::string>());
}

}  // namespace warpwright::store
