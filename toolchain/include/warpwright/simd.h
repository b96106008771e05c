// The SIMD-in-a-word intrinsics: four bytes or two halves in an unsigned int. Sums and differences keep carries inside
// their lane by handling the top bits apart; absolute differences are the machine's own instruction; the rest goes lane by
// lane, which the optimiser sees through.
#pragma once

// f(lane a, lane b) for each of the lanes, in a wide signed type.
#define WW_LANES(name, bits, type, expression)                                        \
    WW_DEVICE unsigned int name(unsigned int va, unsigned int vb) {                   \
        unsigned int r = 0;                                                           \
        _Pragma("unroll") for (int i = 0; i < 32; i += bits) {                        \
            int a = (type)(va >> i), b = (type)(vb >> i);                             \
            r |= ((unsigned int)(expression) & (bits == 8 ? 0xffu : 0xffffu)) << i;   \
        }                                                                             \
        return r;                                                                     \
    }
#define WW_LANES1(name, bits, type, expression)                                       \
    WW_DEVICE unsigned int name(unsigned int va) {                                    \
        unsigned int r = 0;                                                           \
        _Pragma("unroll") for (int i = 0; i < 32; i += bits) {                        \
            int a = (type)(va >> i);                                                  \
            r |= ((unsigned int)(expression) & (bits == 8 ? 0xffu : 0xffffu)) << i;   \
        }                                                                             \
        return r;                                                                     \
    }
