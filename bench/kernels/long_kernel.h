// Some 2,000 instructions in one kernel: 144 steps of arithmetic of about a dozen each, and 16 branches that half of
// the lanes take. Plain C, so that all versions share it.
#define STEP(i) x = x * 5u + i##u; x ^= x >> 7; x += (x << 3) ^ i##u; y = (y & x) + (y >> 5); y ^= x * 3u;
#define BRANCH(i) if ((x & 1u) == 0u) { y += x * i##u; x += i##u; }
#define TEN(i) STEP(i##1) STEP(i##2) STEP(i##3) STEP(i##4) STEP(i##5) STEP(i##6) STEP(i##7) STEP(i##8) BRANCH(i##9) STEP(i##9)
#define LONG_KERNEL TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(10) TEN(11) TEN(12) TEN(13) TEN(14) TEN(15) TEN(16)
