// The forms in which nvidia-smi tells of devices. Each is a whole text.
#pragma once

#include <string>

#include "nvml/smi/facts.hpp"

namespace warpwright::nvml::smi {

/// -L
std::string list_of(const Facts& facts);
/// Without options.
std::string table_of(const Facts& facts);
/// -q -x
std::string xml_of(const Facts& facts);

struct CsvForm {
    bool header = true, units = true;
};
/// --query-gpu: `fields` are joined by commas. False: one of them is unknown, and `text` is its name.
bool csv_of(const Facts& facts, const std::string& fields, const CsvForm& form, std::string& text);

/// The time now: "2026/11/27 01:30:00.123".
std::string timestamp();

}  // namespace warpwright::nvml::smi
