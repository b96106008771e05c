// The checkers between ww_check_begin() and ww_check_end().
#pragma once

namespace warpwright::capi {

bool checking();
/// `warpwright check` watches this process from its start: what is found belongs to that command's report alone.
bool checked_from_outside();
/// Keeps what the device has found so far for the next ww_check_take(), so that what it has next is a launch's own.
void keep_findings();

}  // namespace warpwright::capi
