#!/usr/bin/env python3
"""Trains the network that preon ships, and writes it with the data to quantize and to judge it.

  python3 -m venv /tmp/glyphs && /tmp/glyphs/bin/pip install torch==2.9.1 numpy==2.3.5 pillow==12.0.0 onnx==1.23.2
  /tmp/glyphs/bin/python train.py --out DIR        about 6 minutes on one core; fonts come from apt-get download

Writes model.onnx, calib.npz (pictures from the training fonts, unlabelled), test.npz (labelled pictures from fonts that
training never saw), images/*.png (some of the test pictures) and labels.tsv (their classes). The data come out the same
bytes again; the weights do on the same kind of processor, elsewhere the accuracy agrees within half a point.
"""
import argparse
import io
import pathlib
import zipfile

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from PIL import Image
from torch import nn

from glyphs import CLASSES, SIZE, open_fonts

EPOCHS, PER_CLASS, BATCH = 10, 500, 128
CALIB_PER_CLASS, TEST_PER_CLASS, IMAGES = 4, 20, 94
INPUT_SCALE = 1 / 128  # a power of two, so that moving it into the first convolution changes no bit

STEM, HEAD = 24, 192
# Residual blocks: kind, channels, stride.
BLOCKS = [("plain", 24, 1), ("inverted", 48, 2), ("plain", 48, 1), ("inverted", 96, 2), ("inverted", 96, 1)]
EXPANSION = 4


def conv_bn(inputs, outputs, kernel, stride=1, groups=1, act=True):
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([nn.ReLU6()] if act else []))


