// Runs two models on the same random inputs and compares what comes out.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/half.h"
#include "runtime/session.h"

namespace preon {

/// How to make an input: sizes of dynamic dimensions by their name (`other` for the rest), and values below `max_int`
/// for integers.
struct RandomInputs {
  std::map<std::string, int64_t> dims;
  int64_t other = 2;
  int64_t max_int = 1;
  uint32_t seed = 1;
};

inline Tensor RandomTensor(const ValueInfo& info, const RandomInputs& how, std::mt19937& random) {
  Shape shape = info.shape.value_or(Shape{});
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] != kDynamicDim) continue;
    const auto named = dim < info.dim_names.size() ? how.dims.find(info.dim_names[dim]) : how.dims.end();
    shape[dim] = named == how.dims.end() ? how.other : named->second;
  }
  Tensor tensor = Tensor::Allocate(info.type, shape);
  std::uniform_real_distribution<float> real(-2, 2);
  std::uniform_int_distribution<int64_t> integer(0, how.max_int);
  if (info.type == DataType::kFloat) {
    for (float& value : tensor.Mutable<float>()) value = real(random);
  } else if (info.type == DataType::kFloat16) {
    for (Half& value : tensor.Mutable<Half>()) value = Half(real(random));
  } else if (info.type == DataType::kInt64) {
    for (int64_t& value : tensor.Mutable<int64_t>()) value = integer(random);
  } else if (info.type == DataType::kInt32) {
    for (int32_t& value : tensor.Mutable<int32_t>()) value = static_cast<int32_t>(integer(random));
  } else if (info.type == DataType::kBool) {
    for (std::byte& value : tensor.MutableBytes()) value = std::byte(integer(random) % 2);
  } else {
    ADD_FAILURE() << "no random values for type " << DataTypeName(info.type);
  }
  return tensor;
}

inline std::vector<NamedTensor> RandomFeeds(const Model& model, const RandomInputs& how) {
  std::mt19937 random(how.seed);
  std::vector<NamedTensor> feeds;
  for (const std::string& input : model.graph.inputs()) {
    feeds.push_back({input, RandomTensor(*model.graph.Info(input), how, random)});
  }
  return feeds;
}

inline std::vector<NamedTensor> RunModel(const Model& model, const std::vector<NamedTensor>& feeds) {
  const RunContext context;
  Result<Session> session = Session::OpenModel(model, {.optimization = Optimization::kOff}, context);
  if (!session.ok()) {
    ADD_FAILURE() << session.status().ToString();
    return {};
  }
  Result<std::vector<NamedTensor>> outputs = session->Run(feeds, context);
  if (!outputs.ok()) ADD_FAILURE() << outputs.status().ToString();
  return outputs.ok() ? *outputs : std::vector<NamedTensor>();
}

/// Largest difference over the largest magnitude of `wanted`, or over 0.01 where that is smaller (a sigmoid near 0 has
/// only absolute precision). Other element types must agree to the bit (else infinity).
inline double RelativeDifference(const Tensor& got, const Tensor& wanted) {
  if (got.type() != wanted.type() || got.shape() != wanted.shape()) return INFINITY;
  if (wanted.type() == DataType::kFloat16) {
    const std::span<const Half> a = got.As<Half>(), b = wanted.As<Half>();
    const Shape shape = wanted.shape();
    return RelativeDifference(Tensor::FromFloats(shape, std::vector<float>(a.begin(), a.end())),
                              Tensor::FromFloats(shape, std::vector<float>(b.begin(), b.end())));
  }
  if (wanted.type() != DataType::kFloat) {
    return std::equal(got.bytes().begin(), got.bytes().end(), wanted.bytes().begin(), wanted.bytes().end()) ? 0
                                                                                                            : INFINITY;
  }
  double difference = 0, magnitude = 0;
  for (size_t index = 0; index < wanted.floats().size(); ++index) {
    const double a = got.floats()[index], b = wanted.floats()[index];
    if (!(std::isfinite(a) && std::isfinite(b)) && !(a == b || (std::isnan(a) && std::isnan(b)))) return INFINITY;
    if (std::isfinite(b)) magnitude = std::max(magnitude, std::abs(b));
    if (std::isfinite(a) && std::isfinite(b)) difference = std::max(difference, std::abs(a - b));
  }
  return difference / std::max(magnitude, 0.01);
}

/// Both models give the same outputs within `tolerance`. Returns the largest difference found.
inline double ExpectSameOutputs(const Model& before, const Model& after, const RandomInputs& how, double tolerance) {
  const std::vector<NamedTensor> feeds = RandomFeeds(before, how);
  const std::vector<NamedTensor> wanted = RunModel(before, feeds), got = RunModel(after, feeds);
  EXPECT_FALSE(wanted.empty());
  EXPECT_EQ(got.size(), wanted.size());
  double largest = 0;
  for (size_t index = 0; index < std::min(got.size(), wanted.size()); ++index) {
    EXPECT_EQ(got[index].name, wanted[index].name);
    const double difference = RelativeDifference(got[index].tensor, wanted[index].tensor);
    EXPECT_LE(difference, tolerance) << wanted[index].name;
    largest = std::max(largest, difference);
  }
  return largest;
}

}  // namespace preon
