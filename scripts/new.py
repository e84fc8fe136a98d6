#!/usr/bin/env python3
"""Writes a new calibration method, graph pass or number format: source, test, and the lines that make it known.

  new.py method|pass|format NAME        NAME in snake_case

What it writes builds and passes its tests as it stands; make it yours from there. docs/contributing.md says what each owes.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

METHOD = ("src/ranges/{name}.cc", """// {Name}: FILL IN: the rule in one sentence (source: paper with equation, or specification).
#include "ranges/method_options.h"
#include "ranges/percentile_range.h"
#include "ranges/range_methods.h"

namespace preon {{
namespace {{

class {Name}Method final : public RangeMethod {{
 public:
  std::string_view name() const override {{ return "{dashed}"; }}
  std::string_view summary() const override {{ return "FILL IN: one line for help"; }}

  Result<std::unique_ptr<RangeMethod>> WithOptions(const MethodOptions& options) const override {{
    OptionReader reader(name(), options);
    PREON_RETURN_IF_ERROR(reader.Finish());
    return std::unique_ptr<RangeMethod>(std::make_unique<{Name}Method>(*this));
  }}

  Result<Range> Choose(const TensorSketch& sketch, const RangeQuery& query) const override {{ return ObservedRange(sketch); }}
}};

}}  // namespace

std::unique_ptr<RangeMethod> Make{Name}Method() {{ return std::make_unique<{Name}Method>(); }}

}}  // namespace preon
""")

METHOD_TEST = ("src/ranges/{name}_test.cc", """#include <gtest/gtest.h>

#include "ranges/range_methods.h"
#include "ranges/test_sketches.h"

namespace preon {{
namespace {{

TEST({Name}, KnownAnswer) {{
  const Result<Range> range = Make{Name}Method()->Choose(test::SketchOf({{-1, 0, 3}}), {{}});
  ASSERT_TRUE(range.ok()) << range.status().ToString();
  EXPECT_EQ(*range, (Range{{-1, 3}}));
}}

}}  // namespace
}}  // namespace preon
""")

PASS = ("src/passes/{name}.cc", """// {name}: FILL IN: what it does in one line.
//
// Before:      y = Identity(x)
// After:       readers of y read x
// Conditions:  FILL IN
// Formula:     y = x
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace preon {{
namespace {{

class {Name} final : public NodePass {{
 public:
  {Name}() : NodePass({{.name = "{name}", .summary = "FILL IN: one line for help", .target_ops = {{"Identity"}}}}) {{}}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {{ return Bypass(model.graph, node, 0); }}
}};

}}  // namespace

std::unique_ptr<Pass> Make{Name}Pass() {{ return std::make_unique<{Name}>(); }}

}}  // namespace preon
""")

PASS_TEST = ("tests/graph/{name}.onnxtxt", """# FILL IN: what the pass does; one case per condition that must not fire
=== between two nodes: fires
g (float[N, 2] x) => (float[N, 2] y) {{
  a = Relu(x)
  b = Identity(a)
  y = Neg(b)
}}
---
g (float[N, 2] x) => (float[N, 2] y) {{
  a = Relu(x)
  y = Neg(a)
}}
=== at the output: fires
g (float[N, 2] x) => (float[N, 2] y) {{
  a = Relu(x)
  y = Identity(a)
}}
---
g (float[N, 2] x) => (float[N, 2] y) {{
  y = Relu(x)
}}
=== nothing of the kind: keeps
g (float[N, 2] x) => (float[N, 2] y) {{
  y = Relu(x)
}}
""")

FORMAT = ("src/formats/types/{name}.cc", """// {dashed}: FILL IN: one line.
//
// As written by `./dev new`: 32 neighbours share a scale 2^k; floats of 1 sign, 2 exponent and 2 mantissa bits.
//
// Range      elements to ±7, smallest normal one 1, smallest of all 0.25; scales 2^-127 to 2^127
// Precision  half of 2^-2 relative, down to elements of 1
// Special    scale byte 255: the block is NaN
// Rounding   to nearest, ties to even; elements beyond ±7 saturate
// Packing    5.25 bits per value
// ONNX       none: operator on floats
#include "formats/number_formats.h"

