#include "data/array_set.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "data/array_layout.h"
#include "data/convert.h"
#include "data/files/array_file.h"
#include "data/files/quoted_names.h"

namespace preon {
namespace {

bool IsLabelName(const std::string& name) { return name == "label" || name == "labels"; }

// One array that feeds one input (or holds the labels).
struct Column {
  TensorSpec input;
  StoredArray array;
  ArrayLayout layout;
  std::optional<ArrayReader> reader;  // while open
  Tensor constant;                    // of a repeated array, once read

  const Shape& shape() const { return array.header.shape; }
};

class ArraySet : public SampleSet {
 public:
  ArraySet(std::string path, std::string key, std::vector<Column> columns, std::optional<Column> labels, int64_t size,
           TensorPool pool)
      : path_(std::move(path)),
        key_(std::move(key)),
        columns_(std::move(columns)),
        labels_(std::move(labels)),
        size_(size),
        pool_(std::move(pool)) {}

  int64_t size() const override { return size_; }
  bool single() const override {
    return std::ranges::any_of(columns_, [](const Column& column) { return column.layout.single; });
  }
  bool can_repeat() const override {
    return size_ == 1 && std::ranges::all_of(columns_, [](const Column& column) {
             return column.layout.can_repeat || column.layout.kind == FeedKind::kRepeated;
           });
  }
  std::string Key(int64_t index) const override { return StrCat(key_, "[", index, "]"); }
  std::string Name(int64_t index) const override { return StrCat(path_, "[", index, "]"); }
  void Close() override {
    for (Column& column : columns_) column.reader.reset();
    if (labels_) labels_->reader.reset();
    file_.reset();
  }

  Result<Sample> Read(int64_t index) override {
    Sample sample;
    for (Column& column : columns_) {
      PREON_ASSIGN_OR_RETURN(Tensor tensor, ReadColumn(column, index));
      sample.feeds.push_back({column.input.name, std::move(tensor), column.layout.kind});
    }
    if (labels_) {
      PREON_ASSIGN_OR_RETURN(const Tensor label, ReadColumn(*labels_, index));
      sample.label = label.As<int64_t>()[0];
    }
    return sample;
  }

 private:
  Result<Tensor> ReadColumn(Column& column, int64_t index) {
    const bool repeated = column.layout.kind == FeedKind::kRepeated;
    if (repeated && column.constant.type() != DataType::kUndefined) return column.constant;
    if (file_ == nullptr) {
      PREON_ASSIGN_OR_RETURN(RandomAccessFile file, RandomAccessFile::Open(path_));
      file_ = std::make_shared<const RandomAccessFile>(std::move(file));
    }
    if (!column.reader) column.reader.emplace(file_, column.array, pool_);
    PREON_ASSIGN_OR_RETURN(Tensor tensor, column.reader->Read(repeated ? 0 : index * ElementCount(SampleShape(column)),
                                                              SampleShape(column)));
    const std::string where =
        StrCat(path_, ": '", column.input.name, "': ", repeated ? "it" : StrCat("sample ", index));
    auto converted = ConvertElements(tensor, column.input.type, pool_);
    if (!converted.ok()) return std::move(converted).status().WithContext(where);
    PREON_RETURN_IF_ERROR(CheckFinite(*converted, where));
    if (repeated) column.constant = *converted;
    return converted;
  }

  static Shape SampleShape(const Column& column) {
    Shape shape = column.shape();
    if (column.layout.kind == FeedKind::kRow) shape[0] = 1;
    if (column.layout.kind == FeedKind::kWhole) shape.erase(shape.begin());
    if (shape.empty()) shape.assign(column.input.shape.size(), 1);
    return shape;
  }

