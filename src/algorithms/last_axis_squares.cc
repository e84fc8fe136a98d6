#include "algorithms/last_axis_squares.h"

#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "base/text.h"
#include "stats/fixed_sum.h"

namespace preon {
namespace {

struct SumsOfSquares {
  std::vector<FixedSum> sums;  // empty: not known
  uint64_t rows = 0;
};

std::string Write(const SumsOfSquares& squares) {
  WireWriter out;
  out.Varint(squares.rows);
  out.Varint(squares.sums.size());
  for (const FixedSum& sum : squares.sums) sum.Write(out);
  return out.Take();
}

Result<SumsOfSquares> Read(std::string_view serialized) {
  WireReader in(serialized);
  SumsOfSquares squares;
  squares.rows = in.Varint();
  for (uint64_t left = in.Varint(); left > 0 && in.ok(); --left) squares.sums.push_back(FixedSum::Read(in));
  if (!in.ok() || in.left() != 0) return Error(ErrorId::kCalibFileMalformed, "mean squares: got malformed bytes");
  return squares;
}

class LastAxisSquaresStatistic final : public TensorStatistic {
 public:
  explicit LastAxisSquaresStatistic(size_t size) : squares_{std::vector<FixedSum>(size)} {}

  Status Update(const float* values, const ChannelLayout& layout, const ParallelFor&) override {
    const auto count = static_cast<size_t>(layout.samples * layout.outer * layout.channels * layout.inner);
    const size_t size = squares_.sums.size();
    // Row-major as the graph has it, or in blocks of channels.
    if (layout.block != 1 || (size != 0 && count % size != 0)) squares_.sums.clear();
    if (squares_.sums.empty()) return Status::Ok();
    std::vector<double> of_run(size);  // in double, whose order a run has: exact sums take ten times as long
    for (size_t row = 0; row < count; row += size) {
      for (size_t i = 0; i < size; ++i) {
        const double square = double{values[row + i]} * double{values[row + i]};
        if (std::isfinite(square)) of_run[i] += square;
      }
    }
    for (size_t i = 0; i < size; ++i) squares_.sums[i].Add(of_run[i]);
    squares_.rows += count / size;
    return Status::Ok();
  }

  Status Merge(std::string_view serialized) override {
    PREON_ASSIGN_OR_RETURN(const SumsOfSquares other, Read(serialized));
    if (other.sums.size() != squares_.sums.size()) squares_.sums.clear();
    for (size_t i = 0; i < squares_.sums.size(); ++i) squares_.sums[i].Merge(other.sums[i]);
    squares_.rows += other.rows;
    return Status::Ok();
  }

  std::string Serialize() const override { return Write(squares_); }

 private:
  SumsOfSquares squares_;
};

class LastAxisSquaresKind final : public StatisticKind {
 public:
  explicit LastAxisSquaresKind(int64_t size) : size_(size), name_(StrCat("last-axis-squares-", size)) {}
  std::string_view name() const override { return name_; }
  std::unique_ptr<TensorStatistic> Make() const override {
    return std::make_unique<LastAxisSquaresStatistic>(static_cast<size_t>(size_));
  }

 private:
  int64_t size_;
  std::string name_;
};

}  // namespace

const StatisticKind& LastAxisSquares(int64_t size) {
  static std::mutex mutex;
  static std::map<int64_t, std::unique_ptr<LastAxisSquaresKind>> kinds;
  const std::lock_guard lock(mutex);
  std::unique_ptr<LastAxisSquaresKind>& kind = kinds[size];
  if (kind == nullptr) kind = std::make_unique<LastAxisSquaresKind>(size);
  return *kind;
}

std::vector<double> ParseLastAxisSquares(std::string_view serialized) {
  const Result<SumsOfSquares> squares = Read(serialized);
  if (!squares.ok() || squares->rows == 0) return {};
  std::vector<double> means;
  for (const FixedSum& sum : squares->sums) means.push_back(sum.ToDouble() / static_cast<double>(squares->rows));
  return means;
}

}  // namespace preon
