// RangeCollection: the collectors of a pass over the data, fed in the order of the data.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "calib/sketch_observer.h"
#include "calib/value_store.h"
#include "data/data_source.h"
#include "ranges/range_collector.h"

namespace preon {

class RangeCollection {
 public:
  /// collectors[i] is fed with tensors[i]; null: nobody wants its range. Errors: kIoWrite where values have to be kept.
  static Result<RangeCollection> Create(std::vector<std::string> tensors,
                                        std::vector<std::unique_ptr<RangeCollector>> collectors,
                                        const std::string& tmp_dir);

  /// A tensor's value in a run over `batch`. One at a time, runs in the order of the data.
  /// Infinities become the largest and smallest finite value of their portion, which is zeros where it has none. A
  /// value with NaN is not added: the run fails (SketchObserver). Errors: kIoWrite.
  Status Add(size_t index, const ObservedValue& value, const Batch& batch);
  /// Ranges of the tensors that had a value. Errors: those of the collectors, naming the tensor.
  Result<std::map<std::string, Range>> Finish();

 private:
  RangeCollection(std::vector<std::string> tensors, std::vector<std::unique_ptr<RangeCollector>> collectors)
      : tensors_(std::move(tensors)), collectors_(std::move(collectors)), fed_(tensors_.size()) {}
  Status AddPortion(size_t index, std::span<const float> portion);

  std::vector<std::string> tensors_;
  std::vector<std::unique_ptr<RangeCollector>> collectors_;
  std::vector<bool> fed_;
  std::unique_ptr<ValueStore> store_;
  std::vector<float> plain_, cleaned_;
};

/// Shows what it sees to the sketches and to the collectors. One run at a time.
class CollectingObserver final : public TensorObserver {
 public:
  CollectingObserver(SketchObserver& sketches, RangeCollection& collection)
      : sketches_(sketches), collection_(collection) {}
  void BeginRun(const Batch& batch);
  /// As SketchObserver's, or the first failure of the collection.
  Status EndRun();
  void Observe(size_t index, const ObservedValue& value, const ParallelFor& parallel_for) override;

 private:
  SketchObserver& sketches_;
  RangeCollection& collection_;
  const Batch* batch_ = nullptr;
  Status status_;
};

}  // namespace preon
