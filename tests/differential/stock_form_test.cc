// Formats in operators of the standard, in the runtime, against their codecs: bit for bit, but for the signs of zeros.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "formats/block_codec.h"
#include "formats/linear_blocks.h"
#include "formats/linear_codec.h"
#include "formats/number_formats.h"
#include "formats/quark_operators.h"
#include "ir/model_io.h"
#include "ops/register_ops.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/write/stock_form.h"
#include "quantize/write/type_writer.h"
#include "runtime/session.h"

namespace preon {
namespace {

using Family = BlockSpec::Family;

constexpr Optimization kOptimizations[] = {Optimization::kOff, Optimization::kExtended, Optimization::kAll};

/// Normal values, blocks of all exponents, ties, powers of two and their neighbours, denormals, zeros.
std::vector<float> TestValues(size_t count) {
  std::mt19937_64 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (size_t begin = 0; begin < count; begin += 64) {
    const auto kind = random() % 8;
    const int exponent = static_cast<int>(random() % 282) - 150;  // blocks with their largest value anywhere
    for (size_t i = begin; i < std::min(begin + 64, count); ++i) {
      const auto bits = static_cast<uint32_t>(random());
      float value = normal(random);
      if (kind == 1 || kind == 2) value = std::ldexp(value, exponent);
      if (kind == 3) value = std::ldexp(static_cast<float>(bits % 1024) - 512, exponent - 9);  // ties of all formats
      if (kind == 4) {                                                                         // next to powers of two
        value = std::bit_cast<float>((bits & 0xbf800000u) + ((bits & 7) << (bits >> 3 & 15)) - (bits >> 7 & 1));
      }
      if (kind == 5) value = std::bit_cast<float>(bits & 0x81ffffffu);  // denormals and the smallest normal values
      if (kind == 6) value = std::bit_cast<float>(bits);
      if (bits % 41 == 0) value = 0;
      if (bits % 43 == 0) value = -0.0f;
      if (!std::isfinite(value)) value = std::copysign(0x1.fffffep127f, value);
      values[i] = value;
    }
  }
  return values;
}

/// The same for a tensor whose blocks lie along `axis`, which get neighbours.
std::vector<float> TestValues(const Shape& shape, int64_t axis) {
  const std::vector<float> lines = TestValues(static_cast<size_t>(ElementCount(shape)));
  if (shape.empty()) return lines;
  const auto at = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis);
  const auto extent = static_cast<size_t>(shape[at]);
  const auto inner = static_cast<size_t>(ElementCount({shape.begin() + static_cast<int64_t>(at) + 1, shape.end()}));
  std::vector<float> values(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t line = i / extent, outer = line / inner;
    values[(outer * extent + i % extent) * inner + line % inner] = lines[i];
  }
  return values;
}

Model ModelOf(std::optional<Shape> declared, const auto& write, int64_t opset = kStockFormOpset, bool library = false) {
  Model model;
  model.ir_version = opset > kStockFormOpset ? 10 : 8;
  model.graph.name = "stock_form";
  model.opsets[""] = opset;
  if (library) model.opsets[kQuarkDomain] = 1;
  ValueInfo info;
  info.type = DataType::kFloat;
  info.shape = std::move(declared);
  if (info.shape) info.dim_names.resize(info.shape->size());
  model.graph.AddInput("x", info);
  write(model.graph);
  model.graph.AddOutput("y", info);
  const Status integrity = model.graph.CheckIntegrity();
  EXPECT_TRUE(integrity.ok()) << integrity.ToString();
  if (info.shape) {  // which the checker wants of an input
    const Status valid = CheckModel(model);
    EXPECT_TRUE(valid.ok()) << valid.ToString();
  }
  return model;
}

std::vector<float> RunModel(const Model& model, const Shape& shape, const std::vector<float>& x,
                            Optimization optimization) {
  Result<Session> session = Session::OpenModel(model, {.optimization = optimization}, {});
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  if (!session.ok()) return {};
  std::vector<NamedTensor> feeds;
  if (!session->inputs().empty()) feeds.push_back({"x", Tensor::FromFloats(shape, x)});
  const auto outputs = session->Run(feeds, {});
  EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
  if (!outputs.ok()) return {};
  EXPECT_EQ((*outputs)[0].tensor.shape(), shape);
  const std::span<const float> values = (*outputs)[0].tensor.floats();
  return {values.begin(), values.end()};
}

enum class Zeros { kAnySign, kSigned };

void ExpectSame(const std::vector<float>& got, const std::vector<float>& wanted, const std::vector<float>& x,
                Zeros zeros, const std::string& where) {
  ASSERT_EQ(got.size(), wanted.size()) << where;
  size_t differences = 0, zero_count = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    zero_count += wanted[i] == 0;
    if (std::bit_cast<uint32_t>(got[i]) == std::bit_cast<uint32_t>(wanted[i])) continue;
    if (zeros == Zeros::kAnySign && got[i] == 0 && wanted[i] == 0) continue;
    if (std::isnan(got[i]) && std::isnan(wanted[i])) continue;
    if (++differences <= 3) {
      ADD_FAILURE() << where << ", element " << i << ": " << std::hexfloat << x[i] << " -> " << got[i] << ", wanted "
                    << wanted[i];
    }
  }
  EXPECT_EQ(differences, 0u) << where;
  EXPECT_LT(zero_count, got.size() * 3 / 4 + 1) << where << ": too many zeros to show anything";
}