namespace preon {{

std::unique_ptr<NumberFormat> Make{Name}Format() {{
  return std::make_unique<NumberFormat>("{dashed}", std::vector<std::string_view>{{}}, "FILL IN: one line for help",
                                        BlockSpec{{.family = BlockSpec::Family::kMx,
                                                  .block_size = 32,
                                                  .element = MiniFloat{{.exponent_bits = 2, .mantissa_bits = 2}}}});
}}

}}  // namespace preon
""")

FORMAT_TEST = ("src/formats/types/{name}_test.cc", """#include <gtest/gtest.h>

#include "formats/block_codec.h"
#include "formats/number_formats.h"

namespace preon {{
namespace {{

TEST({Name}, KnownAnswers) {{
  const auto format = Make{Name}Format();
  const float x[] = {{7, 0.3f, -2.25f, 1e-6f}}, wanted[] = {{7, 0.25f, -2, 0}};
  float out[4];
  const int64_t shape[] = {{4}};
  ASSERT_TRUE(QuantizeDequantize(*format->block(), shape, 0, x, out).ok());
  for (int i = 0; i < 4; ++i) EXPECT_EQ(out[i], wanted[i]) << x[i];
}}

}}  // namespace
}}  // namespace preon
""")

# Per kind: files, and lines to add as (file, pattern of the lines after whose last the new one goes, line).
KINDS = {
    "method": ([METHOD, METHOD_TEST], [
        ("src/ranges/range_methods.h", r"std::unique_ptr<RangeMethod> Make\w+Method\(\);", "std::unique_ptr<RangeMethod> Make{Name}Method();"),
        ("src/config/builtins.cc", r"  builtins\.methods\.Add\(.*\);", "  builtins.methods.Add(Make{Name}Method());")]),
    "pass": ([PASS, PASS_TEST], [
        ("src/passes/passes.h", r"std::unique_ptr<Pass> Make\w+Pass\(\);.*", "std::unique_ptr<Pass> Make{Name}Pass();"),
        ("src/config/builtins.cc", r"  builtins\.passes\.Add\(.*\);", "  builtins.passes.Add(Make{Name}Pass());")]),
    "format": ([FORMAT, FORMAT_TEST], [
        ("src/formats/number_formats.h", r"std::unique_ptr<NumberFormat> Make\w+Format\(\);", "std::unique_ptr<NumberFormat> Make{Name}Format();"),
        ("src/formats/number_formats.cc", r"  formats\.Add\(.*\);", "  formats.Add(Make{Name}Format());")]),
}


def insert_after_last(text, pattern, line):
    """`text` with `line` behind the last line that matches."""
    matches = list(re.finditer(f"^{pattern}$", text, re.MULTILINE))
    if not matches:
        raise SystemExit(f"new: no line like {pattern}")
    end = matches[-1].end()
    return text[:end] + "\n" + line + text[end:]


def create(root, kind, name):
    """Writes everything; returns the paths that are new or changed. Refuses to overwrite."""
    words = {"name": name, "dashed": name.replace("_", "-"), "Name": "".join(part.capitalize() for part in name.split("_"))}
    files, lines = KINDS[kind]
    paths = [root / path.format(**words) for path, _ in files]
    for path in paths:
        if path.exists():
            raise SystemExit(f"new: {path.relative_to(root)} exists already")
    for path, (_, text) in zip(paths, files):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(**words))
    for file, pattern, line in lines:
        path = root / file
        path.write_text(insert_after_last(path.read_text(), pattern, line.format(**words)))
        paths.append(path)
    return paths


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS or not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", sys.argv[2]):
        raise SystemExit("usage: new.py method|pass|format NAME (NAME in snake_case)")
    for path in create(ROOT, *sys.argv[1:]):
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
