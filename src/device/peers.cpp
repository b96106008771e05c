// Links with a model's figures. cuda/peers.cpp has the real ones.
#include "device/peers.hpp"

namespace warpwright::device {
namespace {

class ModelledPeers final : public Peers {
public:
    ModelledPeers(unsigned count, std::string name, const LinkModel& model)
        : count_(count), name_(std::move(name)), model_(model) {}
    unsigned count() const override { return count_; }
    std::string name(unsigned device) const override { return name_ + ":" + std::to_string(device); }
    bool direct(unsigned from, unsigned to) const override { return from == to || model_.direct; }
    bool measured() const override { return false; }
    Result<double> copy(const PeerCopy& c) override {
        if (c.from >= count_ || c.to >= count_) return Error{ErrorKind::usage, "there is no such device", {}, ""};
        const auto bytes = static_cast<double>(c.bytes);
        if (c.from == c.to) return model_.within > 0 ? 2 * bytes * (c.both ? 2 : 1) / model_.within : 0.0;
        const double one = model_.rate > 0 ? bytes / model_.rate : 0.0;
        return model_.latency + one * (c.both && !model_.duplex ? 2 : 1);
    }

private:
    unsigned count_;
    std::string name_;
    LinkModel model_;
};

}  // namespace

std::unique_ptr<Peers> make_modelled_peers(unsigned count, std::string name, const LinkModel& model) {
    return std::make_unique<ModelledPeers>(count, std::move(name), model);
}

}  // namespace warpwright::device
