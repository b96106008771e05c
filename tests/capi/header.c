/* The header is one of C: this file would not compile otherwise. */
#include "warpwright/warpwright.h"

int header_in_c(void);
int header_in_c(void) { return ww_interface_version() - WW_INTERFACE_VERSION; }
