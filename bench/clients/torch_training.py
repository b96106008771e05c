"""Trains small networks three steps on the CPU and on the device, from the same start, and compares losses and weights.

    warpwright run --quiet python3 bench/clients/torch_training.py [NAME ...]      mlp, gpt, resnet18, unet

What may differ is known from the CPU itself: how far its own float32 is from float64. (Batch norm over few values enlarges
what is rounded.)
"""
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

STEPS = 3


class Block(nn.Module):
    """Two convolutions beside a shortcut (He and others, 2016)."""

    def __init__(self, inside, outside, stride):
        super().__init__()
        self.one, self.norm_one = nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.BatchNorm2d(outside)
        self.two, self.norm_two = nn.Conv2d(outside, outside, 3, 1, 1, bias=False), nn.BatchNorm2d(outside)
        self.short = nn.Identity() if stride == 1 and inside == outside else nn.Sequential(
            nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))

    def forward(self, x):
        y = F.relu(self.norm_one(self.one(x)), inplace=True)
        return F.relu(self.norm_two(self.two(y)) + self.short(x))


def resnet18():
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    width = 64
    for outside, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Block(width, outside, stride), Block(outside, outside, 1)]
        width = outside
    net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))
    return (net, torch.randn(4, 3, 32, 32), torch.randint(0, 10, (4,)), F.cross_entropy,
            lambda p: torch.optim.SGD(p, 0.01, 0.9, weight_decay=1e-4))


def _double(inside, outside):
    return nn.Sequential(nn.Conv2d(inside, outside, 3, padding=1), nn.BatchNorm2d(outside), nn.ReLU(inplace=True),
                         nn.Conv2d(outside, outside, 3, padding=1), nn.BatchNorm2d(outside), nn.ReLU(inplace=True))


class UNet(nn.Module):
    """Down by pooling, up by bilinear resampling or by a transposed convolution, with connections across (Ronneberger and
    others, 2015)."""

    def __init__(self, width=8):
        super().__init__()
        self.down = nn.ModuleList([_double(3, width), _double(width, 2 * width), _double(2 * width, 4 * width)])
        self.turned = nn.ConvTranspose2d(4 * width, 2 * width, 2, 2)
        self.up = nn.ModuleList([_double(4 * width, 2 * width), _double(3 * width, width)])
        self.last = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        one = self.down[0](x)
        two = self.down[1](F.max_pool2d(one, 2))
        three = self.down[2](F.max_pool2d(two, 2))
        y = self.up[0](torch.cat([self.turned(three), two], 1))
        y = self.up[1](torch.cat([F.interpolate(y, scale_factor=2, mode="bilinear", align_corners=True), one], 1))
        return self.last(y)


def unet():
    return (UNet(), torch.randn(2, 3, 32, 32), torch.randint(0, 2, (2, 32, 32)), F.cross_entropy,
            lambda p: torch.optim.Adam(p, 1e-3))


def mlp():
    net = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 10))
    return net, torch.randn(16, 32), torch.randint(0, 10, (16,)), F.cross_entropy, lambda p: torch.optim.Adam(p, 1e-2)


def gpt():
    class Net(nn.Module):
        def __init__(self, words=100, width=64):
            super().__init__()
            self.words, self.places = nn.Embedding(words, width), nn.Embedding(32, width)
            layer = nn.TransformerEncoderLayer(width, 4, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True)
            self.layers, self.last = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(width, words)

        def forward(self, x):
            mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1], device=x.device)
            y = self.words(x) + self.places(torch.arange(x.shape[1], device=x.device))
            return self.last(self.layers(y, mask, is_causal=True))

    x = torch.randint(0, 100, (2, 32))
    return (Net(), x, x.roll(-1, 1), lambda y, t: F.cross_entropy(y.flatten(0, 1), t.flatten()),
            lambda p: torch.optim.AdamW(p, 1e-3))


def trained(make, device, dtype=torch.float32):
    torch.manual_seed(0)
    net, x, target, loss_of, optimizer_of = make()
    net, x, target = net.to(device, dtype), x.to(device, dtype if x.is_floating_point() else None), target.to(device)
    optimizer, losses = optimizer_of(net.parameters()), []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(net(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, [t.detach().cpu().double() for t in net.state_dict().values()]


def difference(one, other):
    (losses, weights), (other_losses, other_weights) = one, other
    return (max(abs(a - b) for a, b in zip(losses, other_losses)),
            max((a - b).abs().max().item() for a, b in zip(weights, other_weights)))


def main():
    for name in sys.argv[1:] or ["mlp", "gpt", "resnet18", "unet"]:
        make = globals()[name]
        cpu, exact, before = trained(make, "cpu"), trained(make, "cpu", torch.float64), time.process_time()
        gpu = trained(make, "cuda")
        seconds = (time.process_time() - before) / STEPS
        (loss, weight), (own_loss, own_weight) = difference(cpu, gpu), difference(cpu, exact)
        print(f"{name}: losses {' '.join(f'{x:.4f}' for x in gpu[0])}; difference of losses {loss:.1e} "
              f"(the CPU's own: {own_loss:.1e}), of weights {weight:.1e} ({own_weight:.1e}); "
              f"{seconds:.1f} s of processor time for a step", flush=True)


main()
