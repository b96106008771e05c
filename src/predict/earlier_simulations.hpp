// Launches that do the same as an earlier one are not simulated again, in this process or in one before it. Private to
// this room.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "arch/model.hpp"
#include "predict/bound.hpp"
#include "predict/causes.hpp"
#include "predict/known_simulation.hpp"
#include "record/predicted.hpp"

namespace warpwright {
class DiskCache;
}

namespace warpwright::predict {

/// The last simulations on one device model, and those that are kept on disk. Any thread may call it.
class EarlierSimulations {
public:
    /// `directory`: of the caches; empty: nothing is kept beyond this object. `of_what`: what else results depend on
    /// than the launch and the model.
    EarlierSimulations(const arch::DeviceModel& model, std::string directory, std::string_view of_what);

    /// Before a launch: what stands in place of its trace, where one of that course (LaunchTrace::course) has a result;
    /// null where none has. `before`: what is known of its work by then; `source`: see find().
    std::shared_ptr<const machine::LaunchTrace> known(const std::string& course, const Work& before,
                                                      const SourceLine& source);
    /// What came of an equal launch whose trace is the same: the same object, one of the same course, or one of the
    /// same content. `content`: of the trace, where it was hashed for that. What was kept on disk counts where `source`
    /// says what it said then.
    std::optional<record::Predicted> find(const Work& work, std::string& content, const SourceLine& source);
    /// Of a launch that was not traced and has run otherwise than its course told: that course is never known again.
    void forget(const Work& work);
    void keep(const Work& work, std::string content, const record::Predicted& predicted, LinesAsked asked);

private:
    /// Simulations in memory; and those that one object writes to the disk, where each takes some KiB.
    static constexpr std::size_t kMost = 64, kMostWritten = 2000;
    static constexpr std::uint64_t kBytes = std::uint64_t{64} << 20;
    struct Simulation {
        std::shared_ptr<const KnownSimulation> known;
        std::weak_ptr<const machine::LaunchTrace> trace;
        std::shared_ptr<const machine::Code> code;
        std::string course, content;  ///< of the trace; empty: not known
    };
    DiskCache disk() const;
    std::string key_of_course(const std::string& course, const Work& before) const;
    std::string key_of_content(const Work& work, const std::string& content) const;
    std::shared_ptr<const KnownSimulation> kept(const std::string& key, const SourceLine& source) const;
    bool may_write();
    void remember(Simulation simulation);

    const std::string directory_, of_what_;
    std::mutex mutex_;
    std::deque<Simulation> last_;
    std::set<std::string> forgotten_;  ///< courses
    std::size_t written_ = 0;
};

}  // namespace warpwright::predict
