// For comparison: the dense kernel of the tensor-core ladder with the sparse rung's tile, 128 x 256, clusters of two
// that share B, and four tiles in flight. It multiplies the zeros like everything else.
#ifndef ELEMENT
#define ELEMENT bf16
#endif
#define IN ELEMENT
#define TILE_M 128
#define TILE_N 256
#define STAGES 4
#define CONSUMERS 2
#define PING_PONG 0
#define CLUSTER_M 2
#define CLUSTER_N 1
#define GROUP 8
#define PANELS 2
#define A_ACROSS 0
#define B_ACROSS 0
#include "../matmul_tensor/07_persistent.cu"
