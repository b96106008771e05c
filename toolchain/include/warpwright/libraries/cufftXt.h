// The functions that cuFFT declares in this header are in cufft.h of ours.
#pragma once
#include "cufft.h"
