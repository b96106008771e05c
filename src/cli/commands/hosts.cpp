// Only the thread that carries messages calls MPI once it runs. What has nothing to say sleeps for a moment; each host
// says every second that it is there.
#include "cli/commands/hosts.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "device/hosts/worker.hpp"
#include "host/machine.hpp"
#include "support/build_id.hpp"
#include "support/content_hash.hpp"
#include "support/demangle.hpp"
#include "support/disk_cache.hpp"
#include "support/settings.hpp"

namespace warpwright::cli {

namespace {

using Kind = device::HostMessage::Kind;
using Clock = std::chrono::steady_clock;

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

/// Where something has just moved more may come at once; else there is time to sleep.
class Rest {
public:
    void after(bool moved) {
        constexpr std::chrono::milliseconds kAwake{1};
        const auto now = Clock::now();
        if (moved) moved_ = now;
        now - moved_ < kAwake ? std::this_thread::yield() : nap();
    }

private:
    Clock::time_point moved_{};
};

std::chrono::duration<double> patience() {
    return std::chrono::duration<double>(settings::number(Setting::hosts_patience, 30));
}

std::string here() {
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

bool Hosts::is_other() { return vendor::Mpi::rank_by_environment() > 0; }

Result<std::unique_ptr<Hosts>> Hosts::join() {
    if (!vendor::Mpi::started())
        return Error{ErrorKind::usage,
                     "--hosts needs several processes, and no mpirun has started this one with others",
                     {},
                     "mpirun -n 4 warpwright run --hosts ./app"};
    auto mpi = vendor::Mpi::open();
    if (!mpi) return mpi.error();
    std::unique_ptr<Hosts> out(new Hosts(std::move(*mpi)));
    if (auto ok = out->compare_versions(); !ok) return ok.error();
    if (out->mpi_->rank() == 0) {
        // From now on the others hear that this one is there, however long the program takes to begin.
        for (unsigned r = 1; r < out->count(); ++r) out->heard_[r] = Clock::now();
        out->carrying_ = std::thread([&hosts = *out] { hosts.carry_first(); });
    }
    return out;
}

/// All say to the first what they are, and it says whether that is the same.
Result<void> Hosts::compare_versions() {
    // (A build's own mark has any bytes, an end of line too.)
    const auto own = fmt::format("{} {}", WARPWRIGHT_VERSION, content_hash(build_id()).substr(0, 12));
    const auto late = Clock::now() + std::max(patience(), std::chrono::duration<double>(10));
    const auto answer = [&](unsigned from) -> Result<std::string> {
        for (; Clock::now() < late; nap()) {
            auto m = hear(from);
            if (!m) return m.error();
            if (*m) return std::move((*m)->body);
        }
        return Error{ErrorKind::no_device, fmt::format("process {} does not answer", from), {}, ""};
    };
    const auto other = [](const std::string& where, const std::string& version) {
        return Error{ErrorKind::no_device,
                     fmt::format("{} has another version: {}", where, version),
                     {},
                     "install the same build of Warpwright on all of them"};
    };
    if (mpi_->rank() != 0) {
        if (auto ok = tell({0, Kind::said, own + "\n" + here()}, 0); !ok) return ok;
        auto first = answer(0);
        if (!first) return first.error();
        return *first == own ? Result<void>() : other("the first host", *first);
    }
    std::optional<Error> wrong;
    for (unsigned r = 1; r < count(); ++r) {
        auto version = answer(r);
        if (!version) return version.error();
        const auto end = version->find('\n');
        if (version->substr(0, end) != own && !wrong)
            wrong = other(fmt::format("process {} on {}", r, version->substr(end + 1)), version->substr(0, end));
    }
    for (unsigned r = 1; r < count(); ++r)
        if (auto ok = tell({r, Kind::said, wrong ? "one that differs from another host's" : own}, r); !ok) return ok;
    for (auto gone = mpi_->sent(); gone && !*gone && Clock::now() < late; gone = mpi_->sent()) nap();
    if (wrong) return *wrong;
    return {};
}

unsigned Hosts::part_of_cores() const { return std::max(1u, std::thread::hardware_concurrency() / mpi_->local_size()); }

unsigned Hosts::threads(unsigned asked) const {
    return asked ? asked : std::min(part_of_cores(), host::allowed_cores());
}

Result<void> Hosts::tell(const Message& m, unsigned to) {
    const std::string all = static_cast<char>(m.kind) + m.body;
    return mpi_->send(std::as_bytes(std::span(all.data(), all.size())), to);
}

Result<std::optional<device::HostMessage>> Hosts::hear(unsigned from) {
    auto bytes = mpi_->receive(from);
    if (!bytes) return std::move(bytes).error();
    if (!*bytes || (*bytes)->empty()) return std::optional<Message>();
    const auto& b = **bytes;
    return std::optional(
        Message{from, static_cast<Kind>(b[0]), std::string(reinterpret_cast<const char*>(b.data()) + 1, b.size() - 1)});
}

void Hosts::say_alive() {
    if (Clock::now() - said_ < std::min(std::chrono::duration<double>(1), patience() / 4)) return;
    said_ = Clock::now();
    if (mpi_->rank() != 0) return (void)tell({0, Kind::alive, ""}, 0).ok();
    tell_all(Kind::alive);
}

/// To lost ones too: who comes back must not believe that the first host is lost, since mpirun would then end all.
void Hosts::tell_all(Kind kind) {
    for (unsigned r = 1; r < count(); ++r) {
        (void)tell({r, kind, ""}, r).ok();
        if (!is_there(r)) mpi_->abandon(r);
    }
}

Result<void> Hosts::listen(const std::string& path) {
    path_ = path;
    const int place = device::listen_at(path);
    if (place < 0)
        return Error{ErrorKind::internal,
                     "no connection of this machine's: " + std::string(std::strerror(errno)),
                     {},
                     "set TMPDIR to a folder with a short path"};
    listening_ = place;
    return {};
}

/// Of several processes of the program one shares its grids at a time.
bool Hosts::let_in() {
    if (listening_ < 0) return false;
    pollfd one{listening_, POLLIN, 0};
    if (::poll(&one, 1, 0) <= 0) return false;
    const int s = ::accept(listening_, nullptr, nullptr);
    if (s < 0) return false;
    auto fresh = std::make_unique<device::HostLink>(s);
    if (link_) return true;
    link_ = std::move(fresh);
    link_->post({0, Kind::alive, device::WriteWords().add(std::uint32_t{count() - 1}).take()});
    return true;
}

void Hosts::note(const Message& m) {
    device::ReadWords r(m.body);
    const auto kernel = r.text(), why = r.text();
    grid_ = 0;
    why.empty() ? ++shared_[kernel] : ++whole_[{kernel, why}];
}

/// What the program's device has to say.
bool Hosts::carry_out() {
    if (!link_) return false;
    auto m = link_->receive(std::chrono::milliseconds(0));
    if (!m) {
        if (link_->closed()) link_.reset(), grid_ = 0;
        return false;
    }
    if (m->kind == Kind::said) return note(*m), true;
    device::ReadWords r(m->body);
    if (m->kind == Kind::grid) grid_ = r.get<std::uint64_t>();
    if (m->kind == Kind::stop) grid_ = 0;
    for (unsigned h = 1; h < count(); ++h)
        if (is_there(h) && (m->host == h || m->host == Message::kAll)) (void)tell(*m, h).ok();
    return true;
}

/// Only what is about the grid that is shared now has somebody who reads it.
bool Hosts::is_wanted(const Message& m) const {
    if (!link_ || !grid_) return false;
    return m.kind == Kind::alive || device::ReadWords(m.body).get<std::uint64_t>() == grid_;
}

bool Hosts::carry_in(unsigned from) {
    auto m = hear(from);
    if (!m || !*m || !is_there(from)) return false;
    heard_[from] = Clock::now();
    // (That somebody is there is worth no waiting.)
    if (is_wanted(**m) && ((*m)->kind != Kind::alive || link_->flushed())) link_->post(**m);
    return true;
}

/// Messages to a host that has fallen silent may never go: the others do not wait for that.
void Hosts::look_for_lost() {
    for (auto at = heard_.begin(); at != heard_.end();) {
        if (Clock::now() - at->second <= patience()) {
            ++at;
            continue;
        }
        lost_ = true;
        mpi_->abandon(at->first);
        at = heard_.erase(at);
    }
}

void Hosts::carry_first() {
    Rest rest;
    while (!over_) {
        say_alive();
        bool moved = let_in();
        if (link_) moved |= link_->flush();
        look_for_lost();
        const auto gone = mpi_->sent();
        if (gone && *gone) moved |= carry_out();
        for (unsigned r = 1; r < count(); ++r) moved |= carry_in(r);
        rest.after(moved);
    }
    while (carry_out()) {  // what was said last
    }
    for (const auto& [r, heard] : heard_)
        if (Clock::now() - heard > std::chrono::seconds(5)) lost_ = true;
    tell_all(Kind::over);
    const auto late = Clock::now() + std::chrono::seconds(lost_ ? 1 : 10);
    for (auto gone = mpi_->sent(); gone && !*gone && Clock::now() < late; gone = mpi_->sent()) nap();
}

void Hosts::end(Console& console) {
    over_ = true;
    if (carrying_.joinable()) carrying_.join();
    std::uint64_t all = 0;
    for (const auto& [kernel, times] : shared_) all += times;
    console.note(fmt::format("{} launch{} of {} kernel{} ran on {} hosts", all, all == 1 ? "" : "es", shared_.size(),
                             shared_.size() == 1 ? "" : "s", count()));
    if (const unsigned cores = host::allowed_cores(), part = part_of_cores(); cores < part)
        console.note(fmt::format("mpirun lets the first host have {} of {} cores; with mpirun --bind-to none it has {}",
                                 cores, std::thread::hardware_concurrency(), part));
    for (const auto& [key, times] : whole_)
        console.note(fmt::format("{} ran on the first host alone{}: {}", demangle(key.first),
                                 times == 1 ? "" : fmt::format(", {} times", times), key.second));
}

Hosts::~Hosts() {
    over_ = true;
    if (carrying_.joinable()) carrying_.join();
    if (listening_ >= 0) ::close(listening_), ::unlink(path_.c_str());
}

void Hosts::carry_other() {
    auto heard = Clock::now();
    Rest rest;
    while (!over_) {
        say_alive();
        bool moved = false;
        auto m = hear(0);
        if (m && *m) {
            heard = Clock::now(), moved = true;
            const std::lock_guard lock(mutex_);
            if ((*m)->kind != Kind::alive) in_.push_back(std::move(**m));
        } else if (!m || Clock::now() - heard > patience()) {
            lost_ = true;
            const std::lock_guard lock(mutex_);
            in_.push_back({0, Kind::over, ""});
            over_ = true;
        }
        const auto gone = mpi_->sent();
        std::unique_lock lock(mutex_);
        if (gone && *gone && !out_.empty()) {
            const Message next = std::move(out_.front());
            out_.pop_front();
            lock.unlock();
            (void)tell(next, 0).ok();
            moved = true;
        }
        moved_.notify_all();
        if (lock.owns_lock()) lock.unlock();
        rest.after(moved);
    }
}

Result<void> Hosts::serve(unsigned threads) {
    constexpr std::size_t kMostWaiting = 16;
    device::HostEnds ends;
    ends.take = [this] {
        std::unique_lock lock(mutex_);
        moved_.wait(lock, [this] { return !in_.empty(); });
        auto m = std::move(in_.front());
        in_.pop_front();
        return m;
    };
    ends.give = [this](Message m) {
        std::unique_lock lock(mutex_);
        moved_.wait(lock, [this] { return out_.size() < kMostWaiting || over_; });
        out_.push_back(std::move(m));
    };
    carrying_ = std::thread([this] { carry_other(); });
    auto ok = device::serve_blocks(ends, threads, default_cache_directory());
    over_ = true;
    carrying_.join();
    if (!ok) return ok;
    if (lost_) return Error{ErrorKind::no_device, "the first host is lost: nothing comes from it any more", {}, ""};
    return {};
}

int serve_host(const RunOptions& options, Console& console) {
    auto hosts = Hosts::join();
    if (!hosts) return exit_code(hosts.error().kind);
    auto ok = (*hosts)->serve((*hosts)->threads(options.threads));
    if (ok) return 0;
    const int code = console.fail(ok.error());
    if ((*hosts)->somebody_lost()) leave(code);
    return code;
}

void leave(int code) {
    std::fflush(stdout);
    std::fflush(stderr);
    std::_Exit(code);
}

}  // namespace warpwright::cli