class Block(nn.Module):
    """plain: two 3 x 3 convolutions (He et al. 2016); inverted: 1 x 1, depthwise 3 x 3, 1 x 1 (Sandler et al. 2018)."""

    def __init__(self, kind, inputs, outputs, stride):
        super().__init__()
        wide = inputs * EXPANSION
        self.skip = stride == 1 and inputs == outputs
        if kind == "plain":
            layers = [conv_bn(inputs, outputs, 3, stride), conv_bn(outputs, outputs, 3, act=False)]
        else:
            layers = [conv_bn(inputs, wide, 1), conv_bn(wide, wide, 3, stride, groups=wide), conv_bn(wide, outputs, 1, act=False)]
        self.body = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.body(x) if self.skip else self.body(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        blocks, channels = [], STEM
        for kind, outputs, stride in BLOCKS:
            blocks.append(Block(kind, channels, outputs, stride))
            channels = outputs
        self.features = nn.Sequential(conv_bn(1, STEM, 3, stride=2), *blocks, conv_bn(channels, HEAD, 1))
        self.classify = nn.Linear(HEAD, len(CLASSES))

    def forward(self, x):
        return self.classify(self.features(x * INPUT_SCALE).mean((2, 3)))


def train(glyphs):
    torch.manual_seed(1)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    net = Net().to(memory_format=torch.channels_last)
    steps = EPOCHS * (PER_CLASS * len(CLASSES) // BATCH)
    optimizer = torch.optim.AdamW(net.parameters(), weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.006, steps)
    for epoch in range(EPOCHS):
        pictures, labels = glyphs.sample(PER_CLASS, seed=100 + epoch)
        net.train()
        total = 0.0
        for start in range(0, len(labels) - BATCH + 1, BATCH):
            x = torch.from_numpy(pictures[start:start + BATCH].astype(np.float32)).to(memory_format=torch.channels_last)
            loss = nn.functional.cross_entropy(net(x), torch.from_numpy(labels[start:start + BATCH]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        print(f"epoch {epoch + 1}/{EPOCHS}: loss {total / (len(labels) // BATCH):.4f}", flush=True)
    return net.eval()


class Exporter:
    """Writes the network as it was built: BatchNormalization, activations and residual Adds as nodes of their own."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def weight(self, name, tensor, scale=1.0):
        self.weights.append(numpy_helper.from_array((tensor.detach().contiguous().numpy() * np.float32(scale)), name))
        return name

    def op(self, kind, inputs, name, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def module(self, module, x, name, scale=1.0):
        """Emits one module; returns the name of its output, which is the module's own path."""
        if isinstance(module, nn.Conv2d):
            pad = module.padding[0]
            return self.op("Conv", [x, self.weight(f"{name}.weight", module.weight, scale)], name, group=module.groups,
                           kernel_shape=module.kernel_size, strides=module.stride, pads=[pad] * 4)
        if isinstance(module, nn.BatchNorm2d):
            parts = zip(("weight", "bias", "mean", "var"),
                        (module.weight, module.bias, module.running_mean, module.running_var))
            return self.op("BatchNormalization", [x, *(self.weight(f"{name}.{part}", value) for part, value in parts)],
                           name, epsilon=module.eps)
        if isinstance(module, nn.ReLU6):
            return self.op("Clip", [x, "clip_min", "clip_max"], name)
        if isinstance(module, Block):
            y = self.module(module.body, x, name)
            return self.op("Add", [x, y], f"{name}.add") if module.skip else y
        for i, child in enumerate(module):
            x = self.module(child, x, f"{name}.{i}", scale)
            scale = 1.0  # the first convolution takes it
        return x

    def export(self, net):
        self.weights += [numpy_helper.from_array(np.float32(v), n) for v, n in ((0, "clip_min"), (6, "clip_max"))]
        x = self.module(net.features, "image", "features", INPUT_SCALE)
        x = self.op("Flatten", [self.op("GlobalAveragePool", [x], "pool")], "flat")
        weights = [self.weight(f"classify.{part}", getattr(net.classify, part)) for part in ("weight", "bias")]
        self.op("Gemm", [x, *weights], "scores", transB=1)
        graph = helper.make_graph(
            self.nodes, "glyphs", [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 1, SIZE, SIZE])],
            [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["N", len(CLASSES)])], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8, producer_name="preon glyphs")
        model.metadata_props.add(key="classes", value=CLASSES)
        onnx.checker.check_model(model, full_check=True)
        return model


def save_npz(path, **arrays):
    """np.savez_compressed without the time of day in it: the same arrays give the same bytes."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, values in arrays.items():
            file = io.BytesIO()
            np.save(file, values)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), file.getvalue(), zipfile.ZIP_DEFLATED, 9)


def save_data(train_glyphs, test_glyphs, out):
    """Pictures are stored as the network takes them: float32, 0 to 255."""
    save_npz(out / "calib.npz", image=train_glyphs.sample(CALIB_PER_CLASS, seed=1)[0].astype(np.float32))
    pictures, labels = test_glyphs.sample(TEST_PER_CLASS, seed=2)
    save_npz(out / "test.npz", image=pictures.astype(np.float32), label=labels)
    (out / "images").mkdir(exist_ok=True)
    for i in range(IMAGES):
        Image.fromarray(pictures[i, 0]).save(out / "images" / f"{i:03}.png", optimize=True)
    (out / "labels.tsv").write_text("".join(f"{i:03}.png\t{labels[i]}\n" for i in range(IMAGES)))
    return pictures, labels


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--fonts", type=pathlib.Path, help="where fonts are unpacked; default: OUT/fonts")
    parser.add_argument("--data-only", action="store_true", help="write the data, train nothing")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    train_glyphs, test_glyphs = open_fonts(args.fonts or args.out / "fonts")
    pictures, labels = save_data(train_glyphs, test_glyphs, args.out)
    if args.data_only:
        return
    net = train(train_glyphs)
    with torch.no_grad():
        right = (net(torch.from_numpy(pictures.astype(np.float32))).argmax(1).numpy() == labels).mean()
    onnx.save(Exporter().export(net), args.out / "model.onnx")
    print(f"{sum(p.numel() for p in net.parameters())} parameters; top-1 on the test fonts {100 * right:.2f} %")


if __name__ == "__main__":
    main()
