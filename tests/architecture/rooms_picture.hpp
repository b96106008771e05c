// The picture of the architecture, docs/rooms.svg, made from the rooms and arrows that the build declares.
#pragma once

#include <string>

#include "source_tree.hpp"

namespace warpwright::architecture {

/// The floor of each room: 0 for a room that uses no other, else one more than the highest room it uses. The arrows
/// must have no circle.
std::map<std::string, int> floors(const Arrows& arrows);

/// The arrows that are left when every arrow that a longer way implies is taken out (the transitive reduction).
Arrows without_implied(const Arrows& arrows);

/// An SVG with one box per room, the lowest floor at the bottom, and the arrows that without_implied() leaves. `notes`
/// gives each room's tooltip. The same arrows always give the same text.
std::string draw_rooms(const Arrows& arrows, const std::map<std::string, std::string>& notes);

}  // namespace warpwright::architecture
