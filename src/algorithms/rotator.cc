#include "algorithms/rotator.h"

#include "algorithms/scaled_layer.h"
#include "algorithms/stream_layers.h"

namespace preon {
namespace {

/// A constant matrix in double, its last axis along the stream or across it.
class StreamMatrix {
 public:
  explicit StreamMatrix(const Tensor& tensor) : shape_(tensor.shape()) {
    values_.assign(tensor.floats().begin(), tensor.floats().end());
    columns_ = static_cast<size_t>(shape_.back());
  }

  void RotateRows(const Rotation& rotation) {
    for (size_t first = 0; first < values_.size(); first += columns_)
      rotation.Apply(std::span(values_).subspan(first, columns_));
  }
  void RotateColumns(const Rotation& rotation) {
    std::vector<double> column(values_.size() / columns_);
    for (size_t j = 0; j < columns_; ++j) {
      for (size_t i = 0; i < column.size(); ++i) column[i] = values_[i * columns_ + j];
      rotation.Apply(column);
      for (size_t i = 0; i < column.size(); ++i) values_[i * columns_ + j] = column[i];
    }
  }
  double& at(size_t row, size_t column) { return values_[row * columns_ + column]; }
  Tensor Store() const { return Tensor::FromFloats(shape_, std::vector<float>(values_.begin(), values_.end())); }

 private:
  Shape shape_;
  size_t columns_;
  std::vector<double> values_;
};

}  // namespace

Status Rotator::RotateOutputs(Node& writer) {
  if (const std::optional<size_t> table = TableInput(graph_, writer)) {
    StreamMatrix matrix(*graph_.Initializer(writer.input(*table)));
    matrix.RotateRows(rotation_);
    StoreConstant(graph_, writer, *table, matrix.Store());
    return Status::Ok();
  }
  StreamMatrix weight(*graph_.Initializer(writer.input(1)));
  OutputsInRows(writer) ? weight.RotateColumns(rotation_) : weight.RotateRows(rotation_);
  StoreConstant(graph_, writer, 1, weight.Store());
  const auto size = static_cast<int64_t>(rotation_.size());
  const BiasPlace bias = BiasOf(graph_, writer, size);
  if (bias.node == nullptr) return Status::Ok();
  const Tensor* values = FloatConstant(graph_, bias.node->input(bias.input));
  if (values == nullptr || values->count() != size)
    return Error(ErrorId::kNotYetSupported, "quarot: '", writer.name, "': its bias is not one constant per output");
  StreamMatrix rotated(*values);
  rotated.RotateRows(rotation_);
  StoreConstant(graph_, *bias.node, bias.input, rotated.Store());
  return Status::Ok();
}

void Rotator::RotateInputs(Node& reader) {
  StreamMatrix weight(*graph_.Initializer(reader.input(1)));
  OutputsInRows(reader) ? weight.RotateRows(rotation_) : weight.RotateColumns(rotation_);
  StoreConstant(graph_, reader, 1, weight.Store());
}

Status Rotator::FoldNorm(Node& norm, std::span<Node* const> readers) {
  const size_t scale_input = norm.Is("Mul") && FloatConstant(graph_, norm.input(1)) == nullptr ? 0 : 1;
  const std::vector<float> scale = ValuesOf(norm.input(scale_input)), shift = ValuesOf(norm.input(2));
  for (Node* reader : readers) {
    if (!shift.empty()) PREON_RETURN_IF_ERROR(AddShift(*reader, shift));
    StreamMatrix weight(*graph_.Initializer(reader->input(1)));
    const Shape& shape = graph_.Initializer(reader->input(1))->shape();
    for (size_t i = 0; i < static_cast<size_t>(shape[0]); ++i) {
      for (size_t j = 0; j < static_cast<size_t>(shape[1]); ++j)
        weight.at(i, j) *= double{scale[OutputsInRows(*reader) ? j : i]};
    }
    StoreConstant(graph_, *reader, 1, weight.Store());
  }
  const Tensor& old = *graph_.Initializer(norm.input(scale_input));
  StoreConstant(graph_, norm, scale_input, Tensor::FromFloats(old.shape(), std::vector<float>(scale.size(), 1)));
  // An empty name in place of the shift crashes ONNX Runtime 1.30.
  if (!shift.empty()) graph_.SetInputs(&norm, {norm.input(0), norm.input(1)});
  return Status::Ok();
}

std::vector<float> Rotator::ValuesOf(const std::string& tensor) const {
  const Tensor* values = FloatConstant(graph_, tensor);
  return values == nullptr ? std::vector<float>()
                           : std::vector<float>(values->floats().begin(), values->floats().end());
}

// shift · weight, with the weight as it was, becomes part of the reader's bias.
Status Rotator::AddShift(Node& reader, const std::vector<float>& shift) {
  const Tensor& weight = *graph_.Initializer(reader.input(1));
  const bool rows = OutputsInRows(reader);
  const int64_t outputs = weight.shape()[rows ? 0 : 1];
  StreamMatrix values(weight);
  std::vector<double> sums(static_cast<size_t>(outputs));
  for (size_t j = 0; j < sums.size(); ++j) {
    for (size_t i = 0; i < shift.size(); ++i) sums[j] += double{shift[i]} * (rows ? values.at(j, i) : values.at(i, j));
  }
  const BiasPlace place = BiasOf(graph_, reader, outputs);
  const Tensor* old = place.node == nullptr ? nullptr : FloatConstant(graph_, place.node->input(place.input));
  if (place.node != nullptr && (old == nullptr || old->count() != outputs))
    return Error(ErrorId::kNotYetSupported, "quarot: '", reader.name, "': its bias is not one constant per output");
  std::vector<float> bias(sums.size());
  for (size_t j = 0; j < bias.size(); ++j)
    bias[j] = static_cast<float>(sums[j] + (old == nullptr ? 0 : double{old->floats()[j]}));
  if (place.node != nullptr) {
    StoreConstant(graph_, *place.node, place.input, Tensor::FromFloats(old->shape(), bias));
  } else if (reader.Is("Gemm")) {
    AppendBias(reader, bias);
  } else {
    InsertAdd(reader, bias);
  }
  return Status::Ok();
}

void Rotator::AppendBias(Node& gemm, const std::vector<float>& bias) {
  const std::string name = graph_.UniqueTensorName(gemm.name + "_shift");
  graph_.SetInitializer(name, Tensor::FromFloats({std::ssize(bias)}, bias));
  graph_.SetInput(&gemm, 2, name);
}

void Rotator::InsertAdd(Node& matmul, const std::vector<float>& bias) {
  const std::string name = graph_.UniqueTensorName(matmul.name + "_shift");
  graph_.SetInitializer(name, Tensor::FromFloats({std::ssize(bias)}, bias));
  const std::string output = matmul.output(), product = graph_.UniqueTensorName(output + "_product");
  if (const ValueInfo* info = graph_.Info(output)) graph_.SetInfo(product, *info);
  graph_.SetOutput(&matmul, 0, product);
  graph_.AddNode("Add", {product, name}, {output}, matmul.name + "_shift_add", "", graph_.NodeBehind(&matmul));
}

}  // namespace preon
