import sys

import torch
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < n
    tl.store(out + index, tl.load(x + index, mask=inside) + tl.load(y + index, mask=inside), mask=inside)


def main():
    n, seed = int(sys.argv[1]), int(sys.argv[2])
    x = torch.arange(n, dtype=torch.int32) * 7 + seed
    y = torch.arange(n, dtype=torch.int32) * 5 - seed
    out = torch.zeros(n, dtype=torch.int32, device="cuda")
    add[(triton.cdiv(n, 256),)](x.cuda(), y.cuda(), out, n, BLOCK=256)
    print(int(out.cpu().sum()), int(out[-1]))


main()
