"""Changes to weights, by chance: shapes, types, bytes, values, where they lie."""
import numpy as np
from hostile_values import FLOATS, LOCATIONS, SIZES, pick, tensor_of
from onnx import TensorProto, helper


def tensor_shape(rng, model):
    tensor = tensor_of(rng, model)
    if tensor and tensor.dims and rng.random() < 0.7:
        tensor.dims[int(rng.integers(len(tensor.dims)))] = int(pick(rng, SIZES))
    elif tensor:
        tensor.dims.extend([1] * int(pick(rng, [1, 10, 70])))


def tensor_shape_of_another(rng, model):
    """As many values, in another order of dimensions or flat."""
    tensor = tensor_of(rng, model)
    if tensor and tensor.dims:
        dims = list(tensor.dims)
        dims = pick(rng, [dims[::-1], [int(np.prod(dims, dtype=object) % (1 << 62))], dims[1:], [1, *dims]])
        del tensor.dims[:]
        tensor.dims.extend(dims)


def tensor_type(rng, model):
    tensor = tensor_of(rng, model)
    if tensor:
        tensor.data_type = int(pick(rng, [*range(0, 27), -1, 1000]))


def tensor_bytes(rng, model):
    """Too few, too many, none, or in two fields."""
    tensor = tensor_of(rng, model)
    if tensor is None:
        return
    how = rng.integers(4)
    if how == 0:
        tensor.raw_data = tensor.raw_data[: int(rng.integers(len(tensor.raw_data) + 1))]
    elif how == 1:
        tensor.raw_data += b"\x7f" * int(pick(rng, [1, 4, 4096]))
    elif how == 2:
        tensor.ClearField("raw_data")
    else:
        tensor.float_data.extend([1.0] * 3)
        tensor.string_data.append(b"text")


def tensor_values(rng, model):
    tensor = tensor_of(rng, model)
    if tensor is None or not tensor.raw_data:
        return
    kind = {TensorProto.FLOAT: np.float32, TensorProto.INT64: np.int64}.get(tensor.data_type, np.uint8)
    values = np.frombuffer(tensor.raw_data[: len(tensor.raw_data) // np.dtype(kind).itemsize * np.dtype(kind).itemsize], kind).copy()
    if values.size:
        where = slice(None) if rng.random() < 0.3 else int(rng.integers(values.size))
        values[where] = {np.float32: pick(rng, FLOATS), np.int64: pick(rng, SIZES)}.get(kind, 255)
        tensor.raw_data = values.tobytes()


def tensor_twice(rng, model):
    tensor = tensor_of(rng, model)
    if tensor:
        model.graph.initializer.append(tensor)
        if rng.random() < 0.5:
            model.graph.input.append(helper.make_tensor_value_info(tensor.name, int(rng.integers(1, 17)), list(tensor.dims)))


def sparse_tensor(rng, model):
    sparse = model.graph.sparse_initializer.add()
    sparse.values.CopyFrom(tensor_of(rng, model) or TensorProto())
    sparse.dims.extend([int(pick(rng, SIZES)) for _ in range(2)])
    sparse.indices.data_type = 7
    sparse.indices.dims.append(int(pick(rng, SIZES)))
    sparse.indices.raw_data = np.array(SIZES, np.int64).tobytes()


def external_entries(rng, model):
    """Of a tensor that becomes external where it is not."""
    tensor = tensor_of(rng, model)
    if tensor is None:
        return
    if tensor.data_location != TensorProto.EXTERNAL:
        tensor.data_location = TensorProto.EXTERNAL
        if rng.random() < 0.7:
            tensor.ClearField("raw_data")
        for key, value in ("location", "w.bin"), ("offset", "0"), ("length", "16"):
            tensor.external_data.add(key=key, value=value)
    entry = pick(rng, tensor.external_data)
    how = rng.integers(4)
    if how == 0 and entry:
        tensor.external_data.remove(entry)
    elif how == 1:
        tensor.external_data.add(key=pick(rng, ["location", "offset", "length", "checksum", "nothing"]), value=pick(rng, LOCATIONS))
    elif entry:
        entry.value = pick(rng, LOCATIONS) if entry.key == "location" else str(pick(rng, [*SIZES, "nan", "1e3", "0x10", " 4", "4,",
                                                                                          10**30]))
