#include "handover/write_encodings.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/version.h"

namespace preon {
namespace {

using Json = nlohmann::ordered_json;

Json Header(const char* version) {
  return {{"version", version}, {"producer", {{"name", "preon"}, {"version", std::string(kVersion)}}}};
}

std::string Text(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

// The shape of the scales; empty: one for all.
Shape ShapeOfScales(const RoundedTensor& tensor) {
  const StoredCodes& codes = tensor.codes;
  if (codes.axis < 0) return {};
  if (codes.block_size == 0) return {static_cast<int64_t>(codes.params.size())};
  Shape shape = tensor.shape;
  int64_t& blocks = shape[static_cast<size_t>(codes.axis)];
  blocks = (blocks + codes.block_size - 1) / codes.block_size;
  return shape;
}

// Lists in lists, as the shape says.
Json Nested(const std::vector<Json>& numbers, const Shape& shape, size_t level, size_t& next) {
  if (level == shape.size()) return numbers[next++];
  Json list = Json::array();
  for (int64_t i = 0; i < shape[level]; ++i) list.push_back(Nested(numbers, shape, level + 1, next));
  return list;
}

Json PerParam(const RoundedTensor& tensor, const std::function<Json(const QuantParams&)>& number) {
  std::vector<Json> numbers;
  for (const QuantParams& params : tensor.codes.params) numbers.push_back(number(params));
  size_t next = 0;
  return Nested(numbers, ShapeOfScales(tensor), 0, next);
}

Json Entry(const RoundedTensor& tensor) {
  const StoredCodes& codes = tensor.codes;
  Json entry = {{"name", tensor.name}, {"output_dtype", CodeTypeName(tensor)}};
  entry["y_scale"] = PerParam(tensor, [](const QuantParams& params) { return Json(params.scale); });
  if (std::ranges::any_of(codes.params, [](const QuantParams& params) { return params.zero_point != 0; }))
    entry["y_zero_point"] = PerParam(tensor, [](const QuantParams& params) { return Json(params.zero_point); });
  if (codes.axis >= 0) entry["axis"] = codes.axis;
  if (codes.block_size > 0) entry["block_size"] = codes.block_size;
  return entry;
}

// real = scale * (code + offset), with codes from 0.
Json FirstEntry(const RoundedTensor& tensor) {
  std::vector<float> scales;
  std::vector<int64_t> offsets;
  bool symmetric = true;
  for (const QuantParams& params : tensor.codes.params) {
    scales.push_back(params.scale);
    offsets.push_back(LowestCode(tensor) - params.zero_point);
    symmetric = symmetric && offsets.back() == -(int64_t{1} << (tensor.bits - 1));
  }
  return {{"name", tensor.name}, {"bw", tensor.bits},
          {"dtype", "INT"},      {"enc_type", tensor.codes.axis < 0 ? "PER_TENSOR" : "PER_CHANNEL"},
          {"is_sym", symmetric}, {"scale", scales},
          {"offset", offsets}};
}

}  // namespace

std::string EncodingsText(const std::vector<RoundedTensor>& tensors) {
  Json json = Header("2.0.0");
  json["encodings"] = Json::array();
  for (const RoundedTensor& tensor : tensors) json["encodings"].push_back(Entry(tensor));
  return Text(json);
}

std::string FirstEncodingsText(const std::vector<RoundedTensor>& tensors, std::vector<std::string>& left_out) {
  Json json = Header("1.0.0");
  json["activation_encodings"] = json["param_encodings"] = Json::array();
  for (const RoundedTensor& tensor : tensors) {
    if (tensor.codes.block_size > 0)
      left_out.push_back(tensor.name);
    else
      json[tensor.constant ? "param_encodings" : "activation_encodings"].push_back(FirstEntry(tensor));
  }
  return Text(json);
}

}  // namespace preon
