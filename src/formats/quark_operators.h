// Names of Quark's operators, as its models and ours have them.
#pragma once

namespace preon {

inline constexpr char kQuarkDomain[] = "com.amd.quark";  ///< version 1
inline constexpr char kOlderQuarkDomain[] = "com.vai.quantize";
inline constexpr char kContribDomain[] = "com.microsoft";  ///< ONNX Runtime's own operators, version 1
inline constexpr char kBfpQuantizeDequantize[] = "BFPQuantizeDequantize";
inline constexpr char kMxQuantizeDequantize[] = "MXQuantizeDequantize";
inline constexpr char kExtendedQuantizeLinear[] = "ExtendedQuantizeLinear";
inline constexpr char kExtendedDequantizeLinear[] = "ExtendedDequantizeLinear";
inline constexpr char kVitisQuantizeLinear[] = "VitisQuantizeLinear";  ///< of the older domain
inline constexpr char kVitisDequantizeLinear[] = "VitisDequantizeLinear";
inline constexpr char kExtendedInstanceNormalization[] = "ExtendedInstanceNormalization";

}  // namespace preon