void ExpectCodecsValues(const BlockSpec& spec, const std::optional<Shape>& declared, const Shape& shape, int64_t axis,
                        const std::vector<float>& x, std::span<const Optimization> optimizations, Zeros zeros) {
  const Model model = ModelOf(declared, [&](Graph& graph) {
    const Status status = WriteBlocksInStockForm(graph, {"x", "y", "x_blocks"}, spec, axis);
    ASSERT_TRUE(status.ok()) << status.ToString();
  });
  std::vector<float> wanted(x.size());
  ASSERT_TRUE(QuantizeDequantize(spec, shape, axis, x.data(), wanted.data()).ok());
  for (const Optimization optimization : optimizations) {
    ExpectSame(RunModel(model, shape, x, optimization), wanted, x, zeros,
               StrCat(ShapeToString(shape), " axis ", axis, " optimization ", static_cast<int>(optimization)));
  }
}

std::vector<const NumberFormat*> BlockFormats() {
  std::vector<const NumberFormat*> formats;
  for (const auto& format : NumberFormats().entries()) {
    if (format->block() != nullptr) formats.push_back(format.get());
  }
  return formats;
}

TEST(BlocksInStockForm, AMillionValuesOfEachFormatAlongEachAxis) {
  ASSERT_EQ(BlockFormats().size(), 10u);
  const Shape shape = {64, 256, 64};
  for (const int64_t axis : {0, 1, 2}) {
    const std::vector<float> x = TestValues(shape, axis);
    for (const NumberFormat* format : BlockFormats()) {
      SCOPED_TRACE(format->name());
      ExpectCodecsValues(*format->block(), shape, shape, axis, x, kOptimizations, Zeros::kAnySign);
    }
  }
}

BlockSpec Bfp(int64_t block_size, int64_t bit_width) { return {.block_size = block_size, .bit_width = bit_width}; }
BlockSpec Micro(int64_t block_size, int64_t bit_width, int64_t sub_block_size, int64_t shift_bits) {
  return {.family = Family::kMicro,
          .block_size = block_size,
          .bit_width = bit_width,
          .sub_block_size = sub_block_size,
          .sub_block_shift_bits = shift_bits};
}
BlockSpec Mx(int64_t block_size, std::optional<MiniFloat> element) {
  return {.family = Family::kMx, .block_size = block_size, .element = element};
}

