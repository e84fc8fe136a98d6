// What stands around a node of the Q/DQ form: the codes that it reads through a DequantizeLinear, and those that a
// QuantizeLinear makes of its result.
#pragma once

#include <optional>
#include <string>

#include "formats/int_format.h"
#include "formats/tensor_type.h"
#include "ir/graph.h"

namespace preon {

/// A tensor's codes, with constant scales and zero points.
struct CodedTensor {
  std::string codes, scale, zero_point;
  DataType type = DataType::kUndefined;
  int64_t axis = 1;  ///< where there are several scales; may count from the end
  int64_t scales = 1;

  bool per_tensor() const { return scales == 1; }
  bool is_byte() const { return IsByte(type); }
};

/// Of a tensor that a DequantizeLinear writes, which has one scale per tensor or axis.
std::optional<CodedTensor> DequantizedFrom(const Graph& graph, const std::string& tensor);
/// The QuantizeLinear that alone reads a tensor; null where there are other readers, or it is a graph output.
Node* OnlyQuantizer(const Graph& graph, const std::string& tensor);
/// What that one writes.
std::optional<CodedTensor> QuantizedInto(const Graph& graph, const std::string& tensor);
/// Scale and zero point of integer codes, with what their type can hold.
struct IntegerCodes {
  QuantParams params;
  IntFormat format;
};
/// Of the first quantizer behind a tensor, with one scale; nullopt where there is none, or its codes are no integers.
std::optional<IntegerCodes> IntegerCodesOf(const Graph& graph, const std::string& tensor);
/// A QuantizeLinear of `tensor` and its DequantizeLinear, which writes `result` and is given back. They stand at the
/// end: SortTopologically() must follow, as behind each pass.
Node* AddPair(Graph& graph, const std::string& tensor, const std::string& scale, const std::string& zero_point,
              const std::string& result);
/// Operators of the standard that give out elements of their input 0 as they are, so that they can run on codes.
bool MovesElements(const Node& node);
/// Have two constants the same type and values? Their shapes may differ.
bool SameConstant(const Graph& graph, const std::string& a, const std::string& b);
/// Do the same codes mean the same values?
bool SameMeaning(const Graph& graph, const CodedTensor& a, const CodedTensor& b);

}  // namespace preon
