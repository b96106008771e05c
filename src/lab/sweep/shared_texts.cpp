// Neither side of a message waits for the other one in the library, so that it is looked at again after a moment.
#include "lab/sweep/shared_texts.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <thread>

#include "vendor/mpi.hpp"

namespace warpwright::lab {
namespace {

void wait_a_moment() { std::this_thread::sleep_for(std::chrono::milliseconds(3)); }

Result<std::string> next_of(vendor::Mpi& mpi, unsigned rank) {
    for (;;) {
        auto bytes = mpi.receive(rank);
        if (!bytes) return std::move(bytes).error();
        if (*bytes) return std::string(reinterpret_cast<const char*>((*bytes)->data()), (*bytes)->size());
        wait_a_moment();
    }
}

}  // namespace

Result<SharedTexts> SharedTexts::join() {
    auto mpi = vendor::Mpi::open();
    if (!mpi) return std::move(mpi).error();
    return SharedTexts(std::move(*mpi));
}

SharedTexts::SharedTexts(std::shared_ptr<vendor::Mpi> mpi) : mpi_(std::move(mpi)) {}

unsigned SharedTexts::rank() const { return mpi_->rank(); }
unsigned SharedTexts::size() const { return mpi_->size(); }

Result<std::vector<std::string>> SharedTexts::gather(const std::string& mine) {
    std::vector<std::string> out;
    if (!first()) {
        if (auto ok = mpi_->send(std::as_bytes(std::span(mine)), 0); !ok) return std::move(ok).error();
        for (auto sent = mpi_->sent();; sent = mpi_->sent()) {
            if (!sent) return std::move(sent).error();
            if (*sent) break;
            wait_a_moment();
        }
    } else {
        out.push_back(mine);
        for (unsigned r = 1; r < size(); ++r) {
            auto text = next_of(*mpi_, r);
            if (!text) return std::move(text).error();
            out.push_back(std::move(*text));
        }
    }
    if (auto ok = mpi_->barrier(); !ok) return std::move(ok).error();
    return out;
}

}  // namespace warpwright::lab