TEST(BlocksInStockForm, EveryRoundingAndBothNumericsOfUnusualSpecs) {
  const Shape shape = {6, 32, 48};
  for (const int64_t axis : {0, 1, 2}) {
    std::vector<float> x = TestValues(shape, axis);
    for (float& value : x)
      value = std::clamp(value, -0x1.fep127f, 0x1.fep127f);  // larger ones are infinite as bfloat16
    for (BlockSpec spec :
         {Bfp(8, 16), Bfp(5, 10), Bfp(7, 24), Bfp(16, 31), Bfp(3, 32), Bfp(1, 16), Micro(16, 16, 2, 1),
          Micro(16, 11, 2, 1), Micro(12, 14, 3, 2), Micro(8, 20, 4, 7), Micro(8, 32, 8, 3), Micro(6, 13, 2, 0),
          Mx(32, {}), Mx(9, {}), Mx(32, kE2M1), Mx(6, kE3M2), Mx(32, kE2M3), Mx(16, kE5M2), Mx(100, kE4M3)}) {
      for (const Rounding rounding : {Rounding::kHalfAway, Rounding::kHalfUp, Rounding::kHalfEven}) {
        for (const Numerics numerics : {Numerics::kStrict, Numerics::kCompat}) {
          SCOPED_TRACE(StrCat("block ", spec.block_size, " bits ", spec.bit_width, " rounding ",
                              static_cast<int>(rounding), " numerics ", static_cast<int>(numerics)));
          spec.rounding = rounding;
          spec.numerics = numerics;
          spec.bfloat_first = spec.block_size == 7;
          ExpectCodecsValues(spec, shape, shape, axis, x, {{Optimization::kAll}}, Zeros::kAnySign);
        }
      }
    }
  }
}

TEST(BlocksInStockForm, FixedPointKeepsSignsOfZeros) {
  const Shape shape = {64, 64};
  const std::vector<float> x = TestValues(shape, 1);
  for (BlockSpec spec : {Bfp(8, 16), Micro(16, 16, 2, 1)}) {
    for (const Rounding rounding : {Rounding::kHalfUp, Rounding::kHalfEven}) {
      spec.rounding = rounding;
      ExpectCodecsValues(spec, shape, shape, 1, x, kOptimizations, Zeros::kSigned);
    }
  }
}

TEST(BlocksInStockForm, InfinitiesMakeTheirBlockNaN) {
  const std::vector<float> x = {1, -2, 3, INFINITY, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8};
  for (const BlockSpec& spec : {Bfp(8, 16), Micro(8, 16, 2, 1), Mx(8, {}), Mx(8, kE2M1)}) {
    ExpectCodecsValues(spec, Shape{16}, {16}, 0, x, kOptimizations, Zeros::kAnySign);
  }
}

#ifdef __SSE2__
TEST(BlocksInStockForm, ZerosAreZerosWithoutDenormals) {
  const Shape shape = {16, 64};
  std::vector<float> x = TestValues(shape, 1);
  for (float& value : x) value = std::clamp(value, -4.0f, 4.0f);
  std::fill_n(x.begin(), 512, 0.0f);
  std::fill_n(x.begin() + 64, 5, 0x1p-125f);  // its step is a denormal
  for (const NumberFormat* format : BlockFormats()) {
    for (const int64_t axis : {0, 1}) {
      const Model model = ModelOf(shape, [&](Graph& graph) {
        ASSERT_TRUE(WriteBlocksInStockForm(graph, {"x", "y", "x_blocks"}, *format->block(), axis).ok());
      });
      Session session = *Session::OpenModel(model, {}, {});
      // As the runtime's option session.set_denormal_as_zero.
      const unsigned saved = _mm_getcsr();
      _mm_setcsr(saved | 0x8040);
      const auto outputs = session.Run({{"x", Tensor::FromFloats(shape, x)}}, {});
      _mm_setcsr(saved);
      const std::span<const float> y = (*outputs)[0].tensor.floats();
      for (size_t i = 0; i < x.size(); ++i) EXPECT_LE(std::abs(y[i] - x[i]), 4) << format->name() << " element " << i;
      EXPECT_EQ(std::ranges::count(y.first(64), 0.0f), 64) << format->name();
    }
  }
}
#endif

