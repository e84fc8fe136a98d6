// Inside runtime/: the observing operators in their domain, as a session wants them.
#pragma once

#include "runtime/observe_add_op.h"
#include "runtime/observe_op.h"

namespace preon {

struct ObserveDomain {
  /// As for ObserveOp.
  ObserveDomain(TensorObserver* observer, int threads, size_t tensors)
      : observe(observer, threads, tensors),
        add(observer, threads, tensors, SumMemory::kOwn),
        add_in_place(observer, threads, tensors, SumMemory::kInput0),
        domain(kObserveDomain) {
    domain.Add(&observe);
    domain.Add(&add);
    domain.Add(&add_in_place);
  }
  ObserveOp observe;
  ObserveAddOp add, add_in_place;
  Ort::CustomOpDomain domain;
};

}  // namespace preon
