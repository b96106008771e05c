// Names of element types as the ladder files write them, so that an axis `T = ["int32", ...]` can be
// passed to a kernel as -DELEMENT=int32.
#pragma once

typedef int int32;
typedef long long int64;
typedef float float32;
typedef double float64;

#ifndef ELEMENT
#define ELEMENT float32
#endif
