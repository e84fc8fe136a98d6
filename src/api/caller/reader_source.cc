#include "api/caller/reader_source.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>

#include "base/spelling.h"
#include "base/tensor_spec.h"
#include "data/array_layout.h"
#include "data/convert.h"
#include "data/data_options.h"
#include "data/filtered_source.h"

namespace preon {
namespace {

Status CheckArray(const InputArray& array, const TensorSpec& spec, const std::string& where) {
  if (!IsConvertible(static_cast<DataType>(array.type), spec.type)) {
    return Error(ErrorId::kDataType, where, ": '", array.name, "': type ",
                 DataTypeName(static_cast<DataType>(array.type)), ", wanted ", DataTypeName(spec.type));
  }
  bool fits = array.shape.size() == spec.shape.size();
  for (size_t axis = 0; fits && axis < spec.shape.size(); ++axis) {
    fits = array.shape[axis] >= 0 && (spec.shape[axis] == kDynamicDim || spec.shape[axis] == array.shape[axis]);
  }
  if (!fits) {
    return Error(ErrorId::kDataShape, where, ": '", array.name, "': shape ", ShapeToString(array.shape), ", wanted ",
                 ShapeToString(spec.shape))
        .WithHint(LayoutHint(array.shape, spec.shape));
  }
  return Status::Ok();
}

// As elements of the input's type, finite.
Result<Tensor> Copied(const InputArray& array, DataType type, const std::string& where, const TensorPool& pool) {
  if (array.data == nullptr && ElementCount(array.shape) > 0)
    return Error(ErrorId::kDataMalformed, where, ": '", array.name, "': no data");
  Tensor tensor = pool.Allocate(static_cast<DataType>(array.type), array.shape);
  const std::span<std::byte> bytes = tensor.MutableBytes();
  if (!bytes.empty()) std::memcpy(bytes.data(), array.data, bytes.size());
  const std::string what = StrCat(where, ": '", array.name, "'");
  Result<Tensor> converted = ConvertElements(tensor, type, pool);
  if (!converted.ok()) return std::move(converted).status().WithContext(what);
  PREON_RETURN_IF_ERROR(CheckFinite(*converted, what));
  return converted;
}

Status CheckNames(const std::vector<InputArray>& arrays, const std::string& where) {
  std::set<std::string_view> names;
  for (const InputArray& array : arrays) {
    if (!names.insert(array.name).second)
      return Error(ErrorId::kDataInputName, where, ": got two arrays '", array.name, "', wanted one");
  }
  return Status::Ok();
}

bool IsLabels(const InputArray& array) { return array.name == "label" || array.name == "labels"; }

// One class for each sample of the batch.
Status SetLabels(const InputArray& array, const std::string& where, Batch& batch) {
  const bool one_each = ElementCount(array.shape) == batch.samples && array.shape.size() <= 2;
  if (!one_each || !IsConvertible(static_cast<DataType>(array.type), DataType::kInt64))
    return Error(ErrorId::kLabels, where, ": '", array.name, "': shape ", ShapeToString(array.shape), " of ",
                 DataTypeName(static_cast<DataType>(array.type)), ", wanted [", batch.samples, "] of integers");
  PREON_ASSIGN_OR_RETURN(const Tensor classes, Copied(array, DataType::kInt64, where, {}));
  std::ranges::copy(classes.As<int64_t>(), batch.labels.begin());
  return Status::Ok();
}

class ReaderSource final : public DataSource {
 public:
  ReaderSource(SampleReader reader, int64_t limit, std::vector<TensorSpec> inputs)
      : reader_(std::move(reader)), limit_(limit), inputs_(std::move(inputs)) {}

  // Reads the first feed ahead: whoever shares out threads and memory wants to know its size.
  void ReadAhead() {
    ahead_ = Read();
    if (ahead_->ok() && ahead_->value()) batch_ = ahead_->value()->samples;
  }

  std::optional<int64_t> SampleCount() const override { return std::nullopt; }
  int64_t BatchSize() const override { return batch_; }

