// Any text as a device model: an error, or a model that is written and read back as it was.
// Run: ww_fuzz_device_model tests/fuzz/corpus/device_model data/devices
#include "arch/model.hpp"
#include "fuzz_target.hpp"

using namespace warpwright;

FUZZ_TARGET(device_model) {
    auto model = arch::parse_model(std::string(text), "fuzz.toml");
    if (!model) return fuzz::check(model.error());
}
