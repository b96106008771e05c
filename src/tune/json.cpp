// The results of a search as JSON: the records and, beside them, the searches.
#include <nlohmann/json.hpp>

#include "tune/tuner.hpp"

namespace warpwright::tune {

namespace {

using Json = nlohmann::ordered_json;

Json of(const Choices& choices) {
    Json out = Json::object();
    for (const auto& [name, value] : choices) out[name] = value;
    return out;
}

}  // namespace

std::string to_json(const Tuning& tuning, const std::string& ladder, const Options& options) {
    Json root = Json::parse(record::to_json(tuning.set));
    Json list = Json::array();
    for (const Outcome& o : tuning.outcomes) {
        Json j;
        j["ladder"] = ladder, j["rung"] = o.rung, j["size"] = o.size, j["problem"] = of(o.problem);
        j["search"] = method_name(options.method), j["seed"] = options.seed;
        j["combinations"] = o.combinations, j["basis"] = tuning.measured ? "measured" : "predicted";
        j["ended"] = o.ended;
        if (o.best) {
            const Candidate& best = o.tried[*o.best];
            j["best"] = {{"axes", of(best.axes)}, {"seconds", *best.seconds}, {"record", best.record}};
            const Told told = told_by(tuning, o);
            j["best"]["not_told_from"] = Json::array();
            for (const std::size_t i : told.close) j["best"]["not_told_from"].push_back(of(o.tried[i].axes));
            if (told.known && told.pair.pairs > 0)
                j["best"]["nearest"] = {{"axes", of(o.tried[*told.next].axes)},
                                        {"factor", told.pair.factor},
                                        {"pairs", told.pair.pairs},
                                        {"right", told.pair.right},
                                        {"device", told.pair.device}};
        }
        j["tried"] = Json::array();
        for (const Candidate& c : o.tried) {
            Json one{{"axes", of(c.axes)}, {"record", c.record}};
            if (c.seconds) one["seconds"] = *c.seconds;
            if (!c.problem.empty()) one["problem"] = c.problem;
            j["tried"].push_back(std::move(one));
        }
        j["refused"] = Json::array();
        for (const auto& [axes, why] : o.refused) j["refused"].push_back({{"axes", of(axes)}, {"why", why}});
        list.push_back(std::move(j));
    }
    root["tuned"] = std::move(list);
    return root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpwright::tune
