#include "reconstruct/layer_rows.h"

#include <algorithm>

#include "base/split_mix.h"
#include "reconstruct/conv_padding.h"

namespace preon {
namespace {

// A vector times a matrix gives one row.
int64_t SamplesIn(const Node& node, const Shape& output) {
  return node.Is("Conv") || output.size() > 1 ? output[0] : 1;
}

// Of one sample.
int64_t PlacesPerSample(const Node& node, const Shape& output) {
  int64_t places = 1;
  const size_t last = node.Is("Conv") ? output.size() : output.size() - 1;
  for (size_t axis = node.Is("Conv") ? 2 : 1; axis < last; ++axis) places *= output[axis];
  return places;
}

// A fixed sequence of uniform numbers, by what is drawn for.
double Draw(uint64_t sample, uint64_t index) {
  return static_cast<double>(SplitMix64((sample << 32) + index + kSplitMixStep) >> 11) * 0x1p-53;
}

// Where each element of a patch lies, along all axes of the kernel.
struct Patch {
  Patch(const Node& node, const Shape& weight, const Shape& input, const Shape& output) {
    const size_t axes = weight.size() - 2;
    const auto or_ones = [&](const char* name) {
      std::vector<int64_t> ints = node.Ints(name);
      return ints.empty() ? std::vector<int64_t>(axes, 1) : ints;
    };
    strides = or_ones("strides");
    dilations = or_ones("dilations");
    pads = PaddingInFront(node, weight, input, output);
    kernel.assign(weight.begin() + 2, weight.end());
    extents.assign(input.begin() + 2, input.end());
    places.assign(output.begin() + 2, output.end());
  }

  // Adds where the elements of a place's patch lie in a channel, in the kernel's order; -1 in the padding.
  void Find(int64_t place, std::vector<int64_t>& found) const {
    std::vector<int64_t> first(kernel.size());
    for (size_t axis = kernel.size(); axis-- > 0; place /= places[axis])
      first[axis] = place % places[axis] * strides[axis] - pads[axis];
    FindAlong(first, 0, 0, found);
  }

 private:
  void FindAlong(const std::vector<int64_t>& first, size_t axis, int64_t offset, std::vector<int64_t>& found) const {
    for (int64_t k = 0; k < kernel[axis]; ++k) {
      const int64_t at = first[axis] + k * dilations[axis];
      const bool inside = offset >= 0 && at >= 0 && at < extents[axis];
      const int64_t here = inside ? offset * extents[axis] + at : -1;
      if (axis + 1 < kernel.size())
        FindAlong(first, axis + 1, here, found);
      else
        found.push_back(here);
    }
  }

  std::vector<int64_t> strides, dilations, pads, kernel, extents, places;
};

int64_t Product(const Shape& shape, size_t from) {
  int64_t product = 1;
  for (size_t axis = from; axis < shape.size(); ++axis) product *= shape[axis];
  return product;
}

// @param found  of each place in turn: where the elements of its patch lie in a channel; -1 in the padding
// @param value_at  the float that an element of the input stands for
template <typename ValueAt>
void CopyPatches(const LayerForm& form, const Shape& input, const std::vector<Place>& places,
                 const std::vector<int64_t>& found, const ValueAt& value_at, const GroupedRows& to) {
  const int64_t channels = input[1], area = Product(input, 2), of_group = form.weight[1];
  const size_t patch = found.size() / std::max<size_t>(places.size(), 1);
  for (int64_t channel = 0; channel < channels; ++channel) {  // what is read of one lies near each other
    const size_t first_row = static_cast<size_t>(channel / of_group) * to.per_group;
    const size_t column = static_cast<size_t>(channel % of_group) * patch;
    for (size_t p = 0; p < places.size(); ++p) {
      const int64_t plane = (places[p].sample * channels + channel) * area;
      float* row = to.rows.row(first_row + p) + column;
      for (size_t i = 0; i < patch; ++i) {
        const int64_t at = found[p * patch + i];
        row[i] = at < 0 ? 0 : value_at(plane + at);
      }
    }
  }
}

}  // namespace

std::vector<Place> PlacesOf(const Node& node, const Shape& output, int64_t first_sample, int64_t most) {
  const int64_t all = PlacesPerSample(node, output), count = std::min(all, most);
  std::vector<Place> places;
  for (int64_t sample = 0; sample < SamplesIn(node, output); ++sample) {
    for (int64_t i = 0; i < count; ++i) {
      const double drawn =
          count == all ? 0 : Draw(static_cast<uint64_t>(first_sample + sample), static_cast<uint64_t>(i));
      const double part = static_cast<double>(all) / static_cast<double>(count);
      places.push_back({sample, std::min(static_cast<int64_t>((static_cast<double>(i) + drawn) * part), all - 1)});
    }
  }
  return places;
}

void InputRows(const Node& node, const LayerForm& form, const LayerInput& input, const std::vector<Place>& places,
               const Shape& output, const GroupedRows& to) {
  const Tensor& stored = input.stored;
  std::vector<int64_t> found;
  if (node.Is("Conv")) {
    const Patch patch(node, form.weight, stored.shape(), output);
    for (const Place& place : places) patch.Find(place.at, found);
  }
  const auto copy = [&]<typename Stored>(const Stored* values, float scale, float zero_point) {
    const auto value_at = [=](int64_t i) { return (static_cast<float>(values[i]) - zero_point) * scale; };
    if (node.Is("Conv")) return CopyPatches(form, stored.shape(), places, found, value_at, to);
    const int64_t per_sample = PlacesPerSample(node, output), inputs = static_cast<int64_t>(form.inputs);
    for (size_t p = 0; p < places.size(); ++p) {
      const int64_t first = (places[p].sample * per_sample + places[p].at) * inputs;
      for (int64_t i = 0; i < inputs; ++i) to.rows.row(p)[i] = value_at(first + i);
    }
  };
  const auto zero_point = static_cast<float>(input.params.zero_point);
  if (stored.type() == DataType::kUInt8) return copy(stored.As<uint8_t>().data(), input.params.scale, zero_point);
  if (stored.type() == DataType::kInt8) return copy(stored.As<int8_t>().data(), input.params.scale, zero_point);
  const bool is_float = stored.type() == DataType::kFloat;
  const Tensor values = is_float ? stored : DecodeTensor({.codes = stored, .params = {input.params}});
  copy(values.floats().data(), 1, 0);
}

Matrix OutputRows(const Node& node, const Tensor& output, const std::vector<Place>& places) {
  const bool is_conv = node.Is("Conv");
  const Shape& shape = output.shape();
  const int64_t per_sample = PlacesPerSample(node, shape), channels = is_conv ? shape[1] : shape.back();
  Matrix rows(places.size(), static_cast<size_t>(channels));
  const float* values = output.floats().data();
  if (!is_conv) {
    for (size_t p = 0; p < places.size(); ++p)
      std::copy_n(values + (places[p].sample * per_sample + places[p].at) * channels, channels, rows.row(p));
    return rows;
  }
  for (int64_t channel = 0; channel < channels; ++channel) {  // the places of one lie near each other
    for (size_t p = 0; p < places.size(); ++p)
      rows.row(p)[channel] = values[(places[p].sample * channels + channel) * per_sample + places[p].at];
  }
  return rows;
}

}  // namespace preon
