"""Networks with trained weights out of packages: EfficientNet-Lite0 whole, and smaller ones whose last layer is fitted here.

A smaller network keeps the trained first layers of EfficientNet-Lite0 or MiniLM; its head is a ridge regression on data of the same packages. It has
the inputs and outputs of a model that tests name, and stands in for it where that model is not at hand (fetched.json says which)."""
import numpy as np
from onnx import TensorProto

from .graph import Graph, one_hot, ridge

#: EfficientNet-Lite0 (Tan & Le 2019, table 1, without squeeze-and-excitation): repeats, kernel, stride, expansion, output channels.
STAGES = [(1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80), (3, 5, 1, 6, 112), (4, 5, 2, 6, 192), (1, 3, 1, 6, 320)]
BLOCKS = [(kernel, stride if i == 0 else 1, expansion) for repeats, kernel, stride, expansion, _ in STAGES for i in range(repeats)]
IMAGENET = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])


class Lite0:
    """Its layers, one call each; `fold` puts batch normalization into the convolutions."""

    def __init__(self, graph, weights, fold=True):
        self.graph, self.weights, self.fold = graph, weights, fold

    def conv(self, x, name, norm, stride=1, relu=True):
        weight = self.weights[f"{name}.weight"]
        kernel, group = weight.shape[-1], weight.shape[0] if weight.shape[1] == 1 else 1
        before = (kernel - stride) // 2 if stride > 1 else kernel // 2  # as TensorFlow pads: less before than behind
        after = kernel - stride - before if stride > 1 else kernel // 2
        shape = dict(strides=[stride] * 2, group=group, pads=[before, before, after, after], kernel_shape=[kernel] * 2)
        gamma, beta, mean, variance = (self.weights[f"{norm}.{part}"] for part in ("weight", "bias", "running_mean", "running_var"))
        if self.fold:
            scale = gamma / np.sqrt(variance + 1e-3)
            x = self.graph.op("Conv", x, weight * scale[:, None, None, None], beta - mean * scale, **shape)
        else:
            x = self.graph.op("BatchNormalization", self.graph.op("Conv", x, weight, **shape), gamma, beta, mean, variance, epsilon=1e-3)
        return self.graph.op("Clip", x, np.float32(0), np.float32(6)) if relu else x

    def stem(self, x):
        return self.conv(x, "_conv_stem", "_bn0", 2)

    def block(self, x, number):
        kernel, stride, expansion = BLOCKS[number]
        name, y = f"_blocks.{number}.", x
        if expansion > 1:
            y = self.conv(y, name + "_expand_conv", name + "_bn0")
        y = self.conv(y, name + "_depthwise_conv", name + "_bn1", stride)
        y = self.conv(y, name + "_project_conv", name + "_bn2", relu=False)
        same = stride == 1 and self.weights[name + "_project_conv.weight"].shape[0] == (self.weights[name + "_expand_conv.weight"].shape[1] if expansion > 1 else 0)
        return self.graph.op("Add", x, y) if same else y

    def first(self, x, blocks):
        x = self.stem(x)
        for number in range(blocks):
            x = self.block(x, number)
        return x


def pooled(graph, x):
    return graph.op("Flatten", graph.op("GlobalAveragePool", x), axis=1)


def normalized(pixels):
    """uint8 [N, H, W, 3] as ImageNet's classifiers take them."""
    return ((pixels.astype(np.float32) / 255 - IMAGENET[0]) / IMAGENET[1]).transpose(0, 3, 1, 2).astype(np.float32)


def efficientnet_lite0(weights):
    """Takes (x / 255 - mean) / deviation as the other ImageNet models here; the weights were trained with (x - 127) / 128."""
    graph = Graph()
    x = graph.input("input", ["N", 3, 224, 224])
    stem = weights["_conv_stem.weight"]
    scale, offset = IMAGENET[1] * 255 / 128, (IMAGENET[0] * 255 - 127) / 128
    # The offset lies in front of the padding with zeros, so it stays a node; the scale goes into the weights.
    shifted = graph.op("Add", x, (offset / scale)[None, :, None, None].astype(np.float32))
    net = Lite0(graph, {**weights, "_conv_stem.weight": stem * scale[None, :, None, None]})
    x = net.conv(net.first(shifted, len(BLOCKS)), "_conv_head", "_bn1")
    graph.op("Gemm", pooled(graph, x), weights["_fc.weight"], weights["_fc.bias"], transB=1, output="output")
    return graph.model({"output": ["N", 1000]})


