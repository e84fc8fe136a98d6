#include "data/random_set.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/half.h"
#include "base/split_mix.h"
#include "data/array_layout.h"
#include "data/files/quoted_names.h"

namespace preon {
namespace {

constexpr std::string_view kShapeOption = "--random-shape";

// Any seed is good, so each sample can have its own.
class SplitMix {
 public:
  explicit SplitMix(uint64_t seed) : state_(seed) {}
  uint64_t operator()() { return SplitMix64(state_ += kSplitMixStep); }

 private:
  uint64_t state_;
};

// Four uniform 16-bit numbers add up to something close to a normal distribution, with integer arithmetic only:
// the same on every machine. Each has variance 65536^2 / 12.
double NextNormal(SplitMix& next) {
  const uint64_t bits = next();
  const int64_t sum =
      static_cast<int64_t>((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48));
  return static_cast<double>(sum - 2 * 65535) * (std::sqrt(3.0) / 65536);
}

template <typename T, typename Draw>
void Fill(Tensor& tensor, const Draw& draw) {
  for (T& value : tensor.Mutable<T>()) value = static_cast<T>(draw());
}

bool FillRandom(Tensor& tensor, SplitMix& next) {
  const auto normal = [&] { return NextNormal(next); };
  const auto bit = [&] { return next() >> 63; };
  const auto byte = [&] { return next() >> 56; };
  switch (tensor.type()) {
    case DataType::kFloat:
      Fill<float>(tensor, normal);
      return true;
    case DataType::kDouble:
      Fill<double>(tensor, normal);
      return true;
    case DataType::kFloat16:
      Fill<Half>(tensor, normal);
      return true;
    case DataType::kUInt8:
    case DataType::kInt8:
      Fill<uint8_t>(tensor, byte);
      return true;
    case DataType::kBool:
      Fill<uint8_t>(tensor, bit);
      return true;
    case DataType::kInt16:
    case DataType::kUInt16:
      Fill<uint16_t>(tensor, bit);
      return true;
    case DataType::kInt32:
    case DataType::kUInt32:
      Fill<uint32_t>(tensor, bit);
      return true;
    case DataType::kInt64:
    case DataType::kUInt64:
      Fill<uint64_t>(tensor, bit);
      return true;
    default:
      return false;
  }
}

// Every value of the type can be told from 53 random bits.
template <typename T>
void FillUniform(Tensor& tensor, SplitMix& next, const RandomValues::Interval& interval) {
  constexpr bool integer = std::is_integral_v<T>;
  const double span = interval.high - interval.low + (integer ? 1 : 0);
  for (T& value : tensor.Mutable<T>()) {
    const double drawn = interval.low + static_cast<double>(next() >> 11) * 0x1p-53 * span;
    value = static_cast<T>(integer ? std::floor(drawn) : drawn);
  }
}

// FillRandom has accepted the type.
void FillUniform(Tensor& tensor, SplitMix& next, const RandomValues::Interval& interval) {
  switch (tensor.type()) {
    case DataType::kFloat:
      return FillUniform<float>(tensor, next, interval);
    case DataType::kDouble:
      return FillUniform<double>(tensor, next, interval);
    case DataType::kFloat16:
      return FillUniform<Half>(tensor, next, interval);
    case DataType::kInt8:
      return FillUniform<int8_t>(tensor, next, interval);
    case DataType::kInt16:
      return FillUniform<int16_t>(tensor, next, interval);
    case DataType::kUInt16:
      return FillUniform<uint16_t>(tensor, next, interval);
    case DataType::kInt32:
      return FillUniform<int32_t>(tensor, next, interval);
    case DataType::kUInt32:
      return FillUniform<uint32_t>(tensor, next, interval);
    case DataType::kInt64:
      return FillUniform<int64_t>(tensor, next, interval);
    case DataType::kUInt64:
      return FillUniform<uint64_t>(tensor, next, interval);
    default:
      return FillUniform<uint8_t>(tensor, next, interval);  // bool too
  }
}

// A guess that most models take: a picture's side, a sequence's length; 1 where it may be the batch of a state.
int64_t SymbolicSize(bool rows, size_t rank, size_t axis) {
  if (!rows) return 1;
  return rank == 4 && axis >= 2 ? 224 : 32;
}

class RandomSet : public SampleSet {
 public:
  RandomSet(int64_t count, uint64_t seed, std::span<const TensorSpec> inputs, int64_t fixed_batch,
            const RandomValues& values)
      : count_(count), seed_(seed), inputs_(inputs.begin(), inputs.end()), fixed_batch_(fixed_batch), values_(values) {}

  int64_t size() const override { return count_; }
  bool single() const override {
    return std::ranges::any_of(
        inputs_, [&](const TensorSpec& input) { return !StacksRows(input, fixed_batch_) || input.shape[0] == 1; });
  }
  std::string Key(int64_t index) const override { return Name(index); }
  std::string Name(int64_t index) const override { return StrCat("random:", count_, "[", index, "]"); }

