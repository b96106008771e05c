// Where our data is: device models, kernels, texts, and the headers for kernels. One search for all of them and for all
// who ask: the program `warpwright`, the libraries that programs load, and their tests.
#pragma once

#include <string>
#include <vector>

namespace warpwright {

enum class Data {
    devices,    ///< device models; the tables of compute capabilities lie beside this folder
    kernels,    ///< ladders, and the kernels of experiments and measurements
    text,       ///< the texts of pages
    toolchain,  ///< the folder that holds `include`, our headers for CUDA C++
    course,     ///< the exercises of `learn`
};

/// The folders in which it is looked for, in this order, each once; they need not be there: those of its setting
/// (support/settings.inc), the user's own (of device models), share/warpwright of the prefix in which the program or
/// the library that asks is installed, wherever that was moved to, the source tree, and the prefix that was configured.
/// Where the toolchain has a setting, that folder alone.
std::vector<std::string> data_folders(Data what);

/// share/warpwright of the prefix in which a program or library file is installed; where there is none, where it would
/// be.
std::string share_of(const std::string& file);

/// The user's own folder of it, below user_data_folder(): empty where there is no home.
std::string user_data_folder_of(Data what);

}  // namespace warpwright
