"""Matrix products with more around them: the products themselves are PyTorch's own calls of cuBLAS, which is ours (docs/libraries.md)."""
import torch

from . import driver, pointwise

_STRAIGHT = (torch.float32, torch.float64)


def _scaled(product, self, beta, alpha, into):
    """Computes beta * self + alpha * product."""
    if not product.dtype.is_floating_point:
        raise driver.NoKernel(f"a product of {product.dtype}")
    if beta == 0:
        out = product if alpha == 1 else product * alpha
    elif beta == 1:
        target = product if into is None and product.dtype in _STRAIGHT else into
        out = pointwise.apply("binary", "add", [self, product], product.dtype, product.dtype, (alpha,), target)
    else:
        out = pointwise.apply("binary", "add", [self * beta, product], product.dtype, product.dtype, (alpha,), None)
    return pointwise.into_place(out, into)


def addmm(self, mat1, mat2, *, beta=1, alpha=1, into=None):
    if not mat1.dtype.is_floating_point:
        raise driver.NoKernel(f"a product of {mat1.dtype}")
    product = torch.mm(mat1, mat2)
    if beta == 1 and into is None and product.dtype == self.dtype and product.dtype in _STRAIGHT and self.is_cuda:
        return pointwise.run("binary", "add", [self, product], product, (alpha,))
    return _scaled(product, self, beta, alpha, into)


def addmm_activation(self, mat1, mat2, *, beta=1, alpha=1, use_gelu=False, into=None):
    out = addmm(self, mat1, mat2, beta=beta, alpha=alpha)
    out = torch.nn.functional.gelu(out, approximate="tanh") if use_gelu else torch.relu(out)
    return pointwise.into_place(out, into)


def mv(self, vec):
    return torch.mm(self, vec.unsqueeze(1)).squeeze(1)


def addmv(self, mat, vec, *, beta=1, alpha=1, into=None):
    if not mat.dtype.is_floating_point:
        raise driver.NoKernel(f"a product of {mat.dtype}")
    return _scaled(mv(mat, vec), self, beta, alpha, into)


def addr(self, vec1, vec2, *, beta=1, alpha=1, into=None):
    if not self.dtype.is_floating_point:
        raise driver.NoKernel(f"a product of {self.dtype}")
    return _scaled(vec1.unsqueeze(1) * vec2, self, beta, alpha, into)


def baddbmm(self, batch1, batch2, *, beta=1, alpha=1, out_dtype=None, into=None):
    if not batch1.dtype.is_floating_point:
        raise driver.NoKernel(f"a product of {batch1.dtype}")
    return _scaled(torch.bmm(batch1, batch2), self, beta, alpha, into)


def addbmm(self, batch1, batch2, *, beta=1, alpha=1, into=None):
    if not batch1.dtype.is_floating_point:
        raise driver.NoKernel(f"a product of {batch1.dtype}")
    return _scaled(torch.bmm(batch1, batch2).sum(0), self, beta, alpha, into)


def dot(self, other):
    if not self.dtype.is_floating_point:
        raise driver.NoKernel(f"a product of {self.dtype}")
    if self.dim() != 1 or other.dim() != 1 or self.shape != other.shape:
        raise RuntimeError(f"1D tensors expected of one size, but got {list(self.shape)} and {list(other.shape)}")
    return (self * other).sum()
