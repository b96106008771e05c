// One run over the processes of an mpirun (docs/hosts.md): the first runs the program, the others run blocks of its
// grids. A thread of each carries messages.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cli/console.hpp"
#include "cli/options/options.hpp"
#include "device/hosts/link.hpp"
#include "vendor/mpi.hpp"

namespace warpwright::cli {

class Hosts {
public:
    /// Whether this process is one of those that only run blocks, as mpirun says.
    static bool is_other();
    /// Joins the others. ErrorKind::usage where no mpirun has started this process, ErrorKind::no_device where there is
    /// no MPI, or another host has another version.
    static Result<std::unique_ptr<Hosts>> join();
    ~Hosts();
    Hosts(const Hosts&) = delete;

    unsigned count() const { return mpi_->size(); }
    /// Host threads of this process: `asked`, else its part of the machine's, or what mpirun lets it have of that.
    unsigned threads(unsigned asked) const;
    /// The first process: listens at `path` for the device whose grids are shared.
    Result<void> listen(const std::string& path);
    /// The first process: the run is over. Tells what became of its grids.
    void end(Console& console);
    /// A host has not answered, so that nobody may wait for it: the process ends at once with this code.
    [[nodiscard]] bool somebody_lost() const { return lost_; }
    /// Another process: runs blocks until the run is over.
    Result<void> serve(unsigned threads);

private:
    using Message = device::HostMessage;
    explicit Hosts(std::shared_ptr<vendor::Mpi> mpi) : mpi_(std::move(mpi)) {}
    Result<void> compare_versions();
    unsigned part_of_cores() const;
    void carry_first();
    void carry_other();
    bool carry_out();
    bool carry_in(unsigned from);
    bool let_in();
    void note(const Message& m);
    bool is_wanted(const Message& m) const;
    Result<void> tell(const Message& m, unsigned to);
    Result<std::optional<Message>> hear(unsigned from);
    void say_alive();
    void tell_all(Message::Kind kind);
    void look_for_lost();
    bool is_there(unsigned host) const { return heard_.contains(host); }

    std::shared_ptr<vendor::Mpi> mpi_;
    std::thread carrying_;
    std::atomic<bool> over_{false}, lost_{false};
    std::chrono::steady_clock::time_point said_{};
    // Of the first process.
    std::atomic<int> listening_{-1};
    std::string path_;
    std::unique_ptr<device::HostLink> link_;
    std::uint64_t grid_ = 0;                                           ///< that is shared now; 0: none
    std::map<unsigned, std::chrono::steady_clock::time_point> heard_;  ///< of the hosts that are not lost
    std::map<std::string, std::uint64_t> shared_;
    std::map<std::pair<std::string, std::string>, std::uint64_t> whole_;  ///< by kernel and reason
    // Of another one: messages for its own thread, and from it.
    std::mutex mutex_;
    std::condition_variable moved_;
    std::deque<Message> in_, out_;
};

/// What a process other than the first does: an exit code. What went wrong for all is told by the first.
int serve_host(const RunOptions& options, Console& console);
/// Ends the process where another one may never end: nobody waits for it.
[[noreturn]] void leave(int code);

}  // namespace warpwright::cli
