// The program of the laboratory work that the page `multiply` lists.
#include "../../../kernels/multiply/host.cu"
