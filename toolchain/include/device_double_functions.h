// All that kernels need of it is in the header that the compile room includes first.
#pragma once
