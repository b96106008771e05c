// warpwright serve: the course as a page. Each attempt is judged by this program again, in a confined process, which
// ends where a newer attempt takes its place.
#include <fmt/format.h>
#include <pthread.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include "cli/commands/commands.hpp"
#include "cli/commands/output_files.hpp"
#include "cli/options/common_options.hpp"
#include "confine/confine.hpp"
#include "host/machine.hpp"
#include "learn/exercise.hpp"
#include "learn/workshop.hpp"
#include "serve/server.hpp"
#include "support/child_process.hpp"
#include "support/early_end.hpp"
#include "support/temporary_folder.hpp"
#include "support/user_folders.hpp"
#include "support/write_file.hpp"

extern char** environ;

namespace warpwright::cli {
namespace {

struct ServeOptions {
    std::string course, listen = "127.0.0.1", users, progress, self;
    std::vector<std::string> names;
    unsigned port = 0, jobs = 0, per_minute = 60;
    double limit = 5;  ///< seconds for a launch
    std::uint64_t instructions = learn::kMostInstructions;
};

/// Of one attempt, besides the limits of a launch and of the confined process.
constexpr double kSecondsEach = 60;
constexpr std::size_t kOutput = std::size_t{4} << 20;

/// The program's own words to judge a file.
std::vector<std::string> words_of(const ServeOptions& o, const std::string& course, const serve::Attempt& a,
                                  const std::string& file) {
    std::vector<std::string> out{o.self,           "learn",
                                 a.exercise,       "--untrusted",
                                 "--json",         "-",
                                 "--course",       course,
                                 "--file",         file,
                                 "--limit",        fmt::format("{}", o.limit),
                                 "--instructions", std::to_string(o.instructions),
                                 "--threads",      "1",
                                 "--lang",         a.language};
    if (!a.model.empty()) out.insert(out.end(), {"--model", a.model});
    return out;
}

/// Places are in the learner's file, whose folder here means nothing to anybody.
std::string without(std::string text, const std::string& folder) {
    for (std::size_t at = 0; (at = text.find(folder + "/", at)) != std::string::npos;)
        text.erase(at, folder.size() + 1);
    return text;
}

Result<std::string> judge(const ServeOptions& o, const learn::Course& course, const std::string& file_name,
                          const serve::Attempt& a, const std::atomic<bool>& superseded) {
    // A model is a name here: a path would be a file of the server's.
    if (a.model.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._") != std::string::npos || a.model.size() > 40)
        return Error{ErrorKind::usage, "there is no such device model", Location{}, ""};
    const TemporaryFolder folder("serve");
    const std::string file = folder.path() + "/" + file_name;
    if (auto ok = write_file(file, a.text); !ok) return std::move(ok).error();
    Pipe out, errors;
    if (!out.open() || !errors.open()) return Error{ErrorKind::internal, "no more files can be opened", Location{}, ""};
    Start start;
    start.words = words_of(o, course.file, a, file);
    for (char** e = environ; *e; ++e) start.environment.emplace_back(*e);
    start.output = out.write;
    start.errors = errors.write;
    auto child = Child::start(start);
    if (!child) return std::move(child).error();
    Pipe::shut(out.write);
    Pipe::shut(errors.write);
    std::string text, said;
    const auto keep = [](std::string& to) {
        return [&to](std::string_view bytes) {
            return to.append(bytes.substr(0, kOutput - std::min(kOutput, to.size()))), true;
        };
    };
    Output outputs[] = {{&out, keep(text)}, {&errors, keep(said)}};
    const auto end = pump(outputs, deadline_after(kSecondsEach), [&] { return !superseded.load(); });
    if (end != PumpEnd::closed) {
        (void)child->kill();
        (void)child->wait();
        return Error{
            ErrorKind::limit,
            superseded ? "a newer attempt took its place" : fmt::format("it took longer than {} s", kSecondsEach),
            Location{}, ""};
    }
    (void)child->wait();
    if (text.starts_with("{")) return without(std::move(text), folder.path());
    while (!said.empty() && said.back() == '\n') said.pop_back();
    said = without(std::move(said), folder.path());
    return Error{ErrorKind::fault, said.empty() ? "the judge gave no answer" : said.substr(0, 2000), Location{}, ""};
}

Result<serve::Users> users_of(const ServeOptions& o, std::string& token) {
    if (!o.users.empty()) return serve::Users::read(o.users, o.per_minute);
    auto made = serve::new_token();
    if (!made) return std::move(made).error();
    token = *made;
    return serve::Users::alone(token);
}

/// SIGINT and SIGTERM end the server in order: what it started ends with it. To be called before there are threads.
class EndBySignal {
public:
    EndBySignal() {
        ::sigemptyset(&set_);
        for (const int signal : {SIGINT, SIGTERM}) ::sigaddset(&set_, signal);
        ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    }
    void wait() const {
        int signal = 0;
        ::sigwait(&set_, &signal);
    }

private:
    sigset_t set_;
};

int run_serve(const ServeOptions& o, Console& console) {
    if (auto ok = confine::supported(); !ok) return console.fail(ok.error());
    if (o.port > 65535)
        return console.fail(Error{ErrorKind::usage, fmt::format("there is no port {}", o.port), Location{},
                                  "0 to 65535; 0 is one that is free"});
    const bool local = o.listen == "127.0.0.1" || o.listen == "localhost";
    if (!local && o.users.empty())
        return console.fail(Error{ErrorKind::usage, "--listen " + o.listen + " needs --users", Location{},
                                  "whoever reaches it must have a token: docs/serve.md"});
    auto file = o.course.empty() ? learn::own_course() : Result<std::string>(o.course);
    if (!file) return console.fail(file.error());
    auto course = learn::read_course(*file);
    if (!course) return console.fail(course.error());
    std::map<std::string, std::string> files;
    for (const std::string& folder : course->folders) {
        auto e = learn::read_heading(folder);
        if (!e) return console.fail(e.error());
        files.emplace(e->name, e->file);
    }
    std::string token;
    auto users = users_of(o, token);
    if (!users) return console.fail(users.error());
    serve::ServerOptions options;
    options.address = o.listen;
    options.port = static_cast<int>(o.port);
    options.names = o.names;
    options.places = o.jobs ? o.jobs : host::usable_cores();
    options.progress = o.progress.empty() ? user_data_folder() : o.progress;
    const EndBySignal end;
    auto server = serve::Server::open(
        *course, std::move(*users),
        [&](const serve::Attempt& a, const std::atomic<bool>& superseded) {
            return judge(o, *course, files.at(a.exercise), a, superseded);
        },
        options);
    if (!server) return console.fail(server.error());
    const std::string host = serve::host_to_open(options);
    console.out(
        fmt::format("http://{}:{}/{}\n", host, (*server)->port(), token.empty() ? "#token=..." : "#token=" + token));
    if (host != o.listen) console.note(fmt::format("it listens at {}, port {}", o.listen, (*server)->port()));
    console.note("Ctrl-C ends it");
    if (!console.flush()) return 2;
    std::jthread thread([&] { (*server)->run(); });
    end.wait();
    (*server)->stop();
    return 0;
}

}  // namespace

Command add_serve(CLI::App& app, const Invocation& invocation) {
    auto o = std::make_shared<ServeOptions>();
    o->self = invocation.self;
    CLI::App* c = app.add_subcommand("serve", "the course as a page on this machine");
    c->add_option("--course", o->course, "a course of one's own: a course.toml")->type_name("FILE");
    add_number(*c, "--port", o->port, "0 = one that is free");
    c->add_option("--listen", o->listen, "the address to listen at; others than this machine's own need --users")
        ->capture_default_str()
        ->type_name("ADDRESS");
    c->add_option("--users", o->users, "the users' names and tokens, in TOML")->type_name("FILE");
    c->add_option("--name", o->names, "a further name by which browsers reach it (a reverse proxy's)")
        ->type_name("HOST");
    c->add_option("--progress", o->progress, "a folder for what is done; without it your own")->type_name("DIR");
    c->add_option("--limit", o->limit, "seconds of processor time that a launch may take")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    add_instructions(*c, o->instructions);
    add_number(*c, "--jobs", o->jobs, "attempts judged at a time; 0 = one for each core that may be used");
    add_number(*c, "--per-minute", o->per_minute,
               "attempts that a user of --users may make in a minute; 0 = any number");
    return {c, [o](Console& console) { return run_serve(*o, console); }};
}

}  // namespace warpwright::cli
