// Its functions stand in mma.h.
#pragma once
#include "../mma.h"
