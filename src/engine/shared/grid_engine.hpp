// What a running grid asks of the engine that runs it (run/engine.hpp): the device's memory and textures, and all that
// a kernel needs which launches kernels. Several host threads may call it at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/shared/requests.hpp"
#include "support/result.hpp"
#include "timeline/work.hpp"

namespace warpwright::engine {

class DeviceMemory;
class TextureTable;
struct Program;

class GridEngine {
public:
    virtual ~GridEngine() = default;
    virtual DeviceMemory& memory() = 0;
    virtual TextureTable& textures() = 0;
    /// The host has written this memory.
    virtual void written(std::uint64_t address, std::uint64_t bytes) = 0;
    /// Memory was copied within the device: unwritten bytes stay unwritten.
    virtual void copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) = 0;
    /// The grid, and then what it launches as its tail; all of that, for the modelled clock, in `work`.
    virtual Result<void> launch_child(Program& program, NestedLaunch child, const LaunchRequest& by,
                                      std::optional<Deadline> deadline, std::string& output, timeline::Work& work) = 0;
    virtual Result<ParameterBlock> take_parameters() = 0;
    /// What a ParameterBlock held is free for later launches.
    /// `written`: so many of the parameters' bytes may not be 0 now.
    virtual void give_back(std::uint64_t parameters, std::uint64_t barrier, std::uint64_t written) = 0;
    virtual std::uint64_t next_id() = 0;
    /// Text in device memory, ended by 0; equal texts share one place.
    virtual Result<std::uint64_t> text(const std::string& text) = 0;
};

}  // namespace warpwright::engine