  Result<Sample> Read(int64_t index) override {
    SplitMix next(SplitMix(seed_)() ^ static_cast<uint64_t>(index));
    Sample sample;
    for (const TensorSpec& input : inputs_) {
      Shape shape = input.shape;
      const bool rows = StacksRows(input, fixed_batch_);
      if (rows) shape[0] = 1;
      if (const auto given = values_.shapes.find(input.name); given != values_.shapes.end()) {
        for (size_t axis = 0; axis < shape.size(); ++axis) {
          if (shape[axis] == kDynamicDim && given->second[axis] > 0) shape[axis] = given->second[axis];
        }
      }
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == kDynamicDim) shape[axis] = SymbolicSize(rows, shape.size(), axis);
      }
      Tensor tensor = Tensor::Allocate(input.type, shape);
      const auto range = values_.ranges.find(input.name);
      if (range != values_.ranges.end())
        FillUniform(tensor, next, range->second);
      else if (values_.common)
        FillUniform(tensor, next, *values_.common);
      else
        PREON_CHECK(FillRandom(tensor, next));
      sample.feeds.push_back({input.name, std::move(tensor), rows ? FeedKind::kRow : FeedKind::kWhole});
    }
    return sample;
  }

 private:
  const int64_t count_;
  const uint64_t seed_;
  const std::vector<TensorSpec> inputs_;
  const int64_t fixed_batch_;
  const RandomValues values_;
};

// Every input that needs one or none, and no other than inputs. `who` says of the message which need one.
template <typename Map, typename Needs>
Status CheckInputs(const Map& given, std::span<const TensorSpec> inputs, std::string_view option, const Needs& needs,
                   std::string_view who) {
  for (const auto& [name, value] : given) {
    if (std::ranges::find(inputs, name, &TensorSpec::name) != inputs.end()) continue;
    return Error(ErrorId::kDataInputName, option, ": no random input '", name,
                 "'; there are: ", QuotedNames(inputs, &TensorSpec::name));
  }
  for (const TensorSpec& input : inputs) {
    if (given.empty() || given.contains(input.name) || !needs(input)) continue;
    return Error(ErrorId::kDataInputName, option, ": none for input '", input.name, "'; wanted one for ", who);
  }
  return Status::Ok();
}

// Whole numbers that the type has, as far as 53 random bits reach; nullopt of floats.
std::optional<RandomValues::Interval> WholeNumbersOf(DataType type) {
  if (IsFloatingType(type)) return std::nullopt;
  if (type == DataType::kBool) return RandomValues::Interval{0, 1};
  const int bits = std::min(DataTypeBits(type), 53);
  const bool is_signed =
      type == DataType::kInt8 || type == DataType::kInt16 || type == DataType::kInt32 || type == DataType::kInt64;
  return is_signed ? RandomValues::Interval{-std::ldexp(1, bits - 1), std::ldexp(1, bits - 1) - 1}
                   : RandomValues::Interval{0, std::ldexp(1, bits) - 1};
}

Status CheckRange(const RandomValues::Interval& given, const TensorSpec& input) {
  const std::optional<RandomValues::Interval> whole = WholeNumbersOf(input.type);
  if (!whole) return Status::Ok();
  const bool is_whole = std::floor(given.low) == given.low && std::floor(given.high) == given.high;
  if (is_whole && given.low >= whole->low && given.high <= whole->high) return Status::Ok();
  return Error(ErrorId::kBadOptionValue, "--random-range: '", input.name, "': got ", given.low, " to ", given.high,
               ", wanted whole numbers from ", whole->low, " to ", whole->high, ", which ", DataTypeName(input.type),
               " has");
}

Status CheckShape(const Shape& given, const TensorSpec& input, bool rows) {
  bool fits = given.size() == input.shape.size();
  for (size_t axis = 0; fits && axis < given.size(); ++axis) {
    const int64_t wanted = rows && axis == 0 ? 1 : input.shape[axis];
    fits = given[axis] <= 0 || wanted == kDynamicDim || given[axis] == wanted;
  }
  if (fits) return Status::Ok();
  Shape wanted = input.shape;
  if (rows) wanted[0] = 1;
  return Error(ErrorId::kDataShape, kShapeOption, ": '", input.name, "': shape ", ShapeToString(given), ", wanted ",
               ShapeToString(wanted));
}

}  // namespace

Result<std::unique_ptr<SampleSet>> MakeRandomSet(int64_t count, uint64_t seed, std::span<const TensorSpec> inputs,
                                                 int64_t fixed_batch, const RandomValues& values) {
  const auto is_open = [&](const TensorSpec& input) { return HasOpenAxis(input, StacksRows(input, fixed_batch)); };
  const auto any = [](const TensorSpec&) { return true; };
  PREON_RETURN_IF_ERROR(
      CheckInputs(values.shapes, inputs, kShapeOption, is_open, "every input whose shape the model does not fix"));
  PREON_RETURN_IF_ERROR(CheckInputs(values.ranges, inputs, "--random-range", any, "every input"));
  for (const TensorSpec& input : inputs) {
    if (const auto shape = values.shapes.find(input.name); shape != values.shapes.end())
      PREON_RETURN_IF_ERROR(CheckShape(shape->second, input, StacksRows(input, fixed_batch)));
    if (const auto range = values.ranges.find(input.name); range != values.ranges.end())
      PREON_RETURN_IF_ERROR(CheckRange(range->second, input));
    else if (values.common)
      PREON_RETURN_IF_ERROR(CheckRange(*values.common, input));
    Tensor probe = DataTypeBits(input.type) >= 8 ? Tensor::Allocate(input.type, {0}) : Tensor();
    SplitMix next(0);
    if (!FillRandom(probe, next)) {
      return Error(ErrorId::kDataUnsupported, "random:", count, ": input '", input.name, "' has type ",
                   DataTypeName(input.type), ", wanted float, double, an integer or bool");
    }
  }
  return std::unique_ptr<SampleSet>(std::make_unique<RandomSet>(count, seed, inputs, fixed_batch, values));
}

}  // namespace preon
