// Another host's side: it runs blocks of the first host's grids until the run is over.
#pragma once

#include <functional>

#include "device/hosts/link.hpp"

namespace warpwright::device {

/// How messages of the first host come and go.
struct HostEnds {
    std::function<HostMessage()> take;  ///< waits; `over` where there will be none any more
    std::function<void(HostMessage)> give;
};

/// Serves the first host's messages until `over` comes. `threads`: of this host; 0 = all.
/// ErrorKind::limit where the device's memory has no place here.
Result<void> serve_blocks(const HostEnds& ends, unsigned threads, const std::string& cache_directory);

}  // namespace warpwright::device
