// JSON, written whole and renamed into place, so that a full disk or a kill leaves what was there before.
#include "learn/progress.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/read_file.hpp"
#include "support/user_folders.hpp"
#include "support/write_file.hpp"

namespace warpwright::learn {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int kSchema = 1;

Error no_progress(const std::string& file, const std::string& why) {
    return Error{ErrorKind::input, "it does not hold a learner's progress: " + why, Location{file, 0, 0},
                 "move it away to begin anew"};
}

}  // namespace

std::string Progress::own_file() {
    const std::string folder = user_data_folder();
    return folder.empty() ? folder : folder + "/learn.json";
}

Result<Progress> Progress::read(std::string file) {
    Progress out;
    out.file_ = std::move(file);
    std::error_code ec;
    if (out.file_.empty() || !fs::exists(out.file_, ec)) return out;
    auto text = read_file(out.file_, file_limit::table);
    if (!text) return std::move(text).error();
    const json root = json::parse(*text, nullptr, false);
    if (!root.is_object() || root.value("schema", 0) != kSchema) return no_progress(out.file_, "it is not of schema 1");
    const auto list = root.find("exercises");
    if (list == root.end() || !list->is_object()) return no_progress(out.file_, "it has no exercises");
    for (const auto& [name, one] : list->items()) {
        const auto number = [&, &one = one](const char* key) {
            return one.contains(key) && one[key].is_number_unsigned() ? one[key].get<std::uint32_t>() : 0;
        };
        if (!one.is_object()) return no_progress(out.file_, "'" + name + "' is no exercise");
        Standing s;
        if (one.contains("done") && one["done"].is_string()) s.done = one["done"].get<std::string>();
        s.hints = number("hints");
        s.attempts = number("attempts");
        out.all_[name] = std::move(s);
    }
    return out;
}

Standing Progress::of(const std::string& exercise) const {
    const auto it = all_.find(exercise);
    return it == all_.end() ? Standing{} : it->second;
}

Result<void> Progress::set(const std::string& exercise, const Standing& standing) {
    all_[exercise] = standing;
    if (file_.empty()) return {};
    json list = json::object();
    for (const auto& [name, s] : all_) {
        json one = {{"hints", s.hints}, {"attempts", s.attempts}};
        if (!s.done.empty()) one["done"] = s.done;
        list[name] = std::move(one);
    }
    const json root = {{"schema", kSchema}, {"exercises", std::move(list)}};
    if (const fs::path folder = fs::path(file_).parent_path(); !folder.empty())
        if (auto ok = make_folder(folder.string()); !ok) return ok;
    return write_file(file_, root.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace warpwright::learn