struct ShapeCase {
  Shape shape;
  int64_t axis;
};

TEST(BlocksInStockForm, ShapesThatDoNotFitOrAreNotKnown) {
  for (const auto& [shape, axis] :
       {ShapeCase{{}, 1},   {{1}, 0},           {{7}, 1},           {{40}, -1},         {{67}, 0},
        {{1, 1}, 1},        {{3, 1}, 1},        {{2, 64}, 1},       {{2, 65}, 1},       {{64, 3}, 0},
        {{65, 3}, -2},      {{2, 5, 4}, 1},     {{2, 33, 3, 5}, 1}, {{2, 3, 5, 70}, 3}, {{2, 3, 5, 70}, -2},
        {{3, 19, 2, 2}, 0}, {{1, 16, 7, 7}, 1}, {{1, 64, 9, 8}, 1}, {{0, 64}, 1},       {{2, 0, 3}, 1},
        {{64, 0}, 0}}) {
    const std::vector<float> x = TestValues(shape, shape.size() > 1 ? axis : 0);
    const auto rank = static_cast<int64_t>(shape.size());
    const auto at = static_cast<size_t>(rank <= 1 ? 0 : axis < 0 ? axis + rank : axis);
    std::vector<std::optional<Shape>> declared = {shape};
    if (rank > 0 && ElementCount(shape) > 0) {
      declared.push_back(Shape(shape.size(), kDynamicDim));
      for (size_t dynamic = 0; dynamic < shape.size(); ++dynamic) {
        Shape one = shape, others = Shape(shape.size(), kDynamicDim);
        one[dynamic] = kDynamicDim;
        others[at] = shape[at];
        declared.insert(declared.end(), {one, others});
      }
      if (axis < rank) declared.push_back(std::nullopt);
    }
    if (rank == 2 && shape[0] == 0) declared.push_back(Shape{kDynamicDim, 64});
    for (const BlockSpec& spec :
         {Bfp(8, 16), Micro(16, 16, 2, 1), Micro(12, 14, 3, 2), Mx(32, {}), Mx(32, kE2M1), Mx(1, kE3M2)}) {
      for (const std::optional<Shape>& known : declared) {
        SCOPED_TRACE(StrCat("block ", spec.block_size, " known ", known ? ShapeToString(*known) : "nothing"));
        ExpectCodecsValues(spec, known, shape, axis, x, {{Optimization::kAll}}, Zeros::kAnySign);
      }
    }
  }
}

TEST(BlocksInStockForm, OneElementStaysAsItIsWithCompat) {
  BlockSpec spec{.numerics = Numerics::kCompat, .bfloat_first = true};
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{1, 1, 1}}) {
    ExpectCodecsValues(spec, shape, shape, 0, {1.9999f}, {{Optimization::kAll}}, Zeros::kSigned);
  }
}

void ExpectCodesValues(DataType type, const std::vector<QuantParams>& params, const Shape& shape, int axis,
                       const std::vector<float>& x) {
  const Model model = ModelOf(shape, [&](Graph& graph) {
    const Status status = WriteCodesInStockForm(graph, {"x", "y", "x_codes"}, type, params, axis);
    ASSERT_TRUE(status.ok()) << status.ToString();
  });
  std::vector<float> scales, wanted(x.size());
  std::vector<double> zero_points;
  for (const QuantParams& p : params) {
    scales.push_back(p.scale);
    zero_points.push_back(static_cast<double>(p.zero_point));
  }
  const ParamLayout layout =
      axis < 0 ? ParamLayout::PerTensor(ElementCount(shape)) : *ParamLayout::PerAxis(shape, axis);
  const Status status =
      QuantizeDequantizeTensor({.type = type}, layout, {scales, zero_points}, x.data(), wanted.data());
  ASSERT_TRUE(status.ok()) << status.ToString();
  const bool whole = type == DataType::kInt32 || type == DataType::kUInt32;
  for (const Optimization optimization : kOptimizations) {
    ExpectSame(RunModel(model, shape, x, optimization), wanted, x, whole ? Zeros::kAnySign : Zeros::kSigned,
               StrCat(DataTypeName(type), " axis ", axis, " optimization ", static_cast<int>(optimization)));
  }
}

