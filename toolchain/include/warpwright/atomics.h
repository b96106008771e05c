// Atomic operations: on device scope as they stand, on block and system scope with the suffixes _block and _system.
#pragma once

WW_DEVICE int atomicAdd(int* p, int v) { return (int)__nvvm_atom_add_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicAdd(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_add_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned long long atomicAdd(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_add_gen_ll((long long*)p, (long long)v); }
WW_DEVICE float atomicAdd(float* p, float v) { return (float)__nvvm_atom_add_gen_f((float*)p, (float)v); }
WW_DEVICE double atomicAdd(double* p, double v) { return (double)__nvvm_atom_add_gen_d((double*)p, (double)v); }
WW_DEVICE int atomicSub(int* p, int v) { return atomicAdd(p, (int)(0u - (unsigned int)v)); }
WW_DEVICE unsigned int atomicSub(unsigned int* p, unsigned int v) { return atomicAdd(p, (unsigned int)(0u - (unsigned int)v)); }
WW_DEVICE int atomicExch(int* p, int v) { return (int)__nvvm_atom_xchg_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicExch(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_xchg_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned long long atomicExch(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_xchg_gen_ll((long long*)p, (long long)v); }
WW_DEVICE float atomicExch(float* p, float v) { return __int_as_float(atomicExch((int*)p, __float_as_int(v))); }
WW_DEVICE int atomicMin(int* p, int v) { return (int)__nvvm_atom_min_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicMin(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_min_gen_ui((unsigned int*)p, (unsigned int)v); }
WW_DEVICE long long atomicMin(long long* p, long long v) { return (long long)__nvvm_atom_min_gen_ll((long long*)p, (long long)v); }
WW_DEVICE unsigned long long atomicMin(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_min_gen_ull((unsigned long long*)p, (unsigned long long)v); }
WW_DEVICE int atomicMax(int* p, int v) { return (int)__nvvm_atom_max_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicMax(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_max_gen_ui((unsigned int*)p, (unsigned int)v); }
WW_DEVICE long long atomicMax(long long* p, long long v) { return (long long)__nvvm_atom_max_gen_ll((long long*)p, (long long)v); }
WW_DEVICE unsigned long long atomicMax(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_max_gen_ull((unsigned long long*)p, (unsigned long long)v); }
WW_DEVICE unsigned int atomicInc(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_inc_gen_ui((unsigned int*)p, (unsigned int)v); }
WW_DEVICE unsigned int atomicDec(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_dec_gen_ui((unsigned int*)p, (unsigned int)v); }
WW_DEVICE int atomicAnd(int* p, int v) { return (int)__nvvm_atom_and_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicAnd(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_and_gen_i((int*)p, (int)v); }
WW_DEVICE long long atomicAnd(long long* p, long long v) { return (long long)__nvvm_atom_and_gen_ll((long long*)p, (long long)v); }
WW_DEVICE unsigned long long atomicAnd(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_and_gen_ll((long long*)p, (long long)v); }
WW_DEVICE int atomicOr(int* p, int v) { return (int)__nvvm_atom_or_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicOr(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_or_gen_i((int*)p, (int)v); }
WW_DEVICE long long atomicOr(long long* p, long long v) { return (long long)__nvvm_atom_or_gen_ll((long long*)p, (long long)v); }
WW_DEVICE unsigned long long atomicOr(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_or_gen_ll((long long*)p, (long long)v); }
WW_DEVICE int atomicXor(int* p, int v) { return (int)__nvvm_atom_xor_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicXor(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_xor_gen_i((int*)p, (int)v); }
WW_DEVICE long long atomicXor(long long* p, long long v) { return (long long)__nvvm_atom_xor_gen_ll((long long*)p, (long long)v); }
WW_DEVICE unsigned long long atomicXor(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_xor_gen_ll((long long*)p, (long long)v); }
WW_DEVICE int atomicCAS(int* p, int expected, int v) {
    return (int)__nvvm_atom_cas_gen_i((int*)p, (int)expected, (int)v);
}
WW_DEVICE unsigned int atomicCAS(unsigned int* p, unsigned int expected, unsigned int v) {
    return (unsigned int)__nvvm_atom_cas_gen_i((int*)p, (int)expected, (int)v);
}
WW_DEVICE long long atomicCAS(long long* p, long long expected, long long v) {
    return (long long)__nvvm_atom_cas_gen_ll((long long*)p, (long long)expected, (long long)v);
}
WW_DEVICE unsigned long long atomicCAS(unsigned long long* p, unsigned long long expected, unsigned long long v) {
    return (unsigned long long)__nvvm_atom_cas_gen_ll((long long*)p, (long long)expected, (long long)v);
}
#if WW_ARCH >= 700
WW_DEVICE unsigned short atomicCAS(unsigned short* p, unsigned short expected, unsigned short v) {
    unsigned short r;
    __asm__ volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(p), "h"(expected), "h"(v) : "memory");
    return r;
}
#endif

#if WW_ARCH >= 600
WW_DEVICE int atomicAdd_block(int* p, int v) { return (int)__nvvm_atom_cta_add_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicAdd_block(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_cta_add_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned long long atomicAdd_block(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_cta_add_gen_ll((long long*)p, (long long)v); }
WW_DEVICE float atomicAdd_block(float* p, float v) { return (float)__nvvm_atom_cta_add_gen_f((float*)p, (float)v); }
WW_DEVICE double atomicAdd_block(double* p, double v) { return (double)__nvvm_atom_cta_add_gen_d((double*)p, (double)v); }
WW_DEVICE int atomicSub_block(int* p, int v) { return atomicAdd_block(p, (int)(0u - (unsigned int)v)); }
WW_DEVICE unsigned int atomicSub_block(unsigned int* p, unsigned int v) { return atomicAdd_block(p, (unsigned int)(0u - (unsigned int)v)); }
WW_DEVICE int atomicExch_block(int* p, int v) { return (int)__nvvm_atom_cta_xchg_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicExch_block(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_cta_xchg_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned long long atomicExch_block(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_cta_xchg_gen_ll((long long*)p, (long long)v); }
WW_DEVICE float atomicExch_block(float* p, float v) { return __int_as_float(atomicExch_block((int*)p, __float_as_int(v))); }
WW_DEVICE int atomicMin_block(int* p, int v) { return (int)__nvvm_atom_cta_min_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicMin_block(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_cta_min_gen_ui((unsigned int*)p, (unsigned int)v); }
WW_DEVICE long long atomicMin_block(long long* p, long long v) { return (long long)__nvvm_atom_cta_min_gen_ll((long long*)p, (long long)v); }
WW_DEVICE unsigned long long atomicMin_block(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_cta_min_gen_ull((unsigned long long*)p, (unsigned long long)v); }
WW_DEVICE int atomicMax_block(int* p, int v) { return (int)__nvvm_atom_cta_max_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicMax_block(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_cta_max_gen_ui((unsigned int*)p, (unsigned int)v); }
WW_DEVICE long long atomicMax_block(long long* p, long long v) { return (long long)__nvvm_atom_cta_max_gen_ll((long long*)p, (long long)v); }
WW_DEVICE unsigned long long atomicMax_block(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_cta_max_gen_ull((unsigned long long*)p, (unsigned long long)v); }
WW_DEVICE unsigned int atomicInc_block(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_cta_inc_gen_ui((unsigned int*)p, (unsigned int)v); }
WW_DEVICE unsigned int atomicDec_block(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_cta_dec_gen_ui((unsigned int*)p, (unsigned int)v); }
WW_DEVICE int atomicAnd_block(int* p, int v) { return (int)__nvvm_atom_cta_and_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicAnd_block(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_cta_and_gen_i((int*)p, (int)v); }
WW_DEVICE long long atomicAnd_block(long long* p, long long v) { return (long long)__nvvm_atom_cta_and_gen_ll((long long*)p, (long long)v); }
WW_DEVICE unsigned long long atomicAnd_block(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_cta_and_gen_ll((long long*)p, (long long)v); }
WW_DEVICE int atomicOr_block(int* p, int v) { return (int)__nvvm_atom_cta_or_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicOr_block(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_cta_or_gen_i((int*)p, (int)v); }
WW_DEVICE long long atomicOr_block(long long* p, long long v) { return (long long)__nvvm_atom_cta_or_gen_ll((long long*)p, (long long)v); }
WW_DEVICE unsigned long long atomicOr_block(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_cta_or_gen_ll((long long*)p, (long long)v); }
WW_DEVICE int atomicXor_block(int* p, int v) { return (int)__nvvm_atom_cta_xor_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicXor_block(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_cta_xor_gen_i((int*)p, (int)v); }
WW_DEVICE long long atomicXor_block(long long* p, long long v) { return (long long)__nvvm_atom_cta_xor_gen_ll((long long*)p, (long long)v); }
WW_DEVICE unsigned long long atomicXor_block(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_cta_xor_gen_ll((long long*)p, (long long)v); }
WW_DEVICE int atomicCAS_block(int* p, int expected, int v) {
    return (int)__nvvm_atom_cta_cas_gen_i((int*)p, (int)expected, (int)v);
}
WW_DEVICE unsigned int atomicCAS_block(unsigned int* p, unsigned int expected, unsigned int v) {
    return (unsigned int)__nvvm_atom_cta_cas_gen_i((int*)p, (int)expected, (int)v);
}
WW_DEVICE long long atomicCAS_block(long long* p, long long expected, long long v) {
    return (long long)__nvvm_atom_cta_cas_gen_ll((long long*)p, (long long)expected, (long long)v);
}
WW_DEVICE unsigned long long atomicCAS_block(unsigned long long* p, unsigned long long expected, unsigned long long v) {
    return (unsigned long long)__nvvm_atom_cta_cas_gen_ll((long long*)p, (long long)expected, (long long)v);
}
#if WW_ARCH >= 700
WW_DEVICE unsigned short atomicCAS_block(unsigned short* p, unsigned short expected, unsigned short v) {
    unsigned short r;
    __asm__ volatile("atom.cta.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(p), "h"(expected), "h"(v) : "memory");
    return r;
}
#endif
#endif

#if WW_ARCH >= 600
WW_DEVICE int atomicAdd_system(int* p, int v) { return (int)__nvvm_atom_sys_add_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicAdd_system(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_sys_add_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned long long atomicAdd_system(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_sys_add_gen_ll((long long*)p, (long long)v); }
WW_DEVICE float atomicAdd_system(float* p, float v) { return (float)__nvvm_atom_sys_add_gen_f((float*)p, (float)v); }
WW_DEVICE double atomicAdd_system(double* p, double v) { return (double)__nvvm_atom_sys_add_gen_d((double*)p, (double)v); }
WW_DEVICE int atomicSub_system(int* p, int v) { return atomicAdd_system(p, (int)(0u - (unsigned int)v)); }
WW_DEVICE unsigned int atomicSub_system(unsigned int* p, unsigned int v) { return atomicAdd_system(p, (unsigned int)(0u - (unsigned int)v)); }
WW_DEVICE int atomicExch_system(int* p, int v) { return (int)__nvvm_atom_sys_xchg_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicExch_system(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_sys_xchg_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned long long atomicExch_system(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_sys_xchg_gen_ll((long long*)p, (long long)v); }
WW_DEVICE float atomicExch_system(float* p, float v) { return __int_as_float(atomicExch_system((int*)p, __float_as_int(v))); }
WW_DEVICE int atomicMin_system(int* p, int v) { return (int)__nvvm_atom_sys_min_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicMin_system(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_sys_min_gen_ui((unsigned int*)p, (unsigned int)v); }
WW_DEVICE long long atomicMin_system(long long* p, long long v) { return (long long)__nvvm_atom_sys_min_gen_ll((long long*)p, (long long)v); }
WW_DEVICE unsigned long long atomicMin_system(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_sys_min_gen_ull((unsigned long long*)p, (unsigned long long)v); }
WW_DEVICE int atomicMax_system(int* p, int v) { return (int)__nvvm_atom_sys_max_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicMax_system(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_sys_max_gen_ui((unsigned int*)p, (unsigned int)v); }
WW_DEVICE long long atomicMax_system(long long* p, long long v) { return (long long)__nvvm_atom_sys_max_gen_ll((long long*)p, (long long)v); }
WW_DEVICE unsigned long long atomicMax_system(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_sys_max_gen_ull((unsigned long long*)p, (unsigned long long)v); }
WW_DEVICE unsigned int atomicInc_system(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_sys_inc_gen_ui((unsigned int*)p, (unsigned int)v); }
WW_DEVICE unsigned int atomicDec_system(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_sys_dec_gen_ui((unsigned int*)p, (unsigned int)v); }
WW_DEVICE int atomicAnd_system(int* p, int v) { return (int)__nvvm_atom_sys_and_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicAnd_system(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_sys_and_gen_i((int*)p, (int)v); }
WW_DEVICE long long atomicAnd_system(long long* p, long long v) { return (long long)__nvvm_atom_sys_and_gen_ll((long long*)p, (long long)v); }
WW_DEVICE unsigned long long atomicAnd_system(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_sys_and_gen_ll((long long*)p, (long long)v); }
WW_DEVICE int atomicOr_system(int* p, int v) { return (int)__nvvm_atom_sys_or_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicOr_system(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_sys_or_gen_i((int*)p, (int)v); }
WW_DEVICE long long atomicOr_system(long long* p, long long v) { return (long long)__nvvm_atom_sys_or_gen_ll((long long*)p, (long long)v); }
WW_DEVICE unsigned long long atomicOr_system(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_sys_or_gen_ll((long long*)p, (long long)v); }
WW_DEVICE int atomicXor_system(int* p, int v) { return (int)__nvvm_atom_sys_xor_gen_i((int*)p, (int)v); }
WW_DEVICE unsigned int atomicXor_system(unsigned int* p, unsigned int v) { return (unsigned int)__nvvm_atom_sys_xor_gen_i((int*)p, (int)v); }
WW_DEVICE long long atomicXor_system(long long* p, long long v) { return (long long)__nvvm_atom_sys_xor_gen_ll((long long*)p, (long long)v); }
WW_DEVICE unsigned long long atomicXor_system(unsigned long long* p, unsigned long long v) { return (unsigned long long)__nvvm_atom_sys_xor_gen_ll((long long*)p, (long long)v); }
WW_DEVICE int atomicCAS_system(int* p, int expected, int v) {
    return (int)__nvvm_atom_sys_cas_gen_i((int*)p, (int)expected, (int)v);
}
WW_DEVICE unsigned int atomicCAS_system(unsigned int* p, unsigned int expected, unsigned int v) {
    return (unsigned int)__nvvm_atom_sys_cas_gen_i((int*)p, (int)expected, (int)v);
}
WW_DEVICE long long atomicCAS_system(long long* p, long long expected, long long v) {
    return (long long)__nvvm_atom_sys_cas_gen_ll((long long*)p, (long long)expected, (long long)v);
}
WW_DEVICE unsigned long long atomicCAS_system(unsigned long long* p, unsigned long long expected, unsigned long long v) {
    return (unsigned long long)__nvvm_atom_sys_cas_gen_ll((long long*)p, (long long)expected, (long long)v);
}
#if WW_ARCH >= 700
WW_DEVICE unsigned short atomicCAS_system(unsigned short* p, unsigned short expected, unsigned short v) {
    unsigned short r;
    __asm__ volatile("atom.sys.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(p), "h"(expected), "h"(v) : "memory");
    return r;
}
#endif
#endif
