#include "ops/lstm_op.h"

#include <vector>

#include "base/shape.h"
#include "base/text.h"

namespace preon {
namespace {

LstmQuant QuantOf(const OrtKernelInfo* info, const char* letter) {
  const std::string scale = StrCat(letter, "_scale"), zero_point = StrCat(letter, "_zero_point");
  for (const std::string& name : {scale, zero_point}) {
    if (!HasAttribute(info, name.c_str())) ThrowUnlessOk(Error(ErrorId::kFormatAttribute, name, ": missing"));
  }
  const LstmQuant quant{FloatAttribute(info, scale.c_str(), 0), IntAttribute(info, zero_point.c_str(), 0)};
  // Products of two of them stay inside float, and shifted results inside int64.
  constexpr float kSmallest = 0x1p-30f, kLargest = 64;
  if (!(quant.scale >= kSmallest && quant.scale <= kLargest))
    ThrowUnlessOk(Error(ErrorId::kFormatAttribute, scale, ": got ", quant.scale, ", wanted 2^-30 to 64"));
  if (quant.zero_point < 0 || quant.zero_point > 65535)
    ThrowUnlessOk(Error(ErrorId::kFormatAttribute, zero_point, ": got ", quant.zero_point, ", wanted 0 to 65535"));
  return quant;
}

std::vector<int64_t> CheckedShape(const Ort::ConstValue& value, const char* name, const Shape& wanted) {
  std::vector<int64_t> shape = value.GetTensorTypeAndShapeInfo().GetShape();
  bool same = shape.size() == wanted.size();
  for (size_t axis = 0; same && axis < wanted.size(); ++axis) same = wanted[axis] < 0 || shape[axis] == wanted[axis];
  if (!same) {
    std::string text;
    for (const int64_t extent : wanted)
      text += (text.empty() ? "" : ", ") + (extent < 0 ? std::string("any") : StrCat(extent));
    ThrowUnlessOk(Error(ErrorId::kFormatAttribute, name, ": wanted shape [", text, "]"));
  }
  return shape;
}

std::span<const float> Floats(const Ort::ConstValue& value) {
  return {value.GetTensorData<float>(), value.GetTensorTypeAndShapeInfo().GetElementCount()};
}

}  // namespace

LstmKernel::LstmKernel(const OrtKernelInfo* info)
    : lstm_{.steps = 0,
            .input_size = 0,
            .hidden_size = IntAttribute(info, "hidden_size", 0),
            .x = QuantOf(info, "x"),
            .w = QuantOf(info, "w"),
            .r = QuantOf(info, "r"),
            .b = QuantOf(info, "b"),
            .y = QuantOf(info, "y")} {
  constexpr int64_t kMostUnits = 1 << 20;
  if (lstm_.hidden_size < 1 || lstm_.hidden_size > kMostUnits)
    ThrowUnlessOk(
        Error(ErrorId::kFormatAttribute, "hidden_size: got ", lstm_.hidden_size, ", wanted 1 to ", kMostUnits));
  for (const char* name : {"input_forget", "layout"}) {
    if (IntAttribute(info, name, 0) != 0) ThrowUnlessOk(Error(ErrorId::kFormatAttribute, name, ": wanted 0"));
  }
}

void LstmKernel::Compute(const Ort::KernelContext& context) const {
  const Ort::ConstValue x = context.GetInput(0), w = context.GetInput(1), r = context.GetInput(2),
                        b = context.GetInput(3);
  FixedPointLstm lstm = lstm_;
  const std::vector<int64_t> shape = CheckedShape(x, "X", {-1, 1, -1});
  lstm.steps = shape[0];
  lstm.input_size = shape[2];
  if (lstm.input_size < 1) ThrowUnlessOk(Error(ErrorId::kFormatAttribute, "X: wanted at least one value a step"));
  CheckedShape(w, "W", {2, 4 * lstm.hidden_size, lstm.input_size});
  CheckedShape(r, "R", {2, 4 * lstm.hidden_size, lstm.hidden_size});
  CheckedShape(b, "B", {2, 8 * lstm.hidden_size});
  const std::vector<int64_t> output_shape = {lstm.steps, 2, 1, lstm.hidden_size};
  Ort::UnownedValue output = context.GetOutput(0, output_shape);
  lstm.Run(Floats(x), Floats(w), Floats(r), Floats(b),
           {output.GetTensorMutableData<float>(), static_cast<size_t>(ElementCount(output_shape))});
}

}  // namespace preon
