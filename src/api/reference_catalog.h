// Every key of the reference's extra_options (release 0.13), whether this version has it or not.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace preon {

/// The groups of its option list, then what its algorithm objects write, then what is not on the list.
enum class ReferenceCategory : uint8_t {
  kPreprocessing,
  kSelection,
  kQdqNodes,
  kCalibration,
  kBias,
  kTypes,
  kNpu,
  kBlocks,
  kMatMulNBits,
  kRuntime,
  kReports,
  kAlgorithms,
  kLegacy,
};
inline constexpr std::array kReferenceCategories = {
    std::string_view("preprocessing"),
    std::string_view("selection"),
    std::string_view("Q/DQ nodes"),
    std::string_view("calibration"),
    std::string_view("bias"),
    std::string_view("scales and types"),
    std::string_view("NPU"),
    std::string_view("bfloat16 and blocks"),
    std::string_view("MatMulNBits"),
    std::string_view("runtime"),
    std::string_view("reports"),
    std::string_view("algorithms"),
    std::string_view("legacy")};

struct CatalogKey {
  std::string_view name;
  ReferenceCategory category;
  std::string_view fallback;  ///< what counts where the key is absent, as text or JSON
};

std::span<const CatalogKey> ReferenceCatalog();

}  // namespace preon
