"""Float graphs as Quark's preprocessing leaves them where ours leaves them alone, so that the rest can be compared."""
import numpy as np
import onnx
from onnx import helper, numpy_helper, shape_inference


class Rewrite:
    """A graph being edited: constants, shapes, readers."""

    def __init__(self, path):
        self.model = shape_inference.infer_shapes(onnx.load(path))
        self.graph = self.model.graph
        self.constants = {value.name: numpy_helper.to_array(value) for value in self.graph.initializer}
        values = [*self.graph.value_info, *self.graph.input, *self.graph.output]
        self.shapes = {value.name: [d.dim_value for d in value.type.tensor_type.shape.dim] for value in values}

    def readers(self, tensor):
        return [node for node in self.graph.node if tensor in node.input]

    def constant(self, name, values):
        if name not in self.constants:
            self.constants[name] = values
            self.graph.initializer.append(numpy_helper.from_array(values, name))
        return name

    def replace(self, old, new):
        """Nodes by others, in the place of the first."""
        at = list(self.graph.node).index(old[0])
        for node in old:
            self.graph.node.remove(node)
        for node in reversed(new):
            self.graph.node.insert(at, node)

    def save(self, path):
        used = {name for node in self.graph.node for name in node.input}
        for value in [value for value in self.graph.initializer if value.name not in used]:
            self.graph.initializer.remove(value)
        del self.graph.value_info[:]
        onnx.save(self.model, path)


def bias_behind(edit, node):
    """The Add of a constant per column that alone reads a MatMul of a constant matrix, or None."""
    readers = edit.readers(node.output[0])
    matrix = edit.constants.get(node.input[1]) if node.op_type == "MatMul" else None
    if matrix is None or matrix.ndim != 2 or len(readers) != 1 or readers[0].op_type != "Add" or len(edit.shapes[node.input[0]]) < 3:
        return None
    bias = edit.constants.get(readers[0].input[1])
    return readers[0] if bias is not None and bias.shape == matrix.shape[1:] else None


def wrap_gemm(edit, names, merge=True):
    """MatMul + Add of rank 3 → Reshape, Gemm, Reshape. `names`: (number, MatMul's output) → the Gemm's input, weight and output; a weight
    of its own is transposed. `merge`: two Reshapes in a row are one."""
    found = [(node, add) for node in edit.graph.node if (add := bias_behind(edit, node))]
    in_order = sorted(node.output[0] for node, _ in found)
    for node, add in found:
        (x, w), out = node.input, add.output[0]
        before, weight, gemm_out = names(in_order.index(node.output[0]), node.output[0])
        shared = [other.output[0] for other in edit.readers(x) if weight and other.op_type == "Reshape"]
        shape, last = edit.shapes[out], edit.readers(out)
        old, target = [node, add], out
        if merge and len(last) == 1 and last[0].op_type == "Reshape":
            old, target, shape = [*old, last[0]], last[0].output[0], edit.shapes[last[0].output[0]]
        new = [] if shared else [helper.make_node("Reshape", [x, edit.constant(f"{before}_shape", np.array([-1, edit.shapes[x][-1]]))], [before],
                                                  name=f"{before}_node")]
        w = edit.constant(weight, np.ascontiguousarray(edit.constants[w].T)) if weight else w
        new += [helper.make_node("Gemm", [*(shared or [before]), w, add.input[1]], [gemm_out], name=f"{gemm_out}_node", transB=int(bool(weight))),
                helper.make_node("Reshape", [gemm_out, edit.constant(f"{target}_shape", np.array(shape))], [target], name=f"{target}_node")]
        edit.replace(old, new)


def move_transpose(edit):
    """The last Transpose, Reshape → Reshape, Transpose, as the runtime's optimizer has it."""
    transpose, reshape = edit.graph.node[-2:]
    edit.replace([transpose, reshape],
                 [helper.make_node("Reshape", [transpose.input[0], edit.constant("channels_last", np.array([1, 6, 6, 3]))], ["reshape_y"], name="reshape_y_node"),
                  helper.make_node("Transpose", ["reshape_y"], [reshape.output[0]], name="Transpose", perm=[0, 3, 1, 2])])


def simplifier_names(number, m):
    return f"{m}_pre_reshape_out", f"{m}_weight", f"{m}_gemm_out"


def by_simplifier(edit):
    wrap_gemm(edit, simplifier_names)


def by_simplifier_alone(edit):
    wrap_gemm(edit, simplifier_names, merge=False)


def by_runtime(edit):
    def token(number):
        return f"_token_{number}" if number > 0 else ""
    wrap_gemm(edit, lambda number, m: (f"gemm_input_reshape_arg{token(6 * number - 5)}", "", f"gemm_output_reshape_arg{token(6 * number - 2)}"))


def rewritten(path, how, to):
    edit = Rewrite(path)
    how(edit)
    edit.save(to)
    return to
