// The identifier is that of the file in which this function is.
#include "support/build_id.hpp"

#include "host/self.hpp"

namespace warpwright {

const std::string& build_id() {
    static const std::string id = host::build_id_of(reinterpret_cast<const void*>(&build_id));
    return id;
}

}  // namespace warpwright
