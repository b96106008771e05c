// The user's own folders, where the program stores its files.
#pragma once

#include <string>

namespace warpwright {

/// $XDG_DATA_HOME/warpwright, else $HOME/.local/share/warpwright; a variable that does not begin with '/' is ignored.
/// Empty if neither is known.
std::string user_data_folder();

/// The same for $XDG_CONFIG_HOME/warpwright, else $HOME/.config/warpwright.
std::string user_config_folder();

}  // namespace warpwright
