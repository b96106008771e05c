// What nvcc's own headers bring into every CUDA program besides their declarations.
#pragma once

#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <time.h>
#include <limits.h>
#include <utility>
#include <sys/time.h>
#include <stdio.h>
#include <assert.h>