#define WW_VIDEO(name, instruction)                                                                          \
    WW_DEVICE unsigned int name(unsigned int a, unsigned int b) {                                            \
        unsigned int r;                                                                                      \
        __asm__(instruction " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(0u));                         \
        return r;                                                                                            \
    }

// 4 lanes of 8 bits
WW_DEVICE unsigned int __vadd4(unsigned int a, unsigned int b) { return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u); }
WW_DEVICE unsigned int __vsub4(unsigned int a, unsigned int b) { return ((a | 0x80808080u) - (b & 0x7f7f7f7fu)) ^ ((a ^ ~b) & 0x80808080u); }
WW_DEVICE unsigned int __vhaddu4(unsigned int a, unsigned int b) { return (a & b) + (((a ^ b) & 0xfefefefeu) >> 1); }
WW_DEVICE unsigned int __vavgu4(unsigned int a, unsigned int b) { return (a | b) - (((a ^ b) & 0xfefefefeu) >> 1); }
WW_VIDEO(__vabsdiffu4, "vabsdiff4.u32.u32.u32")
WW_VIDEO(__vabsdiffs4, "vabsdiff4.u32.s32.s32")
WW_VIDEO(__vsadu4, "vabsdiff4.u32.u32.u32.add")
WW_VIDEO(__vsads4, "vabsdiff4.u32.s32.s32.add")
WW_LANES(__vaddss4, 8, signed char, a + b < -128 ? -128 : a + b > 127 ? 127 : a + b)
WW_LANES(__vaddus4, 8, unsigned char, a + b > 255 ? 255 : a + b)
WW_LANES(__vsubss4, 8, signed char, a - b < -128 ? -128 : a - b > 127 ? 127 : a - b)
WW_LANES(__vsubus4, 8, unsigned char, a < b ? 0 : a - b)
WW_LANES(__vavgs4, 8, signed char, (a + b + (a + b >= 0)) >> 1)
WW_LANES(__vmaxs4, 8, signed char, a < b ? b : a)
WW_LANES(__vmaxu4, 8, unsigned char, a < b ? b : a)
WW_LANES(__vmins4, 8, signed char, b < a ? b : a)
WW_LANES(__vminu4, 8, unsigned char, b < a ? b : a)
WW_LANES(__vcmpeq4, 8, unsigned char, a == b ? -1 : 0)
WW_LANES(__vseteq4, 8, unsigned char, a == b)
WW_LANES(__vcmpne4, 8, unsigned char, a != b ? -1 : 0)
WW_LANES(__vsetne4, 8, unsigned char, a != b)
WW_LANES(__vcmpges4, 8, signed char, a >= b ? -1 : 0)
WW_LANES(__vsetges4, 8, signed char, a >= b)
WW_LANES(__vcmpgeu4, 8, unsigned char, a >= b ? -1 : 0)
WW_LANES(__vsetgeu4, 8, unsigned char, a >= b)
WW_LANES(__vcmpgts4, 8, signed char, a > b ? -1 : 0)
WW_LANES(__vsetgts4, 8, signed char, a > b)
WW_LANES(__vcmpgtu4, 8, unsigned char, a > b ? -1 : 0)
WW_LANES(__vsetgtu4, 8, unsigned char, a > b)
WW_LANES(__vcmples4, 8, signed char, a <= b ? -1 : 0)
WW_LANES(__vsetles4, 8, signed char, a <= b)
WW_LANES(__vcmpleu4, 8, unsigned char, a <= b ? -1 : 0)
WW_LANES(__vsetleu4, 8, unsigned char, a <= b)
WW_LANES(__vcmplts4, 8, signed char, a < b ? -1 : 0)
WW_LANES(__vsetlts4, 8, signed char, a < b)
WW_LANES(__vcmpltu4, 8, unsigned char, a < b ? -1 : 0)
WW_LANES(__vsetltu4, 8, unsigned char, a < b)
WW_LANES1(__vabs4, 8, signed char, a < 0 ? -a : a)
WW_LANES1(__vabsss4, 8, signed char, a == -128 ? 127 : a < 0 ? -a : a)
WW_LANES1(__vneg4, 8, signed char, -a)
WW_LANES1(__vnegss4, 8, signed char, a == -128 ? 127 : -a)

// 2 lanes of 16 bits
WW_DEVICE unsigned int __vadd2(unsigned int a, unsigned int b) { return ((a & 0x7fff7fffu) + (b & 0x7fff7fffu)) ^ ((a ^ b) & 0x80008000u); }
WW_DEVICE unsigned int __vsub2(unsigned int a, unsigned int b) { return ((a | 0x80008000u) - (b & 0x7fff7fffu)) ^ ((a ^ ~b) & 0x80008000u); }
WW_DEVICE unsigned int __vhaddu2(unsigned int a, unsigned int b) { return (a & b) + (((a ^ b) & 0xfffefffeu) >> 1); }
WW_DEVICE unsigned int __vavgu2(unsigned int a, unsigned int b) { return (a | b) - (((a ^ b) & 0xfffefffeu) >> 1); }
WW_VIDEO(__vabsdiffu2, "vabsdiff2.u32.u32.u32")
WW_VIDEO(__vabsdiffs2, "vabsdiff2.u32.s32.s32")
WW_VIDEO(__vsadu2, "vabsdiff2.u32.u32.u32.add")
WW_VIDEO(__vsads2, "vabsdiff2.u32.s32.s32.add")
WW_LANES(__vaddss2, 16, short, a + b < -32768 ? -32768 : a + b > 32767 ? 32767 : a + b)
WW_LANES(__vaddus2, 16, unsigned short, a + b > 65535 ? 65535 : a + b)
WW_LANES(__vsubss2, 16, short, a - b < -32768 ? -32768 : a - b > 32767 ? 32767 : a - b)
WW_LANES(__vsubus2, 16, unsigned short, a < b ? 0 : a - b)
WW_LANES(__vavgs2, 16, short, (a + b + (a + b >= 0)) >> 1)
WW_LANES(__vmaxs2, 16, short, a < b ? b : a)
WW_LANES(__vmaxu2, 16, unsigned short, a < b ? b : a)
WW_LANES(__vmins2, 16, short, b < a ? b : a)
WW_LANES(__vminu2, 16, unsigned short, b < a ? b : a)
WW_LANES(__vcmpeq2, 16, unsigned short, a == b ? -1 : 0)
WW_LANES(__vseteq2, 16, unsigned short, a == b)
WW_LANES(__vcmpne2, 16, unsigned short, a != b ? -1 : 0)
WW_LANES(__vsetne2, 16, unsigned short, a != b)
WW_LANES(__vcmpges2, 16, short, a >= b ? -1 : 0)
WW_LANES(__vsetges2, 16, short, a >= b)
WW_LANES(__vcmpgeu2, 16, unsigned short, a >= b ? -1 : 0)
WW_LANES(__vsetgeu2, 16, unsigned short, a >= b)
WW_LANES(__vcmpgts2, 16, short, a > b ? -1 : 0)
WW_LANES(__vsetgts2, 16, short, a > b)
WW_LANES(__vcmpgtu2, 16, unsigned short, a > b ? -1 : 0)
WW_LANES(__vsetgtu2, 16, unsigned short, a > b)
WW_LANES(__vcmples2, 16, short, a <= b ? -1 : 0)
WW_LANES(__vsetles2, 16, short, a <= b)
WW_LANES(__vcmpleu2, 16, unsigned short, a <= b ? -1 : 0)
WW_LANES(__vsetleu2, 16, unsigned short, a <= b)
WW_LANES(__vcmplts2, 16, short, a < b ? -1 : 0)
WW_LANES(__vsetlts2, 16, short, a < b)
WW_LANES(__vcmpltu2, 16, unsigned short, a < b ? -1 : 0)
WW_LANES(__vsetltu2, 16, unsigned short, a < b)
WW_LANES1(__vabs2, 16, short, a < 0 ? -a : a)
WW_LANES1(__vabsss2, 16, short, a == -32768 ? 32767 : a < 0 ? -a : a)
WW_LANES1(__vneg2, 16, short, -a)
WW_LANES1(__vnegss2, 16, short, a == -32768 ? 32767 : -a)
#undef WW_LANES
#undef WW_LANES1
#undef WW_VIDEO

// The three-operand minima and maxima of CUDA 12's DPX set.
#define WW_DPX(name, type, expression) \
    WW_DEVICE type name(type a, type b, type c) { return expression; }
WW_DPX(__vimax3_s32, int, max(max(a, b), c))
WW_DPX(__vimin3_s32, int, min(min(a, b), c))
WW_DPX(__vimax3_u32, unsigned int, max(max(a, b), c))
WW_DPX(__vimin3_u32, unsigned int, min(min(a, b), c))
WW_DPX(__viaddmax_s32, int, max((int)((unsigned int)a + (unsigned int)b), c))
WW_DPX(__viaddmin_s32, int, min((int)((unsigned int)a + (unsigned int)b), c))
WW_DPX(__viaddmax_u32, unsigned int, max(a + b, c))
WW_DPX(__viaddmin_u32, unsigned int, min(a + b, c))
#undef WW_DPX
WW_DEVICE int __vimax_s32_relu(int a, int b) { return max(max(a, b), 0); }
WW_DEVICE int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }
