// The checkers between ww_check_begin() and ww_check_end().
#pragma once

namespace warpwright::capi {

bool checking();
/// Keeps what the device has found so far for the next ww_check_take(), so that what it has next is a launch's own.
void keep_findings();

}  // namespace warpwright::capi
