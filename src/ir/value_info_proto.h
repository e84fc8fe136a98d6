// Types and shapes of values between preon and ONNX.
#pragma once

#include <onnx/onnx_pb.h>

#include "ir/graph.h"

namespace preon {

using ValueInfoProtos = google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>;

ValueInfo ReadValueInfo(const onnx::ValueInfoProto& proto);
void WriteValueInfo(const ValueInfo& info, onnx::ValueInfoProto* proto);

/// Adds what ValueInfo does not hold (metadata, denotations) to `residues`; nothing where there is nothing.
void KeepValueResidue(onnx::ValueInfoProto value, ValueInfoProtos* residues);
void MergeValueResidue(const onnx::ValueInfoProto& residue, onnx::ValueInfoProto* value);

}  // namespace preon