  Result<std::optional<Batch>> Next() override {
    if (!ahead_) return Read();
    Result<std::optional<Batch>> next = *std::move(ahead_);
    ahead_.reset();
    return next;
  }

 private:
  std::string InputNames() const {
    std::vector<std::string> names;
    for (const TensorSpec& spec : inputs_) names.push_back(spec.name);
    return JoinNames(names);
  }

  Result<std::optional<Batch>> Read() {
    std::vector<InputArray> arrays;
    if ((limit_ >= 0 && samples_ >= limit_) || !reader_(index_, arrays)) return std::optional<Batch>();
    const std::string where = StrCat("sample ", index_);
    PREON_RETURN_IF_ERROR(CheckNames(arrays, where));
    Batch batch{.first_sample = samples_};
    for (const TensorSpec& spec : inputs_) {
      const auto array = std::ranges::find(arrays, spec.name, &InputArray::name);
      if (array == arrays.end()) return Error(ErrorId::kDataInputName, where, ": no array for input '", spec.name, "'");
      PREON_RETURN_IF_ERROR(CheckArray(*array, spec, where));
      PREON_ASSIGN_OR_RETURN(Tensor tensor, Copied(*array, spec.type, where, pool_));
      if (!array->shape.empty() && spec.shape[0] == kDynamicDim && array->shape[0] == 0)
        return Error(ErrorId::kDataShape, where, ": '", spec.name, "': shape ", ShapeToString(array->shape),
                     " holds no sample, wanted at least one along axis 0");
      batch.feeds.push_back({spec.name, std::move(tensor)});
    }
    batch.samples = SamplesOfRun(inputs_, batch.feeds);
    batch.labels.resize(static_cast<size_t>(batch.samples));
    for (const InputArray& array : arrays) {
      if (std::ranges::find(inputs_, array.name, &TensorSpec::name) != inputs_.end()) continue;
      if (!IsLabels(array))
        return Error(ErrorId::kDataInputName, where, ": array '", array.name,
                     "' matches no input of the model; it has: ", InputNames());
      PREON_RETURN_IF_ERROR(SetLabels(array, where, batch));
    }
    batch.names.assign(static_cast<size_t>(batch.samples), StrCat("reader[", index_, "]"));
    samples_ += batch.samples;
    ++index_;
    return std::optional(std::move(batch));
  }

  SampleReader reader_;
  int64_t limit_;
  std::vector<TensorSpec> inputs_;
  TensorPool pool_;
  int64_t index_ = 0, samples_ = 0, batch_ = 1;
  std::optional<Result<std::optional<Batch>>> ahead_;
};

std::vector<OutputArray> ToPublic(const std::vector<Tensor>& outputs) {
  std::vector<OutputArray> arrays;
  for (const Tensor& tensor : outputs) arrays.push_back({tensor.shape(), tensor.As<float>().data()});
  return arrays;
}

}  // namespace

OwnDistance DistanceOfCaller(const OutputDistanceFunction& callers) {
  if (!callers) return {};
  return [callers](const std::vector<Tensor>& reference, const std::vector<Tensor>& quantized) {
    return callers(ToPublic(reference), ToPublic(quantized));
  };
}

OpenSamples SourceOfReader(const QuantizeOptions& given, int64_t limit, Shard shard) {
  return [&given, limit, shard](const std::vector<TensorSpec>& inputs,
                                const SampleSelection& selection) -> Result<std::unique_ptr<DataSource>> {
    const bool narrower = selection.limit > 0 && (limit < 0 || selection.limit < limit);
    if (given.reader_inputs) {
      std::vector<InputInfo> told;
      for (const TensorSpec& spec : inputs)
        told.push_back({spec.name, static_cast<ElementType>(spec.type), spec.shape});
      given.reader_inputs(told);
    }
    auto source = std::make_unique<ReaderSource>(given.reader, narrower ? selection.limit : limit, inputs);
    source->ReadAhead();
    if (shard.count == 1) return std::unique_ptr<DataSource>(std::move(source));
    return Filtered(std::move(source),
                    [shard, next = int64_t{0}](const Batch&) mutable { return next++ % shard.count == shard.index; });
  };
}

}  // namespace preon
