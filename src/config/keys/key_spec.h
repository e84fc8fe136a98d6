// The one description of every option that goes by Quark's name: extra_options, --option, Python's
// dictionaries, help, pages and messages all come from it. A group of them is one file beside this.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/key_type.h"
#include "config/options.h"

namespace preon {

/// The groups of Quark's option list, then what its algorithm objects write, then what is not on the list.
enum class KeyGroup : uint8_t {
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
inline constexpr std::array kKeyGroups = {std::string_view("preprocessing"), std::string_view("selection"),
                                          std::string_view("Q/DQ nodes"),    std::string_view("calibration"),
                                          std::string_view("bias"),          std::string_view("scales and types"),
                                          std::string_view("NPU"),           std::string_view("bfloat16 and blocks"),
                                          std::string_view("MatMulNBits"),   std::string_view("runtime"),
                                          std::string_view("reports"),       std::string_view("algorithms"),
                                          std::string_view("legacy")};

std::string_view KeyTypeName(KeyType type);

/// A value that fits its key.
struct KeyValue {
  bool on = false;                 ///< kFlag
  int64_t integer = 0;             ///< kInteger
  double number = 0;               ///< kNumber
  std::string text;                ///< kText: as the key spells it; else as given
  std::vector<std::string> texts;  ///< kTexts
};

/// Errors: those of the option that the key stands for, without the key's name.
using KeySetter = Status (*)(Options& options, const KeyValue& value);

struct KeySpec {
  std::string_view name;  ///< "A.B" is entry B of the table A, "A.*.B" of each of its entries
  KeyType type = KeyType::kFlag;
  std::string_view fallback;           ///< JSON of what counts where the key is absent
  std::string_view meaning;            ///< one clause
  std::string_view range = "";         ///< "LOW..HIGH", either may be missing, or "A|B|C"
  std::string_view otherwise = "";     ///< when another default counts
  std::string_view default_here = "";  ///< in words, where this version does otherwise; "" = the same
  bool ours = false;                   ///< Quark has no such key
  std::string_view here;               ///< what it is here, with its cost
  KeySetter set = nullptr;             ///< of entries of a table: that of the table
  bool short_form = false;             ///< of an entry that is a table: its reader also takes a text
  bool table_form = false;             ///< kText: its reader also takes a table
  bool of_algorithm = false;           ///< instead of `set`: an algorithm has it among its options

  /// By itself: no entry of a table.
  bool IsSettable() const { return name.find('.') == std::string_view::npos; }
  /// Accepted for the sake of scripts alone; `here` says why.
  bool HasNoEffect() const { return here.starts_with("no effect: "); }
};

std::span<const KeySpec> PreprocessingKeys();
std::span<const KeySpec> SelectionKeys();
std::span<const KeySpec> QdqNodesKeys();
std::span<const KeySpec> CalibrationKeys();
std::span<const KeySpec> BiasKeys();
std::span<const KeySpec> TypesKeys();
std::span<const KeySpec> NpuKeys();
std::span<const KeySpec> BlocksKeys();
std::span<const KeySpec> MatMulNBitsKeys();
std::span<const KeySpec> RuntimeKeys();
std::span<const KeySpec> ReportsKeys();
std::span<const KeySpec> AlgorithmsKeys();
std::span<const KeySpec> LegacyKeys();

}  // namespace preon
