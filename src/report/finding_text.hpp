// A checker's finding as a sentence of the reader's language: by its kind and what it carries.
#pragma once

#include "record/finding.hpp"
#include "text/message.hpp"

namespace warpwright::report {

/// What was found, in one sentence without its place in the source. A kind has its text under "finding.<kind>"; how a
/// launch ended ("fault", "deadlock") is one of the sentences under "fault." where it is a known one.
Text finding_text(const record::Finding& finding);

}  // namespace warpwright::report
