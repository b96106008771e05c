// A library that is too old: one entry point is all it has.
extern "C" int cublasCreate_v2(void**) { return 0; }