TEST(CodesInStockForm, AMillionValuesOfEachType) {
  const Shape shape = {2, 64, 8192};
  const std::vector<float> x = TestValues(static_cast<size_t>(ElementCount(shape)));
  for (const DataType type : {DataType::kFloat16, DataType::kBFloat16}) {
    ExpectCodesValues(type, {{1, 0}}, shape, -1, x);
    ExpectCodesValues(type, {{0.37f, 0}}, shape, -1, x);
  }
  ExpectCodesValues(DataType::kInt32, {{0.001f, 0}}, shape, -1, x);
  ExpectCodesValues(DataType::kInt32, {{0x1p-31f, 0}}, shape, -1, x);
  ExpectCodesValues(DataType::kInt32, {{0x1p-31f, 1 << 30}}, shape, -1, x);
  ExpectCodesValues(DataType::kUInt32, {{0x1p-30f, 0}}, shape, -1, x);
  ExpectCodesValues(DataType::kUInt32, {{1e-9f, 0x7fffffff}}, shape, -1, x);
}

TEST(CodesInStockForm, ScalesAlongEveryAxis) {
  const Shape shape = {5, 64, 7};
  const std::vector<float> x = TestValues(static_cast<size_t>(ElementCount(shape)));
  for (const int axis : {0, 1, 2}) {
    std::vector<QuantParams> symmetric, asymmetric;
    for (int64_t i = 0; i < shape[axis]; ++i) {
      const float scale = 1e-9f * static_cast<float>(i + 1);
      symmetric.push_back({scale, 0});
      asymmetric.push_back({scale, i * 3000001});
    }
    for (const DataType type : {DataType::kFloat16, DataType::kBFloat16, DataType::kInt32, DataType::kUInt32}) {
      ExpectCodesValues(type, symmetric, shape, axis, x);
    }
    for (const DataType type : {DataType::kInt32, DataType::kUInt32})
      ExpectCodesValues(type, asymmetric, shape, axis, x);
  }
  ExpectCodesValues(DataType::kInt32, {{0.1f, 5}}, {}, -1, {3.14f});
}

TEST(CodesInStockForm, AMatMulInFrontDoesNotTakeTheScale) {
  // Large codes show a quotient that is rounded otherwise.
  const Shape shape = {16, 16};
  const std::vector<float> x = TestValues(256);
  std::vector<float> identity(256), plain, fused;
  for (size_t i = 0; i < 16; ++i) identity[i * 17] = 1;
  const Model model = ModelOf(shape, [&](Graph& graph) {
    graph.SetInitializer("one", Tensor::FromFloats(shape, identity));
    graph.AddNode("MatMul", {"x", "one"}, {"product"});
    ValueInfo info = *graph.Info("x");
    graph.SetInfo("product", info);
    ASSERT_TRUE(WriteCodesInStockForm(graph, {"product", "y", "y"}, DataType::kInt32, {{{3e-9f, 0}}}, -1).ok());
  });
  ExpectSame(RunModel(model, shape, x, Optimization::kAll), RunModel(model, shape, x, Optimization::kOff), x,
             Zeros::kAnySign, "");
}

// A quantizer of the library's operators, as target quark writes it.
Model LibraryModel(const Shape& shape, const auto& write) {
  UseOperators(AddQuarkOps);
  const auto write_node = [&](Graph& graph) {
    QdqWriter qdq(graph);
    const QuantPlan plan{.operators = OperatorForm::kLibrary};
    TypeWriter types(graph, qdq, plan);
    const Status status = write(types);
    ASSERT_TRUE(status.ok()) << status.ToString();
  };
  return ModelOf(shape, write_node, kStockFormOpset, /*library=*/true);
}

