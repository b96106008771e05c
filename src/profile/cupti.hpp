// Finds CUPTI on this machine: for the injection library inside the program, and for `warpwright run` before it starts
// one.
// one.
#pragma once

#include <string>

#include "profile/cupti_api.hpp"
#include "support/library_search.hpp"

namespace warpwright::cupti {

struct Library {
    CuptiFunctions table;
    std::string path;
    std::uint32_t version = 0;  ///< as cuptiGetVersion has it

    bool counts() const { return table.range_start && table.host_evaluate && table.host_add; }
    std::string title() const;  ///< "CUPTI 13.0"
    std::string text(Code code) const;
};

/// The newest CUPTI that was made for a driver of `driver_version` (13000; 0: not known) or an older one.
/// WARPWRIGHT_CUPTI names a library or a folder. ErrorKind::no_device, saying where it was looked for and what to do,
/// where there is none.
Result<Library> open_cupti(int driver_version);
Result<Library> open_cupti(int driver_version, const LibrarySearch& search);

/// The CUDA release (13000) that a CUPTI's version number belongs to.
int release_of(std::uint32_t version);

}  // namespace warpwright::cupti
