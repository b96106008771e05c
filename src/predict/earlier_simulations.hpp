// Launches that do the same as an earlier one are not simulated again. Private to this room.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "predict/bound.hpp"
#include "record/predicted.hpp"

namespace warpwright::predict {

/// The last simulations on one device model. Any thread may call it.
class EarlierSimulations {
public:
    /// What came of an equal launch whose trace is the same: the same object (the device knows of some launches before
    /// that they do the same), or one of the same content. `content`: of the trace, where it was hashed for that.
    std::optional<record::Predicted> find(const Work& work, std::string& content);
    void keep(const Work& work, std::string content, const record::Predicted& predicted);

private:
    static constexpr std::size_t kMost = 16;
    struct Simulation {
        Work work;  ///< without its trace, which may go meanwhile
        std::weak_ptr<const machine::LaunchTrace> trace;
        std::shared_ptr<const machine::Code> code;
        std::string content;  ///< of the trace: its hash
        record::Predicted predicted;
    };
    std::mutex mutex_;
    std::deque<Simulation> last_;
};

}  // namespace warpwright::predict
