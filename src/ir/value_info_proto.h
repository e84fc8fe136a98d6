// Types and shapes of values between preon and ONNX.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>

#include "ir/graph.h"

namespace preon {

using ValueInfoProtos = google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>;

ValueInfo ReadValueInfo(const onnx::ValueInfoProto& proto);
void WriteValueInfo(const ValueInfo& info, onnx::ValueInfoProto* proto);

/// Adds what ValueInfo does not hold (metadata, denotations) to `residues`; nothing where there is nothing.
void KeepValueResidue(onnx::ValueInfoProto value, ValueInfoProtos* residues);
void MergeValueResidue(const onnx::ValueInfoProto& residue, onnx::ValueInfoProto* value);

/// The values of a graph written so far, with what the file said about them beyond ValueInfo. Both arguments outlive
/// it.
class ValueWriter {
 public:
  ValueWriter(const Graph& graph, const onnx::GraphProto& residue);

  bool HasResidue(const std::string& tensor) const { return residues_.count(tensor) > 0; }
  void Add(const std::string& tensor, ValueInfoProtos* values) const;
  /// Under another name, without what only the file said.
  void AddAs(const std::string& name, const std::string& tensor, ValueInfoProtos* values) const;

 private:
  const Graph& graph_;
  std::map<std::string, const onnx::ValueInfoProto*> residues_;
};

}  // namespace preon
