// Surface types of the CUDA runtime: they stand with the other types of the driver.
#pragma once
#define __SURFACE_TYPES_H__
#include "driver_types.h"