def crop_classifier(weights, source, size, blocks, fold, classes, output, pixels, labels):
    """The first blocks of EfficientNet-Lite0, and a head that tells which picture a crop comes from."""
    graph = Graph()
    x = pooled(graph, Lite0(graph, weights, fold).first(graph.input(source, ["N", 3, size, size]), blocks))
    kept = labels < classes
    head, bias = ridge(graph.run(x, {source: normalized(pixels[kept])}), one_hot(labels[kept], classes))
    graph.op("Gemm", x, 4 * head, 4 * bias, output=output)
    return graph.model({output: ["N", classes]})


def digits_net(pixels, labels):
    """LeNet's layers: two convolutions drawn at random, a fitted last layer."""
    dice, graph = np.random.default_rng(7), Graph()
    x = graph.input("data", ["N", 1, 28, 28])
    for channels, before in ((20, 1), (50, 20)):
        weight = dice.normal(0, 1 / np.sqrt(25 * before), (channels, before, 5, 5)).astype(np.float32)
        x = graph.op("MaxPool", graph.op("Conv", x, weight, np.zeros(channels, np.float32), kernel_shape=[5, 5]), kernel_shape=[2, 2], strides=[2, 2])
    x = graph.op("Flatten", x, axis=1)
    x = graph.op("Relu", graph.op("Gemm", x, dice.normal(0, 0.05, (800, 500)).astype(np.float32), np.zeros(500, np.float32)))
    head, bias = ridge(graph.run(x, {"data": pixels}), one_hot(labels, 10))
    graph.op("Gemm", x, 4 * head, 4 * bias, output="prob")
    return graph.model({"prob": ["N", 10]})


def super_resolution(luma):
    """Two convolutions drawn at random and a fitted one, whose nine channels are the pixels of a three times larger image."""
    dice, graph = np.random.default_rng(8), Graph()
    x = graph.input("input", ["N", 1, 224, 224])
    edges = np.concatenate([np.eye(25)[12].reshape(1, 1, 5, 5), dice.normal(0, 0.2, (31, 1, 5, 5))]).astype(np.float32)
    first = graph.op("Relu", graph.op("Conv", x, edges, np.zeros(32, np.float32), pads=[2] * 4))
    second = graph.op("Relu", graph.op("Conv", first, dice.normal(0, 0.06, (32, 32, 3, 3)).astype(np.float32), np.zeros(32, np.float32), pads=[1] * 4))
    both = graph.op("Concat", first, second, axis=1)
    low = luma.reshape(len(luma), 1, 224, 3, 224, 3).mean((3, 5))
    target = luma.reshape(-1, 224, 3, 224, 3).transpose(0, 1, 3, 2, 4)  # [N, y, x, row, column of the nine]
    features = graph.run(both, {"input": low}, 2)
    places = dice.integers(1, 223, (2, 6000))
    rows = np.concatenate([np.concatenate([features[:, :, places[0] + dy, places[1] + dx] for dy in (-1, 0, 1) for dx in (-1, 0, 1)], 1).transpose(0, 2, 1)
                           .reshape(-1, 64 * 9)])
    head, bias = ridge(rows, target[:, places[0], places[1]].reshape(-1, 9), 1e-4)
    weight = head.reshape(3, 3, 64, 9).transpose(3, 2, 0, 1)
    x = graph.op("Conv", both, weight.astype(np.float32), bias, pads=[1] * 4)
    x = graph.op("Reshape", x, np.int64([-1, 1, 3, 3, 224, 224]))
    x = graph.op("Transpose", x, perm=[0, 1, 4, 2, 5, 3])
    graph.op("Reshape", x, np.int64([-1, 1, 672, 672]), output="output")
    return graph.model({"output": ["N", 1, 672, 672]})


