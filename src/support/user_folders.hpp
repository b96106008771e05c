// The user's own folders, where the program keeps what it makes.
#pragma once

#include <string>

namespace warpwright {

/// $XDG_DATA_HOME/warpwright, else $HOME/.local/share/warpwright; a variable that does not begin with '/' is passed
/// over. Empty where neither is known.
std::string user_data_folder();

/// The same of $XDG_CONFIG_HOME/warpwright, else $HOME/.config/warpwright.
std::string user_config_folder();

}  // namespace warpwright