TEST(LibrarysOperators, AMillionValuesOfEachFormatAreTheCodecsAndTheStockForms) {
  const Shape shape = {64, 256, 64};
  const int64_t axis = 1;
  const std::vector<float> x = TestValues(shape, axis);
  for (const NumberFormat* format : BlockFormats()) {
    SCOPED_TRACE(format->name());
    BlockSpec spec = *format->block();
    spec.numerics = Numerics::kCompat;
    const Model model =
        LibraryModel(shape, [&](TypeWriter& types) { return types.WriteBlocks({"x", "y", "x"}, {spec, axis}); });
    std::vector<float> wanted(x.size());
    ASSERT_TRUE(QuantizeDequantize(spec, shape, axis, x.data(), wanted.data()).ok());
    for (const Optimization optimization : kOptimizations)
      ExpectSame(RunModel(model, shape, x, optimization), wanted, x, Zeros::kSigned, "library");
    ExpectCodecsValues(spec, shape, shape, axis, x, kOptimizations, Zeros::kAnySign);
  }
  for (const DataType type : {DataType::kFloat16, DataType::kBFloat16, DataType::kInt32, DataType::kUInt32}) {
    SCOPED_TRACE(DataTypeName(type));
    const QuantParams params{MiniFloatOf(type) ? 1.0f : 0x1p-30f, 0};
    const Model model =
        LibraryModel(shape, [&](TypeWriter& types) { return types.WriteCodes({"x", "y", "x"}, {type, {params}}); });
    std::vector<float> wanted(x.size());
    ASSERT_TRUE(QuantizeDequantizeTensor({type}, ParamLayout::PerTensor(ElementCount(shape)), {{&params.scale, 1}, {}},
                                         x.data(), wanted.data())
                    .ok());
    for (const Optimization optimization : kOptimizations)
      ExpectSame(RunModel(model, shape, x, optimization), wanted, x, Zeros::kSigned, "library");
    ExpectCodesValues(type, {params}, shape, -1, x);
  }
}

TEST(LinearBlocks, DequantizeLinearOfTheRuntimeGivesTheCodecsValues) {
  for (const NumberFormat* format : BlockFormats()) {
    for (const auto& [shape, axis] :
         {ShapeCase{{64, 3, 5}, 0}, {{3, 70, 5}, 1}, {{6, 5, 75}, 2}, {{7, 9}, 1}, {{130}, 0}}) {
      const std::vector<float> x = TestValues(shape, axis);
      const LinearBlocks blocks = *AsLinearBlocks(*format->block(), Tensor::FromFloats(shape, x), axis);
      const auto write = [&](Graph& graph) {
        graph.SetInitializer("codes", blocks.codes);
        graph.SetInitializer("scales", blocks.scales);
        Node* node = graph.AddNode("DequantizeLinear", {"codes", "scales"}, {"values"});
        node->attributes = {{"axis", blocks.axis}, {"block_size", blocks.block_size}};
        graph.AddNode("Where", {graph.AddNode("IsNaN", {"x"}, {"nan"})->output(), "x", "values"}, {"y"});
      };
      const Model model = ModelOf(shape, write, 21);
      std::vector<float> wanted(x.size());
      ASSERT_TRUE(QuantizeDequantize(*format->block(), shape, axis, x.data(), wanted.data()).ok());
      for (const Optimization optimization : kOptimizations) {
        ExpectSame(RunModel(model, shape, x, optimization), wanted, x,
                   format->block()->element ? Zeros::kSigned : Zeros::kAnySign,
                   StrCat(format->name(), " ", ShapeToString(shape), " axis ", axis));
      }
    }
  }
}

}  // namespace
}  // namespace preon
