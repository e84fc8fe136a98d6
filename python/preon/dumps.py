"""dump_model: codes and values of a quantized model's tensors for one sample."""
import os
import pathlib
import tempfile

from .calibration.data_readers import RandomDataReader
from .core import run
from .errors import ConfigError, DataError

_DEQUANTIZE = ("DequantizeLinear", "ExtendedDequantizeLinear", "VitisDequantizeLinear")


def dump(model, reader, shapes, with_floats, folder):
    """As dump_model() says."""
    import onnx

    proto = model if hasattr(model, "graph") else onnx.load(os.fsdecode(model))
    sample = (RandomDataReader(proto, shapes) if reader is None else reader).get_next()
    if not sample:
        raise DataError(3007, "dump_data_reader: got no sample, wanted one", exit_status=2)
    coded = _coded(proto)
    if not coded and not with_floats:
        raise ConfigError(1004, "dump_model: no tensor of the model has integer codes", "dump_float=True writes the values of all nodes", 2)
    floats = _floats(proto) if with_floats else []
    constants = {each.name: onnx.numpy_helper.to_array(each) for each in proto.graph.initializer}
    run_for = dict.fromkeys([codes for codes in coded.values() if codes not in constants] + floats)
    values = {**constants, **_run(proto, sample, list(run_for))}
    target = pathlib.Path(os.fsdecode(folder))
    target.mkdir(parents=True, exist_ok=True)
    with_codes, with_values = set(), set()
    for output, codes in coded.items():
        _write(target, _file_name(output, with_codes), values[codes], "%d")
    for output in floats:
        _write(target, f"{_file_name(output, with_values)}_float", values[output], "%s")


def _coded(proto):
    """{output of a DequantizeLinear: tensor of its codes}, of integers."""
    from onnx import TensorProto

    integers = {getattr(TensorProto, name) for name in ("INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT4", "UINT4") if hasattr(TensorProto, name)}
    types = _types(proto)
    return {node.output[0]: node.input[0] for node in proto.graph.node
            if node.op_type in _DEQUANTIZE and types.get(node.input[0], types.get(node.input[2] if len(node.input) > 2 else "")) in integers}


def _types(proto):
    """Element types by tensor, as far as they are known."""
    import onnx

    inferred = onnx.shape_inference.infer_shapes(proto).graph
    types = {each.name: each.type.tensor_type.elem_type for each in (*inferred.input, *inferred.value_info, *inferred.output)}
    return {**types, **{each.name: each.data_type for each in proto.graph.initializer}}


def _floats(proto):
    types = _types(proto)
    return [output for node in proto.graph.node for output in node.output if output and types.get(output, 1) in (1, 10, 11)]


def _run(proto, sample, tensors):
    """{tensor: value for the sample}: the model with these as its outputs, under names that are files' names. Codes of 4 bits as those of 8."""
    import numpy as np
    import onnx
    from onnx import TensorProto

    probe = onnx.ModelProto()
    probe.CopyFrom(proto)
    probe.graph.ClearField("output")
    types = _types(proto)
    of_bytes = {TensorProto.INT4: TensorProto.INT8, TensorProto.UINT4: TensorProto.UINT8, TensorProto.BFLOAT16: TensorProto.FLOAT}
    for index, tensor in enumerate(tensors):
        kind = types.get(tensor, TensorProto.FLOAT)
        to = of_bytes.get(kind, kind)
        probe.graph.node.append(onnx.helper.make_node("Cast", [tensor], [f"dumped_{index}"], to=to))
        probe.graph.output.append(onnx.helper.make_tensor_value_info(f"dumped_{index}", to, None))
    if not tensors:
        return {}
    with tempfile.TemporaryDirectory(prefix="preon-") as folder:
        run(probe, data=[dict(sample)], save=os.path.join(folder, "outputs"), progress=False)
        files = [sorted(pathlib.Path(folder, "outputs", f"dumped_{index}").glob("*.npy"))[0] for index in range(len(tensors))]
        return {tensor: np.load(file) for tensor, file in zip(tensors, files)}


def _file_name(tensor, taken):
    """`_` for `/`, and a number behind a name that another tensor has."""
    name = base = tensor.replace("/", "_")
    number = 1
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    taken.add(name)
    return name


def _write(folder, name, values, form):
    import numpy as np

    flat = np.asarray(values).reshape(-1)
    if flat.dtype.name in ("int4", "uint4"):  # of ml_dtypes
        flat = flat.astype(flat.dtype.name.replace("4", "8"))
    flat.tofile(folder / f"{name}.bin")
    np.savetxt(folder / f"{name}.txt", flat, fmt=form)
