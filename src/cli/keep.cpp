#include "cli/keep.hpp"

namespace warpwright::cli {

std::string command_text(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string word = words[i];
        if (i == 0) word = word.substr(word.rfind('/') + 1);
        const bool quote = word.empty() || word.find_first_of(" \t'\"*?$") != std::string::npos;
        out += (i ? " " : "") + (quote ? "'" + word + "'" : word);
    }
    return out;
}

Result<void> Keeper::begin(const std::string& command, const record::Environment& environment) {
    if (options_.none) return {};
    const std::string file = options_.db.empty() ? store::default_file() : options_.db;
    auto opened = store::Store::open(file);
    if (!opened) {
        if (!options_.db.empty()) return std::move(opened).error();
        console_.note("results are not stored: " + opened.error().text());
        return {};
    }
    if (opened->set_aside())
        console_.note(file + " was damaged: it is kept as " + *opened->set_aside() + ", and a new one was started");
    store_.emplace(std::move(*opened));
    auto run = store_->begin(command, options_.label, environment);
    if (!run) {
        if (!options_.db.empty()) return std::move(run).error();
        give_up(run.error());
        return {};
    }
    run_ = *run;
    return {};
}

void Keeper::give_up(const Error& error) {
    console_.note("results are no longer stored: " + error.text());
    store_.reset();
}

void Keeper::add(const record::Record& record) {
    if (!store_) return;
    if (auto ok = store_->add(run_, record); !ok) give_up(ok.error());
}

void Keeper::settle(const record::RecordSet& set, bool complete) {
    if (!store_) return;
    if (auto ok = store_->settle(run_, set, complete); !ok) give_up(ok.error());
}

}  // namespace warpwright::cli
