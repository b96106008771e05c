// The order of a program's work on the same memory (WARPWRIGHT_MODE=check): work in different streams that nothing
// orders, and memory that is allocated or freed in a stream's order while work of others uses it. What precedes what is
// known from the program's calls (work/stream/stream_order.hpp); what a kernel accessed, from the checkers' shadow
// memory.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cudart/observe/host_guard.hpp"
#include "cudart/observe/patience.hpp"
#include "cudart/observe/work_accesses.hpp"
#include "cudart/work/program_observer.hpp"
#include "cudart/work/stream/operation.hpp"
#include "record/finding.hpp"
#include "support/source_files.hpp"

namespace warpwright::cudart {

class StreamChecks final : public ProgramObserver {
public:
    static StreamChecks& get();

    void copying(const Copy& copy) override;
    void filling(const Fill& fill) override;
    void queuing(const Copy& copy) override;
    void queued(const Copy& copy, const IssuedWork& by) override;
    void made(const Copy& copy) override;
    void copied(const char* name, timeline::Work& work) override;
    void queuing_launches(std::span<const std::byte> parameters) override;
    void queued_launches(const IssuedWork& by) override;
    void host_waits(const IssuedWork& by) override;
    void function_begins() override;
    void function_ends() override;
    void host_waited() override;
    void host_told() override;
    void order_lost() override;
    /// The program ends.
    void finish();
    void begins(const Launch& launch) override;
    void ends(const Launch& launch) override;
    void allocated(const Block& block, const IssuedWork& by) override;
    bool freed(const Block& block, const IssuedWork& by) override;

private:
    StreamChecks() = default;
    /// Memory that a stream allocated, or freed, and by which work.
    struct Memory {
        Block block;
        IssuedWork by;
    };
    /// The host's memory from which a copy is made that the host has not waited for, as it was when it was queued.
    struct Source {
        Copy copy;
        IssuedWork by;
        std::string was;
    };
    /// Several streams are in use, or a graph's nodes beside each other, so what launches access has to be known when
    /// they end.
    bool several();
    std::optional<WorkAccesses> current();
    /// Compares work that has run with all that is not ordered before or after it, and keeps it.
    void add(WorkAccesses work);
    void compare(const WorkAccesses& one, const WorkAccesses& other);
    void compare_with_memory(const WorkAccesses& work);
    void forget_settled();
    void host_goes_on();
    void hold_back(const IssuedWork& work);
    void take_touches();
    void forget_touches();
    void judge(const std::vector<HostGuard::Touch>& touches, WorkAccesses& kernel);
    void report_touch_of_copy(const HostGuard::Touch& touch);
    void report_touch(const HostGuard::Touch& touch, const WorkAccesses& kernel, const AccessRange& range, bool write);
    void report(record::FindingKind kind, const WorkAccesses& late, const Overlap& overlap, const WorkAccesses& early);
    void report_memory(record::FindingKind kind, const WorkAccesses& work, const AccessRange& range,
                       const Memory& memory, const std::string& what);
    record::Finding finding(record::FindingKind kind, std::uint64_t address, std::uint64_t bytes);
    void name(record::Finding& found, std::uint64_t address);

    std::mutex mutex_;
    bool several_ = false;
    std::deque<WorkAccesses> work_;  ///< that others may not be ordered with
    std::size_t look_at_ = 64;       ///< when so much of it is kept, what is settled is looked for
    std::vector<Memory> allocated_, freed_;
    std::vector<Source> sources_of_copies_;
    std::vector<HostGuard::Touch> touched_;  ///< of memory that kernels may use of which the host does not know yet
    std::vector<IssuedWork> synchronised_;   ///< kernels that tell the host of their own through memory
    std::atomic<int> closing_{0};            ///< launches that are being queued
    std::mutex hold_;
    std::condition_variable held_;
    Preceding released_;  ///< work for which the host waits, or has waited
    Patience patience_;
    SourceFiles sources_;
};

}  // namespace warpwright::cudart
