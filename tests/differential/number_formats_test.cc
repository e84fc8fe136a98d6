// Number formats against all stored runs of Quark's operators, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "data/files/array_file.h"
#include "differential/quark_vectors.h"
#include "formats/block_codec.h"
#include "formats/int_format.h"
#include "formats/linear_codec.h"
#include "formats/tensor_type.h"

namespace preon {
namespace {

using Json = nlohmann::json;

std::filesystem::path FormatVectors() { return QuarkVectors() / "formats"; }

Json ReadJson(const char* name) {
  std::ifstream file(FormatVectors() / name);
  return Json::parse(file);
}

std::map<std::string, Tensor> ReadArrays(const std::string& name) {
  const auto file =
      std::make_shared<const RandomAccessFile>(*RandomAccessFile::Open((FormatVectors() / (name + ".npz")).string()));
  std::map<std::string, Tensor> arrays;
  for (const StoredArray& array : *ListArrays(file)) {
    arrays.emplace(array.name, *ArrayReader(file, array).Read(0, array.header.shape));
  }
  return arrays;
}

/// Arrays hold the bits of floats, or of float16 values.
std::vector<float> FloatsOf(const Tensor& bits) {
  std::vector<float> values(static_cast<size_t>(bits.count()));
  if (bits.type() == DataType::kUInt16) {
    DecodeMiniFloat(kE5M10, bits.As<uint16_t>().data(), values.size(), values.data());
  } else {
    std::memcpy(values.data(), bits.bytes().data(), bits.bytes().size());
  }
  return values;
}

/// The value after a round trip through the type of the tensor, which is what the operator puts out.
void RoundToTypeOf(const Tensor& stored, std::vector<float>& values) {
  if (stored.type() != DataType::kUInt16) return;
  RoundToMiniFloat(kE5M10, Overflow::kInfinity, values.data(), values.size(), values.data());
}

bool SameBits(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

Result<BlockSpec> SpecOfCase(const Json& attributes) {
  if (attributes.contains("element_dtype")) {
    return SpecOf(MxAttributes{attributes["element_dtype"], attributes["block_size"], attributes["rounding_mode"]},
                  Numerics::kCompat);
  }
  BfpAttributes bfp;
  bfp.bfp_method = attributes["bfp_method"];
  bfp.bit_width = attributes["bit_width"];
  bfp.block_size = attributes["block_size"];
  bfp.rounding_mode = attributes["rounding_mode"];
  bfp.sub_block_size = attributes.value("sub_block_size", bfp.sub_block_size);
  bfp.sub_block_shift_bits = attributes.value("sub_block_shift_bits", bfp.sub_block_shift_bits);
  bfp.convert_to_bfloat_before_bfp = attributes.value("convert_to_bfloat_before_bfp", 0);
  bfp.use_compiler_version_cpu_kernel = attributes.value("use_compiler_version_cpu_kernel", 0);
  return SpecOf(bfp, Numerics::kCompat);
}

TEST(BlockFormatsOfQuark, AllStoredRuns) {
  int cases = 0, elements = 0;
  const Json index = ReadJson("index.json");
  for (const auto& [format, entry] : index.items()) {
    const std::map<std::string, Tensor> arrays = ReadArrays(format);
    for (const Json& row : entry["cases"]) {
      SCOPED_TRACE(StrCat(format, " ", row["case"].get<std::string>()));
      const Tensor& x_bits = arrays.at(row["x"]);
      const Tensor& y_bits = arrays.at(row["y"]);
      const std::vector<float> x = FloatsOf(x_bits), wanted = FloatsOf(y_bits);
      const Result<BlockSpec> spec = SpecOfCase(row["attributes"]);
      ASSERT_TRUE(spec.ok()) << spec.status().ToString();
      std::vector<float> got(x.size());
      const Shape shape = row["shape"];
      ASSERT_TRUE(QuantizeDequantize(*spec, shape, row["attributes"]["axis"], x.data(), got.data()).ok());
      RoundToTypeOf(y_bits, got);
      for (size_t i = 0; i < x.size(); ++i) {
        EXPECT_TRUE(SameBits(got[i], wanted[i]))
            << "element " << i << ": " << std::hexfloat << x[i] << " -> " << got[i] << ", wanted " << wanted[i];
        ++elements;
      }
      ++cases;
    }
  }
  EXPECT_EQ(cases, 373);
  EXPECT_EQ(elements, 103424);
}

DataType TypeNamed(const std::string& name) {
  if (name == "FLOAT16") return DataType::kFloat16;
  if (name == "BFLOAT16") return DataType::kBFloat16;
  return ParseTensorType(name)->type();
}

std::vector<double> Numbers(const Json& value) {
  return value.is_array() ? value.get<std::vector<double>>() : std::vector<double>{value.get<double>()};
}

/// What leaves the range of 64-bit integers in Quark, and then is undefined.
bool IsUndefined(float x, float scale) { return !(std::abs(x / scale) < 0x1p63f); }

TEST(ExtendedOperatorsOfQuark, AllStoredRuns) {
  const std::map<std::string, Tensor> arrays = ReadArrays("extended");
  int cases = 0, elements = 0, undefined = 0;
  const Json index = ReadJson("extended.json");
  for (const Json& row : index["cases"]) {
    const std::string name = row["case"];
    SCOPED_TRACE(name);
    const std::vector<float> x = FloatsOf(arrays.at(row["x"]));
    const LinearSpec spec{TypeNamed(row["zero_point_type"]), Numerics::kCompat};
    const Shape shape = row["shape"];
    const std::vector<double> wide_scales = Numbers(row["scale"]), zero_points = Numbers(row["zero_point"]);
    const std::vector<float> scales(wide_scales.begin(), wide_scales.end());
    const int64_t axis = row["attributes"].value("axis", 0);
    const ParamLayout layout =
        scales.size() == 1 ? ParamLayout::PerTensor(ElementCount(shape)) : *ParamLayout::PerAxis(shape, axis);
    std::vector<std::byte> codes(PackedSizeBytes(spec.type, ElementCount(shape)));
    const LinearParams params{scales, zero_points};
    ASSERT_TRUE(QuantizeTensor(spec, layout, params, x.data(), codes.data()).ok());
    std::vector<float> got(x.size()), scale_of(x.size()), together(x.size());
    ASSERT_TRUE(DequantizeTensor(spec, layout, params, codes.data(), got.data()).ok());
    ASSERT_TRUE(QuantizeDequantizeTensor(spec, layout, params, x.data(), together.data()).ok());
    layout.ForEachRun(x.data(), scale_of.data(), [&](const float*, int64_t count, int64_t param, float* out) {
      std::fill_n(out, count, scales[static_cast<size_t>(param)]);
    });
    const std::vector<float> wanted = FloatsOf(arrays.at(name + ".y"));
    const auto stored_codes = arrays.find(name + ".q");
    const size_t code_bytes = codes.size() / x.size();
    for (size_t i = 0; i < x.size(); ++i) {
      if (!MiniFloatOf(spec.type) && IsUndefined(x[i], scale_of[i])) {
        ++undefined;
        continue;
      }
      const bool same_nan = std::isnan(got[i]) && std::isnan(wanted[i]);
      EXPECT_TRUE(same_nan || got[i] == wanted[i]) << x[i] << ": " << got[i] << ", wanted " << wanted[i];
      EXPECT_TRUE(SameBits(together[i], got[i])) << x[i];
      if (stored_codes != arrays.end() && !same_nan) {
        EXPECT_EQ(std::memcmp(&codes[i * code_bytes], stored_codes->second.bytes().data() + i * code_bytes, code_bytes),
                  0)
            << x[i];
      }
      ++elements;
    }
    ++cases;
  }
  EXPECT_EQ(cases, 62);
  EXPECT_GT(elements, 5000);
  std::printf("%d cases, %d elements compared; %d left out, which are undefined in Quark\n", cases, elements,
              undefined);
}

}  // namespace
}  // namespace preon
