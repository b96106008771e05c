// Routes. Everything below /api/ needs a token and a Host header that names this server: a page of another site can
// neither read the one nor forge the other. Answers are JSON; what a learner typed is never part of a page.
#include "serve/server.hpp"

#include <httplib.h>
#include <sys/resource.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <tuple>

#include "arch/model.hpp"
#include "learn/exercise.hpp"
#include "learn/progress.hpp"
#include "serve/bounded_http.hpp"
#include "serve/connections.hpp"
#include "serve/jobs.hpp"
#include "serve/web_files.hpp"
#include "support/read_file.hpp"
#include "text/words.hpp"

namespace warpwright::serve {

std::string host_to_open(const ServerOptions& options) {
    const std::string& at = options.address;
    if (at == "0.0.0.0" || at == "::") return options.names.empty() ? "localhost" : options.names.front();
    return at.find(':') == std::string::npos ? at : "[" + at + "]";
}

namespace {

using nlohmann::json;

constexpr std::size_t kMostText = std::size_t{256} << 10;
constexpr unsigned kWaiting = 48;

std::string dumped(const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace); }

class HttpServer final : public Server {
public:
    HttpServer(const learn::Course& course, Users users, Judge judge, const ServerOptions& options)
        : course_(course),
          users_(std::move(users)),
          judge_(std::move(judge)),
          options_(options),
          jobs_(options.places, kWaiting) {}

    Result<void> open() {
        for (const std::string& folder : course_.folders) {
            auto e = learn::read_exercise(folder);
            if (!e) return std::move(e).error();
            exercises_.emplace(e->name, std::move(*e));
        }
        allow_many_files();
        http_.new_task_queue = [] { return new Connections; };
        http_.set_socket_options([this](socket_t socket) {
            httplib::default_socket_options(socket);
            listens_at_ = socket;
        });
        http_.set_payload_max_length(2 * kMostText);
        http_.set_read_timeout(10, 0);
        http_.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                                   {"Referrer-Policy", "no-referrer"},
                                   {"Cache-Control", "no-store"},
                                   {"Content-Security-Policy",
                                    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
                                    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
                                    "form-action 'none'; frame-ancestors 'none'"}});
        http_.set_pre_routing_handler([this](const auto& request, auto& response) { return admit(request, response); });
        routes();
        port_ = options_.port ? options_.port : http_.bind_to_any_port(options_.address);
        const bool bound = options_.port ? http_.bind_to_port(options_.address, options_.port) : port_ > 0;
        if (!bound)
            return Error{ErrorKind::usage, fmt::format("{}:{} cannot be listened at", options_.address, options_.port),
                         Location{}, "another --port, or none for one that is free"};
        // The library lets five wait to be accepted; the system makes others try again after a second, and more.
        if (listens_at_ >= 0) (void)::listen(listens_at_, SOMAXCONN);
        return {};
    }

    int port() const override { return port_; }
    void run() override { http_.listen_after_bind(); }
    void stop() override {
        jobs_.stop();
        http_.stop();
    }

