// An element as so many bytes, for kernels that only move it: BYTES is 1, 2, 4 or 8.
#pragma once

#ifndef BYTES
#define BYTES 4
#endif

#if BYTES == 1
typedef unsigned char Element;
#elif BYTES == 2
typedef unsigned short Element;
#elif BYTES == 4
typedef unsigned Element;
#else
typedef unsigned long long Element;
#endif
