"""Kernels that several tests use."""

import pytest

pytest_plugins = ["pytester"]

SAXPY = r"""
__global__ void saxpy(float a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""


@pytest.fixture(scope="session")
def saxpy():
    import warpwright as ww

    return ww.Module(SAXPY, name="saxpy.cu")["saxpy"]
