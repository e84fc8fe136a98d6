#include "algorithms/last_axis_squares.h"

#include <cmath>
#include <memory>

#include "algorithms/last_axis_kinds.h"
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
    const size_t size = squares_.sums.size();
    const std::optional<size_t> rows = LastAxisRows(layout, size);
    if (!rows) {
      squares_.sums.clear();
      return Status::Ok();
    }
    std::vector<double> of_run(size);  // in double, whose order a run has: exact sums take ten times as long
    for (size_t row = 0; row < *rows; ++row, values += size) {
      for (size_t i = 0; i < size; ++i) {
        const double square = double{values[i]} * double{values[i]};
        if (std::isfinite(square)) of_run[i] += square;
      }
    }
    for (size_t i = 0; i < size; ++i) squares_.sums[i].Add(of_run[i]);
    squares_.rows += *rows;
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

}  // namespace

const StatisticKind& LastAxisSquares(int64_t size) {
  static LastAxisKinds kinds("last-axis-squares", [](size_t of) -> std::unique_ptr<TensorStatistic> {
    return std::make_unique<LastAxisSquaresStatistic>(of);
  });
  return kinds.Of(size);
}

std::vector<double> ParseLastAxisSquares(std::string_view serialized) {
  const Result<SumsOfSquares> squares = Read(serialized);
  if (!squares.ok() || squares->rows == 0) return {};
  std::vector<double> means;
  for (const FixedSum& sum : squares->sums) means.push_back(sum.ToDouble() / static_cast<double>(squares->rows));
  return means;
}

}  // namespace preon