  const std::string path_, key_;
  std::vector<Column> columns_;
  std::optional<Column> labels_;
  const int64_t size_;
  const TensorPool pool_;
  std::shared_ptr<const RandomAccessFile> file_;
};

// Pairs inputs with arrays by name.
Result<std::vector<Column>> MatchNames(const std::string& path, std::vector<StoredArray> arrays,
                                       std::span<const TensorSpec> inputs) {
  std::vector<Column> columns;
  // An .npy has no name, an array saved without one is called arr_0; a name that differs is a mistake to tell.
  if (inputs.size() == 1 && arrays.size() == 1 && (arrays[0].name.empty() || arrays[0].name == "arr_0")) {
    columns.push_back({inputs[0], std::move(arrays[0])});
    return columns;
  }
  for (StoredArray& array : arrays) {
    const auto input = std::ranges::find(inputs, array.name, &TensorSpec::name);
    if (input == inputs.end() && array.name.empty()) {
      return Error(ErrorId::kDataInputName, path, ": one array without a name, the model has ", inputs.size(),
                   " inputs: ", QuotedNames(inputs, &TensorSpec::name))
          .WithHint("save an .npz with one array per input, or give --input NAME=FILE for each");
    }
    if (input == inputs.end()) {
      return Error(ErrorId::kDataInputName, path, ": array '", array.name,
                   "' matches no input of the model; it has: ", QuotedNames(inputs, &TensorSpec::name));
    }
    if (std::ranges::any_of(columns, [&](const Column& column) { return column.input.name == array.name; })) {
      return Error(ErrorId::kDataInputName, path, ": array '", array.name, "' occurs twice");
    }
    columns.push_back({*input, std::move(array)});
  }
  for (const TensorSpec& input : inputs) {
    if (std::ranges::any_of(columns, [&](const Column& column) { return column.input.name == input.name; })) continue;
    return Error(ErrorId::kDataInputName, path, ": no array for input '", input.name,
                 "'; it has: ", columns.empty() ? "none" : QuotedNames(columns, [](const Column& column) {
                   return column.input.name;
                 }));
  }
  return columns;
}

// The number of samples all columns agree on. An array that may be a constant becomes one where the others have more.
Result<int64_t> AgreeOnSamples(const std::string& path, std::vector<Column>& columns) {
  const Column* decisive = nullptr;
  for (const Column& column : columns) {
    if (column.layout.samples == SampleSet::kRepeats) continue;
    if (decisive == nullptr || (decisive->layout.can_repeat && !column.layout.can_repeat)) decisive = &column;
  }
  if (decisive == nullptr) return SampleSet::kRepeats;
  const int64_t samples = decisive->layout.samples;
  for (Column& column : columns) {
    if (column.layout.samples == SampleSet::kRepeats || column.layout.samples == samples) continue;
    if (!column.layout.can_repeat) {
      return Error(ErrorId::kDataShape, path, ": '", column.input.name, "' has ", column.layout.samples, " samples, '",
                   decisive->input.name, "' has ", samples, "; wanted the same number");
    }
    column.layout = {FeedKind::kRepeated, SampleSet::kRepeats, false, false};
  }
  return samples;
}

Result<Column> FitLabels(const std::string& path, StoredArray array, int64_t samples) {
  samples = std::max<int64_t>(samples, 1);  // constants alone are one sample
  const Shape shape = array.header.shape;
  const bool one_each = (shape.size() == 1 || (shape.size() == 2 && shape[1] == 1)) && shape[0] == samples;
  if (!one_each || !IsConvertible(array.header.type, DataType::kInt64)) {
    return Error(ErrorId::kLabels, path, ": '", array.name, "': shape ", ShapeToString(shape), " of ",
                 DataTypeName(array.header.type), ", wanted [", samples, "] of integers");
  }
  Column column{{array.name, DataType::kInt64, shape}, std::move(array)};
  column.layout.samples = samples;
  return column;
}

}  // namespace

Result<std::unique_ptr<SampleSet>> OpenArrayFile(const std::string& path, const std::string& key,
                                                 std::span<const TensorSpec> inputs, const SourceContext& context) {
  PREON_ASSIGN_OR_RETURN(RandomAccessFile opened, RandomAccessFile::Open(path));
  PREON_ASSIGN_OR_RETURN(std::vector<StoredArray> arrays,
                         ListArrays(std::make_shared<const RandomAccessFile>(std::move(opened))));
  std::optional<StoredArray> label_array;
  const auto labels = std::ranges::find_if(arrays, [&](const StoredArray& array) {
    return IsLabelName(array.name) && std::ranges::find(inputs, array.name, &TensorSpec::name) == inputs.end();
  });
  if (labels != arrays.end()) {
    label_array = std::move(*labels);
    arrays.erase(labels);
  }
  PREON_ASSIGN_OR_RETURN(std::vector<Column> columns, MatchNames(path, std::move(arrays), inputs));
  for (Column& column : columns) {
    const std::string where = path + ": '" + column.input.name + "'";
    const DataType type = column.array.header.type;
    if (!IsConvertible(type, column.input.type)) {
      return Error(ErrorId::kDataType, where, ": type ", DataTypeName(type), ", wanted ",
                   DataTypeName(column.input.type));
    }
    auto layout = FitArray(column.shape(), column.input, context.fixed_batch);
    if (!layout.ok()) return std::move(layout).status().WithContext(where);
    column.layout = *layout;
  }
  PREON_ASSIGN_OR_RETURN(const int64_t samples, AgreeOnSamples(path, columns));
  std::optional<Column> label_column;
  if (label_array) {
    PREON_ASSIGN_OR_RETURN(label_column, FitLabels(path, std::move(*label_array), samples));
  }
  return std::unique_ptr<SampleSet>(
      std::make_unique<ArraySet>(path, key, std::move(columns), std::move(label_column), samples, context.pool));
}

}  // namespace preon
