"""Attention and recurrent cells, composed of products and pointwise kernels; PyTorch has each as one kernel of machine code."""
import math

import torch

from . import driver


def attention(query, key, value, attn_bias=None, compute_log_sumexp=False, dropout_p=0.0, is_causal=False, *, scale=None):
    if dropout_p:
        raise driver.NoKernel("dropout inside of fused attention")
    p, largest, total = _weights(query, key, attn_bias, is_causal, scale)
    seed = torch.zeros((), dtype=torch.int64, device=query.device)
    return torch.matmul(p.to(value.dtype), value), (largest + total.log()).squeeze(-1), seed, seed.clone()


def _weights(query, key, attn_bias, is_causal, scale):
    wide = torch.float32 if query.dtype in (torch.float16, torch.bfloat16) else query.dtype
    s = torch.matmul(query, key.transpose(-2, -1)).to(wide) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if attn_bias is not None:
        s = s + attn_bias
    if is_causal:
        s = s.masked_fill(torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).tril().logical_not(), float("-inf"))
    largest = s.amax(-1, keepdim=True)
    e = torch.exp(s - largest)
    total = e.sum(-1, keepdim=True)
    return e / total, largest, total


def attention_backward(grad_out_, query, key, value, attn_bias, out, logsumexp, philox_seed, philox_offset, dropout_p, grad_input_mask,
                       is_causal=False, *, scale=None):
    p = _weights(query, key, attn_bias, is_causal, scale)[0]
    grad = grad_out_.to(p.dtype)
    to_value = torch.matmul(p.transpose(-2, -1), grad)
    to_p = torch.matmul(grad, value.to(p.dtype).transpose(-2, -1))
    to_s = p * (to_p - (to_p * p).sum(-1, keepdim=True))
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    to_query, to_key = torch.matmul(to_s, key.to(p.dtype)) * factor, torch.matmul(to_s.transpose(-2, -1), query.to(p.dtype)) * factor
    to_bias = None
    if attn_bias is not None and grad_input_mask[3]:
        to_bias = to_s.sum_to_size(attn_bias.shape).to(attn_bias.dtype)
    return to_query.to(query.dtype), to_key.to(key.dtype), to_value.to(value.dtype), to_bias


def lstm_cell(input_gates, hidden_gates, cx, input_bias=None, hidden_bias=None):
    gates = input_gates + hidden_gates
    for bias in (input_bias, hidden_bias):
        gates = gates if bias is None else gates + bias
    i, f, g, o = gates.chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    cy = f * cx + i * g
    return o * cy.tanh(), cy, torch.cat([i, f, g, o], 1)


def lstm_cell_backward(grad_hy, grad_cy, cx, cy, workspace, has_bias):
    if grad_hy is None and grad_cy is None:
        return None, None, None
    i, f, g, o = workspace.chunk(4, 1)
    t = cy.tanh()
    to_c = torch.zeros_like(cx) if grad_cy is None else grad_cy
    to_o = torch.zeros_like(o)
    if grad_hy is not None:
        to_c = to_c + grad_hy * o * (1 - t * t)
        to_o = grad_hy * t
    gates = torch.cat([to_c * g * i * (1 - i), to_c * cx * f * (1 - f), to_c * i * (1 - g * g), to_o * o * (1 - o)], 1)
    return gates, to_c * f, gates.sum(0) if has_bias else None


def gru_cell(input_gates, hidden_gates, hx, input_bias=None, hidden_bias=None):
    a = input_gates if input_bias is None else input_gates + input_bias
    b = hidden_gates if hidden_bias is None else hidden_gates + hidden_bias
    (ar, az, an), (br, bz, bn) = a.chunk(3, 1), b.chunk(3, 1)
    r, z = (ar + br).sigmoid(), (az + bz).sigmoid()
    n = (an + r * bn).tanh()
    return n + z * (hx - n), torch.cat([r, z, n, hx, bn], 1)


def gru_cell_backward(grad_hy, workspace, has_bias):
    r, z, n, hx, bn = workspace.chunk(5, 1)
    to_n = grad_hy * (1 - z) * (1 - n * n)
    to_z = grad_hy * (hx - n) * z * (1 - z)
    to_r = to_n * bn * r * (1 - r)
    a, b = torch.cat([to_r, to_z, to_n], 1), torch.cat([to_r, to_z, to_n * r], 1)
    return a, b, grad_hy * z, a.sum(0) if has_bias else None, b.sum(0) if has_bias else None