private:
    /// Each connection has a file descriptor, and where none is left no attempt can be judged either.
    static void allow_many_files() {
        constexpr rlim_t kEnough = 16384;
        rlimit files{};
        if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= kEnough) return;
        files.rlim_cur = std::min(files.rlim_max, kEnough);
        (void)::setrlimit(RLIMIT_NOFILE, &files);
    }

    using Request = httplib::Request;
    using Response = httplib::Response;

    /// As it is: the library would compress texts of any length anew for each request, which takes a second of the
    /// processor for the editor's script. Between machines that is a proxy's work.
    static void send(Response& response, std::string_view text, const char* type) {
        response.set_content_provider(text.size(), type, [text](std::size_t from, std::size_t bytes, auto& sink) {
            const std::string_view piece = text.substr(from, bytes);
            return sink.write(piece.data(), piece.size());
        });
    }
    static void send(Response& response, const json& value) {
        const auto text = std::make_shared<const std::string>(dumped(value));
        response.set_content_provider(
            text->size(), "application/json",
            [text](std::size_t from, std::size_t bytes, auto& sink) { return sink.write(text->data() + from, bytes); });
    }

    static void fail(Response& response, int status, const std::string& what) {
        response.status = status;
        send(response, {{"error", what}});
    }

    /// A name that a browser may have for us: other sites' names that lead here (DNS rebinding) are refused.
    bool known_host(std::string host) const {
        if (const auto colon = host.rfind(':'); colon != std::string::npos) host.resize(colon);
        if (host == "127.0.0.1" || host == "localhost" || host == options_.address) return true;
        return std::find(options_.names.begin(), options_.names.end(), host) != options_.names.end();
    }

    httplib::Server::HandlerResponse admit(const Request& request, Response& response) const {
        using Handled = httplib::Server::HandlerResponse;
        if (!known_host(request.get_header_value("Host"))) {
            fail(response, 421, "this server has another name");
            return Handled::Handled;
        }
        if (request.path.starts_with("/api/") && !user_of(request)) {
            fail(response, 401, "the token is missing or wrong");
            return Handled::Handled;
        }
        return Handled::Unhandled;
    }

    std::optional<std::string> user_of(const Request& request) const {
        const std::string given = request.get_header_value("Authorization");
        constexpr std::string_view kBearer = "Bearer ";
        if (!given.starts_with(kBearer)) return std::nullopt;
        return users_.who(given.substr(kBearer.size()));
    }

    void routes() {
        const std::tuple<const char*, const char*, std::string_view> files[] = {
            {"/", "text/html", page_html()},
            {"/page.css", "text/css", page_css()},
            {"/page.js", "text/javascript", page_script()},
            {"/codemirror.css", "text/css", codemirror_css()},
            {"/codemirror.js", "text/javascript", codemirror_script()},
            {"/clike.js", "text/javascript", codemirror_clike()}};
        for (const auto& [path, type, text] : files)
            http_.Get(path, [type, text](const Request&, Response& response) { send(response, text, type); });
        http_.Get("/api/words", [](const Request& q, Response& r) { words(q, r); });
        http_.Get("/api/course", [this](const Request& q, Response& r) { course(q, r); });
        http_.Get(R"(/api/exercise/([a-z0-9_]+))", [this](const Request& q, Response& r) { exercise(q, r); });
        http_.Post(R"(/api/hint/([a-z0-9_]+))", [this](const Request& q, Response& r) { hint(q, r); });
        http_.Post("/api/judge", [this](const Request& q, Response& r) { judge(q, r); });
    }

    static std::string language_of(const Request& request) {
        const std::string asked = request.get_param_value("lang");
        const auto& all = learn::exercise_languages();
        return std::find(all.begin(), all.end(), asked) == all.end() ? "en" : asked;
    }

    /// What the page itself says.
    static void words(const Request& request, Response& response) {
        auto words = Words::load(language_of(request));
        if (!words) return fail(response, 500, words.error().text());
        constexpr std::string_view kOurs = "serve.", kLearn = "learn.", kFigures = "learn.figure.";
        json out = json::object();
        for (const auto& [key, text] : words->texts()) {
            if (key.starts_with(kOurs)) out[key.substr(kOurs.size())] = text;
            if (key.starts_with(kFigures)) out[key.substr(kLearn.size())] = text;
        }
        send(response, out);
    }

    /// A user's progress, to be used under mutex_. The file is read where somebody else (`learn`) has changed it.
    Result<learn::Progress*> progress_of(const std::string& user) {
        Kept& kept = progress_[user];
        if (!options_.progress.empty())
            kept.file = options_.progress + "/" + (user.empty() ? "learn" : "user-" + user) + ".json";
        if (!kept.progress || stamp_of(kept.file) != kept.stamp) {
            auto read = learn::Progress::read(kept.file);
            if (!read) return std::move(read).error();
            kept.progress = std::move(*read);
            kept.stamp = stamp_of(kept.file);
        }
        return &*kept.progress;
    }

    Result<void> set_progress(const std::string& user, const std::string& exercise, const learn::Standing& standing) {
        auto progress = progress_of(user);
        if (!progress) return std::move(progress).error();
        auto ok = (*progress)->set(exercise, standing);
        progress_[user].stamp = stamp_of(progress_[user].file);
        return ok;
    }

    void course(const Request& request, Response& response) {
        std::lock_guard lock(mutex_);
        auto progress = progress_of(*user_of(request));
        if (!progress) return fail(response, 500, progress.error().text());
        json list = json::array();
        for (const std::string& name : course_.names()) {
            const learn::Exercise& e = exercises_.at(name);
            list.push_back({{"name", name},
                            {"title", e.texts_in(language_of(request)).title},
                            {"text", e.source},
                            {"done", !(*progress)->of(name).done.empty()}});
        }
        send(response, {{"title", course_.title_in(language_of(request))},
                        {"user", *user_of(request)},
                        {"exercises", std::move(list)},
                        {"models", arch::list_models()},
                        {"languages", learn::exercise_languages()}});
    }

    const learn::Exercise* named(const Request& request, Response& response) const {
        const auto it = exercises_.find(request.matches[1].str());
        if (it != exercises_.end()) return &it->second;
        fail(response, 404, "there is no such exercise");
        return nullptr;
    }

    void exercise(const Request& request, Response& response) {
        const learn::Exercise* e = named(request, response);
        if (!e) return;
        auto start = read_file(e->start_file(), file_limit::source);
        if (!start) return fail(response, 500, start.error().text());
        std::lock_guard lock(mutex_);
        auto progress = progress_of(*user_of(request));
        if (!progress) return fail(response, 500, progress.error().text());
        const learn::ExerciseTexts& texts = e->texts_in(language_of(request));
        const learn::Standing s = (*progress)->of(e->name);
        json hints = json::array();
        for (std::size_t i = 0; i < std::min<std::size_t>(s.hints, texts.hints.size()); ++i)
            hints.push_back(texts.hints[i]);
        json out = {{"name", e->name},        {"title", texts.title},      {"task", texts.task},
                    {"file", e->file},        {"start", *start},           {"questions", !e->questions.empty()},
                    {"model", e->model},      {"hints", std::move(hints)}, {"hints_all", texts.hints.size()},
                    {"done", !s.done.empty()}};
        if (!s.done.empty()) out["why"] = texts.why;
        send(response, out);
    }

    void hint(const Request& request, Response& response) {
        const learn::Exercise* e = named(request, response);
        if (!e) return;
        std::lock_guard lock(mutex_);
        auto progress = progress_of(*user_of(request));
        if (!progress) return fail(response, 500, progress.error().text());
        const auto& hints = e->texts_in(language_of(request)).hints;
        learn::Standing s = (*progress)->of(e->name);
        if (s.hints < hints.size()) ++s.hints;
        if (auto ok = set_progress(*user_of(request), e->name, s); !ok) return fail(response, 500, ok.error().text());
        json open = json::array();
        for (std::size_t i = 0; i < std::min<std::size_t>(s.hints, hints.size()); ++i) open.push_back(hints[i]);
        send(response, {{"hints", std::move(open)}, {"hints_all", hints.size()}});
    }

    /// Tells the progress, and what the exercise shows where it is done.
    void keep(const Attempt& attempt, json& answer) {
        const learn::Exercise& e = exercises_.at(attempt.exercise);
        const bool done = answer.value("done", false);
        std::lock_guard lock(mutex_);
        auto progress = progress_of(attempt.user);
        learn::Standing s = progress ? (*progress)->of(e.name) : learn::Standing{};
        ++s.attempts;
        if (done && s.done.empty()) s.done = now();
        const auto kept = progress ? set_progress(attempt.user, e.name, s) : Result<void>(progress.error());
        if (!kept) answer["warning"] = kept.error().text();
        if (done) answer["why"] = e.texts_in(attempt.language).why;
        // What mends a cause may be the solution: it is told where the third hint was.
        if (!done && s.hints < learn::kHintsBeforeSolution && answer.contains("causes"))
            for (json& cause : answer["causes"]) cause.erase("fix");
    }

    static std::string now() {
        const std::time_t t = std::time(nullptr);
        std::tm parts{};
        char text[32];
        ::gmtime_r(&t, &parts);
        return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
    }

    void judge(const Request& request, Response& response) {
        const json body = json::parse(request.body, nullptr, false);
        if (!body.is_object()) return fail(response, 400, "the request is no JSON in UTF-8");
        const auto word = [&](const char* key) {
            return body.contains(key) && body[key].is_string() ? body[key].get<std::string>() : std::string();
        };
        Attempt attempt{*user_of(request), word("exercise"), word("text"), word("model"), language_of(request)};
        if (!exercises_.contains(attempt.exercise)) return fail(response, 400, "there is no such exercise");
        if (attempt.text.size() > kMostText) return fail(response, 413, "the text is longer than 256 KiB");
        const std::string tab = word("tab").substr(0, 40);
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
        if (!users_.may(attempt.user, seconds)) return fail(response, 429, "too many attempts in a minute");
        Result<std::string> said = Error{};
        // Of each tab the newest; users share nothing.
        const auto end =
            jobs_.run(attempt.user + "/" + tab, [&](const auto& superseded) { said = judge_(attempt, superseded); });
        if (end == Jobs::End::superseded) return fail(response, 409, "a newer attempt took its place");
        if (end == Jobs::End::refused) return fail(response, 503, "too many attempts wait");
        if (!said) return fail(response, 422, said.error().text());
        json answer = json::parse(*said, nullptr, false);
        if (!answer.is_object()) return fail(response, 500, "the judge's answer cannot be read");
        keep(attempt, answer);
        send(response, answer);
    }

    const learn::Course course_;
    Users users_;
    const Judge judge_;
    const ServerOptions options_;
    std::map<std::string, learn::Exercise> exercises_;
    /// What tells a file from the one before.
    using Stamp = std::pair<std::filesystem::file_time_type, std::uintmax_t>;
    static Stamp stamp_of(const std::string& file) {
        std::error_code ec;
        const auto time = std::filesystem::last_write_time(file, ec);
        return ec ? Stamp{} : Stamp{time, std::filesystem::file_size(file, ec)};
    }
    struct Kept {
        std::string file;
        std::optional<learn::Progress> progress;
        Stamp stamp;
    };
    std::map<std::string, Kept> progress_;  ///< by user
    Jobs jobs_;
    std::mutex mutex_;
    BoundedHttp http_;
    socket_t listens_at_ = -1;  ///< the last that the server made
    int port_ = 0;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::open(const learn::Course& course, Users users, Judge judge,
                                             const ServerOptions& options) {
    auto server = std::make_unique<HttpServer>(course, std::move(users), std::move(judge), options);
    if (auto ok = server->open(); !ok) return std::move(ok).error();
    return std::unique_ptr<Server>(std::move(server));
}

}  // namespace warpwright::serve
