// Requests to memory as pictures: which lane wants which sector, or which bank.
#pragma once

#include <cstdint>
#include <string>

#include "cli/commands/learn.hpp"
#include "record/launch_picture.hpp"

namespace warpwright::cli {

/// Sectors, or wavefronts of shared memory, that as many bytes side by side would take.
std::uint32_t least_of(const record::AccessPicture& access);

/// A request in a sentence.
std::string access_sentence(const Desk& desk, const record::AccessPicture& access);

/// The request that costs most at the line that is told of, in a sentence and drawn; empty where none is told of.
std::string access_text(const Desk& desk, const learn::Verdict& verdict, const std::string& file);

/// Lines of 128 bytes, each as four sectors with the lanes that want them: "|0-7|8-15|.|.|".
std::string sectors_drawn(const record::AccessPicture& access, std::size_t width, bool unicode);

/// A row for each wavefront, and in it below each bank the first lane whose word it gives; "+": it gives others the
/// same.
std::string banks_drawn(const record::AccessPicture& access, const std::string& bank);

}  // namespace warpwright::cli
