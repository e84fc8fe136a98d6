"""Whole models from which crafted ones are made: small ones that hold every structure preon reads, and real ones."""
import functools

import data_root
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

#: By name: the graph as ONNX text without its weights, and the shapes of these.
TEXTS = {
    "images": ("""<ir_version: 8, opset_import: ["": 17]>
        images (float[N,3,8,8] x) => (float[N,4] y) {
            c = Conv<pads=[1,1,1,1], group=1>(x, w1, b1)
            n = BatchNormalization<epsilon=1e-5>(c, s, b, m, v)
            r = Relu(n)
            p = MaxPool<kernel_shape=[2,2], strides=[2,2]>(r)
            d = Conv<pads=[1,1,1,1], group=8>(p, w2)
            a = Add(p, d)
            g = GlobalAveragePool(a)
            f = Flatten<axis=1>(g)
            y = Gemm<transB=1, alpha=1.0>(f, w3, b3)
        }""", {"w1": (8, 3, 3, 3), "b1": (8,), "s": (8,), "b": (8,), "m": (8,), "v": (8,), "w2": (8, 1, 3, 3), "w3": (4, 8), "b3": (4,)}),
    "attention": ("""<ir_version: 8, opset_import: ["": 17]>
        attention (int64[N,6] ids) => (float[N,6,8] y) <int64[4] heads = {0,6,2,4}, int64[3] flat = {0,6,8}> {
            e = Gather<axis=0>(table, ids)
            l = LayerNormalization<axis=-1, epsilon=1e-5>(e, s, b)
            q = MatMul(l, wq)
            k = MatMul(l, wk)
            qr = Reshape(q, heads)
            qt = Transpose<perm=[0,2,1,3]>(qr)
            kr = Reshape(k, heads)
            kt = Transpose<perm=[0,2,3,1]>(kr)
            z = MatMul(qt, kt)
            p = Softmax<axis=-1>(z)
            o = MatMul(p, qt)
            ot = Transpose<perm=[0,2,1,3]>(o)
            f = Reshape<allowzero=0>(ot, flat)
            u = MatMul(f, wo)
            h = Erf(u)
            y = Add(e, h)
        }""", {"table": (9, 8), "s": (8,), "b": (8,), "wq": (8, 8), "wk": (8, 8), "wo": (8, 8)}),
    "recurrent": ("""<ir_version: 8, opset_import: ["": 17]>
        recurrent (float[1,1,4] x, float[1,1,6] h0) => (float[1,1,3] y, float[1,1,6] h) <int64[1] one = {1}> {
            a, h, c = LSTM<hidden_size=6, direction="forward">(x, w, r, b, , h0)
            s = Squeeze(a, one)
            g, gh = GRU<hidden_size=6, linear_before_reset=1>(s, w2, r2)
            t = Squeeze(g, one)
            y = MatMul(t, wy)
        }""", {"w": (1, 24, 4), "r": (1, 24, 6), "b": (1, 48), "w2": (1, 18, 6), "r2": (1, 18, 6), "wy": (6, 3)}),
    "detector": ("""<ir_version: 8, opset_import: ["": 17]>
        detector (float[1,3,8,8] x) => (float[K,4] y, int64[M,3] kept)
        <int64[3] rows = {1,-1,4}, int64[3] columns = {1,4,-1}, int64[1] three = {3}, float[4] twice = {1,1,2,2},
         int64[1] most = {5}, float[1] overlap = {0.5}, float[1] score = {0.1}, int64[4] cut = {0,0,1,1}, int64[4] end = {1,4,15,15}> {
            c = Conv<strides=[1,1], dilations=[1,1]>(x, w)
            u = Resize<mode="nearest">(c, , twice)
            t = ConvTranspose<strides=[1,1]>(u, w2)
            k = Slice(t, cut, end)
            g = Sigmoid(k)
            boxes = Reshape(g, rows)
            lines = Reshape(g, columns)
            first, rest = Split<axis=1>(lines, halves)
            kept = NonMaxSuppression(boxes, first, most, overlap, score)
            top, index = TopK<axis=1>(boxes, three)
            y = Squeeze(top)
        }""", {"w": (4, 3, 3, 3), "w2": (4, 4, 3, 3), "halves": [1, 3]}),
    "dynamic": ("""<ir_version: 8, opset_import: ["": 17]>
        dynamic (float[N,T,4] x) => (float[] y, float[] z) <int64[1] none = {0}, int64[1] last = {-1}, int64 zero = {0},
        int64 one = {1}> {
            s = Shape(x)
            n = Gather<axis=0>(s, none)
            d = Concat<axis=0>(n, last)
            f = Reshape(x, d)
            m = MatMul(x, w)
            k = Shape<start=0, end=2>(m)
            filled = ConstantOfShape(k)
            wide = Unsqueeze(filled, last)
            big = Expand(wide, s)
            y = Add(m, big)
            t = Gather<axis=0>(s, one)
            r = Range(zero, t, one)
            i = Cast<to=1>(r)
            p = Pad<mode="constant">(i, pads)
            z = ReduceMean<axes=[0], keepdims=1>(p)
        }""", {"w": (4, 4), "pads": [1, 1]}),
    "branches": ("""<ir_version: 8, opset_import: ["": 17]>
        branches (float[N,4] x) => (float[N,4] y) <bool yes = {1}, int64 times = {2}> {
            h = MatMul(x, w)
            v = If(yes) <
                then_branch = one () => (float[N,4] a) { q = MatMul(h, w2) a = Relu(q) },
                else_branch = two () => (float[N,4] b) { b = Neg(h) }>
            y = Loop(times, yes, v) <
                body = step (int64 i, bool go, float[N,4] state) => (bool on, float[N,4] next)
                { on = Identity(go) next = MatMul(state, w) }>
        }""", {"w": (4, 4), "w2": (4, 4)}),
    "functions": ("""<ir_version: 10, opset_import: ["": 21, "local": 1]>
        functions (float[N,4] x) => (float[N,4] y) {
            h = local.dense<slope=0.1>(x, w)
            y = local.dense<slope=0.2>(h, w)
        }
        <domain: "local", opset_import: ["": 21, "local": 1]>
        dense <slope>(a, k) => (b) { m = local.inner(a, k) b = LeakyRelu<alpha: float = @slope>(m) }
        <domain: "local", opset_import: ["": 21]>
        inner (a, k) => (b) { b = MatMul(a, k) }""", {"w": (4, 4)}),
    "quantized": ("""<ir_version: 10, opset_import: ["": 21]>
        quantized (float[N,4] x) => (float[N,4] y) <float scale = {0.1}, uint8 zero = {128}> {
            q = QuantizeLinear(x, scale, zero)
            d = DequantizeLinear(q, scale, zero)
            m = MatMul(d, w)
            y = Relu(m)
        }""", {"w": (4, 4)}),
    "half": ("""<ir_version: 8, opset_import: ["": 17]>
        half (float16[N,4] x) => (float16[N,4] y) { c = Cast<to=1>(x) m = MatMul(c, w) y = Cast<to=10>(m) }""", {"w": (4, 4)}),
}

