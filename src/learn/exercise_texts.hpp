// The texts of an exercise: one TOML file for each language, in the exercise's folder. Internal to this room.
#pragma once

#include "learn/exercise.hpp"

namespace warpwright::learn {

/// Reads en.toml, ru.toml, zh.toml and fi.toml, as far as they are there. Errors (input): no English, a key that is
/// not known or missing, another number of hints than English has, a text that English has and another lacks.
Result<std::map<std::string, ExerciseTexts>> read_texts(const std::string& folder);

}  // namespace warpwright::learn
