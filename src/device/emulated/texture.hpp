// Texture objects for the engine. Internal to this room.
#pragma once

#include "device/texture.hpp"
#include "engine/runtime/texture/texture.hpp"

namespace warpwright::device {

/// ErrorKind::usage if the texture has no level or too many.
Result<engine::TextureState> texture_state(const Texture& texture);

}  // namespace warpwright::device
