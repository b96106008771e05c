// A made-up ladder that doubles numbers, and a device whose kernels do: for what stands on ladders, without an engine.
#pragma once

#include "common/files.hpp"
#include "fake_device.hpp"

namespace warpwright::ladder::test {

/// "y = 2 x" over n numbers (n < 1000), by default `usual`; `rungs`: TOML from [defaults] on, of the source twice.ptx.
/// `types`: what the axis T takes; without any there is no such axis and numbers are f32.
inline std::string twice(const std::string& rungs, const std::string& types = {}, unsigned usual = 8) {
    const std::string type = types.empty() ? "f32" : "T";
    return "schema = 1\nname = \"twice\"\ntitle = \"y = 2 x\"\n[problem]\nsizes = [\"n\"]\ndefault = [" +
           std::to_string(usual) + "]\nrequire = \"n < 1000\"\n" +
           (types.empty() ? "" : "[axes]\nT = [" + types + "]\n") + "[[buffer]]\nname = \"x\"\ntype = \"" + type +
           "\"\ncount = \"n\"\ncontents = \"iota\"\n[[buffer]]\nname = \"y\"\ntype = \"" + type +
           "\"\ncount = \"n\"\nrole = \"output\"\n[reference]\nelementwise = \"2*x\"\ninputs = [\"x\"]\noutput = "
           "\"y\"\n"
           "[tolerance]\nrelative = \"1e-6\"\n" +
           rungs;
}

/// One block of 32, and the rungs right, wrong (by one) and faulty.
inline const std::string kDoublerRungs = R"toml(
[defaults]
arguments = ["x", "y", "n"]
grid = [1]
block = [32]
flops = "n"
bytes = "8*n"
[[rung]]
name = "right"
source = "twice.ptx"
entry = "right"
[[rung]]
name = "wrong"
source = "twice.ptx"
entry = "wrong"
[[rung]]
name = "faulty"
source = "twice.ptx"
entry = "faulty"
)toml";

/// A folder with such a ladder.
class TwiceFolder : public warpwright::test::Folder {
public:
    explicit TwiceFolder(const std::string& ladder) : Folder("ladder") {
        write("ladder.toml", ladder);
        write("twice.ptx", "\n");
    }
};

/// Doubles floats, rightly or not, by the kernel's name. After a fault that `breaks` it, it is gone.
class Doubler : public FakeDevice {
public:
    Doubler() {
        for (const char* name : {"right", "wrong", "faulty"}) kernels.push_back(kernel(name, {"u64", "u64", "u64"}));
        body = [this](const Call& call) -> Result<void> {
            if (gone) return Error{ErrorKind::no_device, "the device is gone", {}, ""};
            if (call.kernel == "faulty") {
                gone = breaks;
                return Error{ErrorKind::fault, "a fault", {}, ""};
            }
            const std::size_t n = call.get<std::uint64_t>(16);
            const float add = call.kernel == "wrong" ? 1 : 0;
            for (std::size_t i = 0; i < n; ++i) call.pointer<float>(8)[i] = 2 * call.pointer<const float>(0)[i] + add;
            if (after) after();
            return {};
        };
    }
    Result<device::Address> allocate(std::uint64_t bytes) override {
        if (gone) return Error{ErrorKind::no_device, "the device is gone", {}, ""};
        return FakeDevice::allocate(bytes);
    }
    std::function<void()> after;  ///< what is called at the end of each launch
    bool breaks = false, gone = false;
};

}  // namespace warpwright::ladder::test