def face_boxes(weights):
    """The form of a single-shot detector: boxes and scores of two scales, joined. Its heads are drawn at random."""
    dice, graph = np.random.default_rng(9), Graph()
    net = Lite0(graph, weights)
    fine = net.first(graph.input("input", [1, 3, 240, 320]), 5)
    coarse = fine
    for number in range(5, 11):
        coarse = net.block(coarse, number)
    parts = {"scores": [], "boxes": []}
    for x, channels, anchors in ((fine, 40, 3), (coarse, 112, 2)):
        for name, width in (("scores", 2), ("boxes", 4)):
            weight = dice.normal(0, 0.3 / np.sqrt(channels), (anchors * width, channels, 3, 3)).astype(np.float32)
            y = graph.op("Conv", x, weight, np.zeros(anchors * width, np.float32), pads=[1] * 4)
            parts[name].append(graph.op("Reshape", graph.op("Transpose", y, perm=[0, 2, 3, 1]), np.int64([1, -1, width])))
    graph.op("Softmax", graph.op("Concat", *parts["scores"], axis=1), axis=2, output="scores")
    graph.op("Concat", *parts["boxes"], axis=1, output="boxes")
    return graph.model({"scores": [1, 4200, 2], "boxes": [1, 4200, 4]})


class MiniLM:
    """Its layers (BERT: Devlin et al. 2019); `fused` writes LayerNormalization as one node (opset 17), else as its formula."""

    def __init__(self, graph, weights, fused):
        self.graph, self.weights, self.fused = graph, weights, fused

    def norm(self, x, name):
        gamma, beta = (self.weights[f"{name}.{part}"] for part in ("weight", "bias"))
        op = self.graph.op
        if self.fused:
            return op("LayerNormalization", x, gamma, beta, axis=-1, epsilon=1e-12)
        centred = op("Sub", x, op("ReduceMean", x, axes=[-1]))
        variance = op("ReduceMean", op("Mul", centred, centred), axes=[-1])
        return op("Add", op("Mul", op("Div", centred, op("Sqrt", op("Add", variance, np.float32(1e-12)))), gamma), beta)

    def linear(self, x, name):
        return self.graph.op("Add", self.graph.op("MatMul", x, np.ascontiguousarray(self.weights[f"{name}.weight"].T)), self.weights[f"{name}.bias"])

    def heads(self, x, last):
        return self.graph.op("Transpose", self.graph.op("Reshape", x, np.int64([0, 0, 12, 32])), perm=last)

    def layer(self, x, number, mask):
        op, name = self.graph.op, f"encoder.layer.{number}."
        q, k, v = (self.heads(self.linear(x, f"{name}attention.self.{part}"), perm)
                   for part, perm in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])))
        scores = op("Add", op("Div", op("MatMul", q, k), np.float32(np.sqrt(32))), mask)
        mixed = op("Transpose", op("MatMul", op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        x = self.norm(op("Add", self.linear(op("Reshape", mixed, np.int64([0, 0, 384])), name + "attention.output.dense"), x), name + "attention.output.LayerNorm")
        y = self.linear(x, name + "intermediate.dense")
        y = op("Mul", op("Mul", y, op("Add", op("Erf", op("Div", y, np.float32(np.sqrt(2)))), np.float32(1))), np.float32(0.5))
        return self.norm(op("Add", self.linear(y, name + "output.dense"), x), name + "output.LayerNorm")

    def embed(self, ids, table):
        op = self.graph.op
        length = op("Gather", op("Shape", ids), np.int64([1]), axis=0)
        places = op("Slice", self.weights["embeddings.position_embeddings.weight"][:128], np.int64([0]), length, np.int64([0]))
        x = op("Add", op("Gather", table, ids, axis=0), op("Add", places, self.weights["embeddings.token_type_embeddings.weight"][0]))
        return self.norm(x, "embeddings.LayerNorm")

    def hidden_mask(self, mask):
        op = self.graph.op
        off = op("Sub", np.float32(1), op("Cast", op("Unsqueeze", mask, np.int64([1, 2])), to=TensorProto.FLOAT))
        return op("Mul", off, np.float32(-10000))


def sentence_classifier(weights, table, layers, fused, rows, heads):
    """input_ids, attention_mask -> embedding (mean of the tokens), logits[N, 2] fitted on `rows` (ids, mask, label).

    `heads` keeps what was fitted, for the other form of the same network."""
    graph = Graph(17 if fused else 13)
    net = MiniLM(graph, weights, fused)
    ids, mask = (graph.input(name, ["N", "T"], TensorProto.INT64) for name in ("input_ids", "attention_mask"))
    hidden, x = net.hidden_mask(mask), net.embed(ids, table)
    for number in range(layers):
        x = net.layer(x, number, hidden)
    weight = graph.op("Cast", graph.op("Unsqueeze", mask, np.int64([2])), to=TensorProto.FLOAT)
    total = graph.op("ReduceSum", graph.op("Mul", x, weight), np.int64([1]), keepdims=0)
    graph.op("Div", total, graph.op("ReduceSum", weight, np.int64([1]), keepdims=0), output="embedding")
    if layers not in heads:
        features = graph.run("embedding", {"input_ids": rows[:, :64].astype(np.int64), "attention_mask": rows[:, 64:128].astype(np.int64)})
        heads[layers] = ridge(features, one_hot(rows[:, 128], 2))
    head, bias = heads[layers]
    graph.op("Gemm", "embedding", 2 * head, 2 * bias, output="logits")
    return graph.model({"logits": ["N", 2]} if table.shape[0] < 10000 else {"embedding": ["N", 384], "logits": ["N", 2]})


def next_character(weights, table, letters, text):
    """tokens -> logits of the next character: two layers of MiniLM that see only what is before, and a fitted head."""
    graph = Graph(17)
    net = MiniLM(graph, weights, True)
    tokens = graph.input("tokens", ["N", "T"], TensorProto.INT64)
    x = net.embed(tokens, table)
    length = graph.op("Gather", graph.op("Shape", tokens), np.int64([1]), axis=0)
    later = np.triu(np.full((128, 128), -10000, np.float32), 1)
    hidden = graph.op("Slice", later, np.int64([0, 0]), graph.op("Concat", length, length, axis=0), np.int64([0, 1]))
    for number in range(2):
        x = net.layer(x, number, hidden)
    codes = np.array([letters.index(letter) for letter in text[:128 * 161]], np.int64)
    features = graph.run(x, {"tokens": codes[:128 * 160].reshape(-1, 128)}).reshape(-1, 384)
    head, bias = ridge(features, np.eye(65)[codes[1:128 * 160 + 1]])
    graph.op("Add", graph.op("MatMul", x, 8 * head), 8 * bias, output="logits")
    return graph.model({"logits": ["N", "T", 65]})


def patch_transformer(weights, pixels, labels):
    """Patches of 4 x 4 through two layers of MiniLM (Lu et al. 2021: a trained transformer takes other kinds of input), and a fitted head."""
    dice, graph = np.random.default_rng(10), Graph()
    net = MiniLM(graph, weights, False)
    x = graph.op("Conv", graph.input("input", ["N", 3, 32, 32]), dice.normal(0, 0.1, (384, 3, 4, 4)).astype(np.float32), np.zeros(384, np.float32), strides=[4, 4])
    x = graph.op("Transpose", graph.op("Reshape", x, np.int64([0, 384, 64])), perm=[0, 2, 1])
    x = graph.op("Add", x, weights["embeddings.position_embeddings.weight"][:64])
    for number in range(2):
        x = net.layer(net.norm(x, "embeddings.LayerNorm") if number == 0 else x, number, np.float32(0))
    x = graph.op("ReduceMean", x, axes=[1], keepdims=0)
    head, bias = ridge(graph.run(x, {"input": normalized(pixels)}), one_hot(labels, 10))
    graph.op("Gemm", x, 4 * head, 4 * bias, output="output")
    return graph.model({"output": ["N", 10]})