#: Of PREON_DATA, in groups: how long four verbs take.
QUICK = ["mnist_cntk", "vit_cifar10_ibp_3_3_8", "resnet20_cifar10", "dtln_model_1", "lenet_mnist", "sst2_transformer",
         "silero_vad_op18_ifless"]
LONG = ["super_resolution_10", "ultraface_rfb_320", "gtcrn_stream_simple", "ppocr_v3_det", "mobilenetv2_v2w_int8_qdq_ort", "yolox_nano",
        "mobilenetv2_1.0"]


def small(name):
    text, weights = TEXTS[name]
    model = onnx.parser.parse_model(text)
    rng = np.random.default_rng(len(name))
    for weight, shape in weights.items():
        values = np.array(shape) if isinstance(shape, list) else np.abs(rng.normal(size=shape)).astype(np.float32)
        model.graph.initializer.append(numpy_helper.from_array(values, weight))
    for index, node in enumerate(model.graph.node):
        node.name = f"{node.op_type.lower()}_{index}"
    model.producer_name, model.doc_string = "attack", "a seed"
    helper.set_model_props(model, {"author": "nobody"})
    return model


def external():
    """The model with images, its weights in w.bin one after the other; its bytes come as the second result."""
    model, content = small("images"), b""
    for tensor in model.graph.initializer:
        data = tensor.raw_data
        onnx.external_data_helper.set_external_data(tensor, "w.bin", len(content), len(data))
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        content += data
    return model, content


@functools.cache
def real(name):
    return (data_root.data_root() / f"models/{name}.onnx").read_bytes()


def choose(rng):
    """A name, a model and the content of its w.bin or None. Three of five are small, one of ten takes long."""
    group = rng.choice(["small", "quick", "long"], p=[0.6, 0.33, 0.07])
    names = {"small": [*TEXTS, "external"], "quick": QUICK, "long": LONG}[group]
    name = str(rng.choice(names))
    if name == "external":
        return name, *external()
    if name in TEXTS:
        return name, small(name), None
    if not (data_root.data_root() / f"models/{name}.onnx").exists():
        return "images", small("images"), None
    return name, onnx.load_model_from_string(real(name)), None
