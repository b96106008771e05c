// What a learner has done, kept in a file of the user's own.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "support/result.hpp"

namespace warpwright::learn {

struct Standing {
    std::string done;            ///< when it was done first, ISO 8601; empty: not yet
    std::uint32_t hints = 0;     ///< opened
    std::uint32_t attempts = 0;  ///< times that the file was looked at
    bool operator==(const Standing&) const = default;
};

class Progress {
public:
    /// Of a file; one that is not there is a fresh start. ErrorKind::input where it is no such file: nothing is lost.
    static Result<Progress> read(std::string file);
    /// learn.json in the user's own data folder; empty where there is no home.
    static std::string own_file();

    Standing of(const std::string& exercise) const;
    /// Changes one, and writes the file. With an empty file name nothing is kept.
    Result<void> set(const std::string& exercise, const Standing& standing);

private:
    std::string file_;
    std::map<std::string, Standing> all_;
};

}  // namespace warpwright::learn
