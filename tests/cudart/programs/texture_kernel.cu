// The program of a texture that the page `spaces` lists.
#include "../../../kernels/spaces/texture.cu"
