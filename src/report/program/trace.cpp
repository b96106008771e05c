// A profile in Chrome's trace event format.
#include <nlohmann/json.hpp>

#include "profile/names.hpp"
#include "report/program.hpp"
#include "report/program/events.hpp"

namespace warpwright::report {

std::string event_name(const Profile& p, const profile::Event& e) {
    switch (e.kind) {
        case profile::Event::Kind::kernel:
            if (e.what >= p.kernels.size()) return "";
            return profile::title(p.kernels[e.what]) + bound_mark(p, p.kernels[e.what]);
        case profile::Event::Kind::copy:
            return e.what < p.copies.size() ? p.copies[e.what].name : "";
        case profile::Event::Kind::call:
            return e.what < p.calls.size() ? p.calls[e.what].name : "";
    }
    return "";
}

std::string program_trace(const Profile& p) {
    using Json = nlohmann::json;
    Json events = Json::array();
    events.push_back({{"ph", "M"},
                      {"name", "process_name"},
                      {"pid", 1},
                      {"args",
                       {{"name", p.measured() ? p.device + " (times measured)"
                                              : "GPU (times " + times_word(p) + " on " + p.model + ")"}}}});
    events.push_back(
        {{"ph", "M"}, {"name", "process_name"}, {"pid", 2}, {"args", {{"name", "API calls (this machine's time)"}}}});
    for (const auto& e : p.events) {
        const bool call = e.kind == profile::Event::Kind::call;
        events.push_back({{"ph", "X"},
                          {"name", event_name(p, e)},
                          {"cat", call                                     ? "api"
                                  : e.kind == profile::Event::Kind::kernel ? "kernel"
                                                                           : "copy"},
                          {"pid", call ? 2 : 1},
                          {"tid", e.lane},
                          {"ts", e.start * 1e6},
                          {"dur", e.seconds * 1e6}});
    }
    return Json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}}.dump(-1, ' ', false,
                                                                                    Json::error_handler_t::replace) +
           "\n";
}

}  // namespace warpwright::report
