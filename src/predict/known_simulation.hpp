// A simulation whose result is known, as it is kept in memory and on disk. Private to this room.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/trace.hpp"
#include "predict/bound.hpp"
#include "predict/causes.hpp"
#include "record/predicted.hpp"

namespace warpwright::predict {

/// Lines of source that were asked for while it was decided what holds a launch back, and what the answers were.
struct LinesAsked {
    std::map<std::string, std::vector<unsigned>> lines;  ///< by file: the first and the last of each row of lines
    std::string answers;                                 ///< a hash

    /// A source that notes what is asked of `source`, here.
    SourceLine noting(const SourceLine& source);
    /// After that: hashes the answers.
    void close(const SourceLine& source) { answers = answers_of(source); }
    /// Whether `source` still says the same.
    bool same(const SourceLine& source) const { return answers == answers_of(source); }

private:
    std::string answers_of(const SourceLine& source) const;
};

/// It is the outline of the trace that it came from.
struct KnownSimulation final : machine::TraceOutline {
    Work work;  ///< without its trace
    record::Predicted predicted;
    LinesAsked asked;
};

/// All that a simulation reads of a launch beside its trace, as bytes: equal for equal work.
std::string bytes_of(const Work& work);

/// Writes it as bytes, every number to its last bit.
std::string encoded(const KnownSimulation& known);
/// Reads them back; nothing where the bytes are anything else.
std::optional<KnownSimulation> decoded(std::string_view bytes);

}  // namespace warpwright::predict
