// The XDG folders of the user. A relative path in the environment does not count, as the XDG specification says.
#include "support/user_folders.hpp"

#include "support/settings.hpp"

namespace warpwright {
namespace {

std::string below(Setting own, const char* in_home) {
    if (const std::string folder = settings::text(own); folder.starts_with('/')) return folder + "/warpwright";
    if (const std::string home = settings::text(Setting::home); home.starts_with('/')) return home + in_home;
    return {};
}

}  // namespace

std::string user_data_folder() { return below(Setting::xdg_data_home, "/.local/share/warpwright"); }

std::string user_config_folder() { return below(Setting::xdg_config_home, "/.config/warpwright"); }

}  // namespace warpwright
