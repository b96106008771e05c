// Surface types of the CUDA runtime: they stand with the other types of the driver.
#pragma once
#include "driver_types.h"
