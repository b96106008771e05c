"""Trains flax's MNIST example for some steps and says its losses: its own network, steps and optimiser, without TensorFlow.

    warpwright run python3 bench/clients/flax_mnist.py FLAX/examples/mnist/train.py [--steps 12] [--batch 32]

The example loads its pictures by tensorflow_datasets; digits of seven segments, moved and with noise, stand in for them here.
The exit code is 1 where the losses of the last third are no less than those of the first.
"""
import argparse
import importlib.util
import sys
import types

SEGMENTS = ["abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgecd", "abc", "abcdefg", "abcdfg"]
PLACES = {"a": (slice(0, 3), slice(0, 12)), "b": (slice(0, 10), slice(9, 12)), "c": (slice(9, 19), slice(9, 12)),
          "d": (slice(16, 19), slice(0, 12)), "e": (slice(9, 19), slice(0, 3)), "f": (slice(0, 10), slice(0, 3)),
          "g": (slice(8, 11), slice(0, 12))}


def example(file):
    """Loads the example; modules that it imports for its data alone are empty."""
    for name in ("tensorflow", "tensorflow_datasets", "ml_collections", "flax.metrics.tensorboard"):
        stand_in = types.ModuleType(name)
        stand_in.__getattr__ = lambda attribute: types.SimpleNamespace(
            Dataset=object, set_seed=lambda seed: None) if not attribute.startswith("__") else None
        sys.modules[name] = stand_in
    spec = importlib.util.spec_from_file_location("flax_mnist_example", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def batch(numbers, size):
    """Draws pictures (size, 28, 28, 1) in [0, 1] and their digits."""
    import numpy as np

    label = numbers.integers(0, 10, size)
    image = np.clip(numbers.normal(0, 0.1, (size, 28, 28, 1)), 0, 1).astype(np.float32)
    for picture, digit in zip(image, label):
        row, column = numbers.integers(2, 8), numbers.integers(4, 12)
        shape = np.zeros((19, 12), np.float32)
        for segment in SEGMENTS[digit]:
            shape[PLACES[segment]] = 1
        place = picture[row:row + 19, column:column + 12, 0]
        np.maximum(place, shape, out=place)
    return {"image": image, "label": label}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--batch", type=int, default=32)
    a = parser.parse_args()
    import numpy as np
    import optax
    from flax import nnx

    mnist = example(a.file)
    model = mnist.CNN(rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1, 0.9), wrt=nnx.Param)
    metrics = nnx.MultiMetric(accuracy=nnx.metrics.Accuracy(), loss=nnx.metrics.Average("loss"))
    rngs, numbers, losses = nnx.Rngs(0), np.random.default_rng(0), []
    model.train()
    for step in range(a.steps):
        mnist.train_step(model, optimizer, metrics, batch(numbers, a.batch), rngs)
        now = metrics.compute()
        metrics.reset()
        losses.append(float(now["loss"]))
        print(f"step {step}: loss {losses[-1]:.5f}, accuracy {float(now['accuracy']):.2f}", flush=True)
    model.eval()
    mnist.eval_step(model, metrics, batch(numbers, a.batch))
    now = metrics.compute()
    print(f"test: loss {float(now['loss']):.5f}, accuracy {float(now['accuracy']):.2f}")
    third = max(1, a.steps // 3)
    return 0 if sum(losses[-third:]) < sum(losses[:third]) else 1


if __name__ == "__main__":
    sys.exit(main())
