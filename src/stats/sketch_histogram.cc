#include "stats/sketch_histogram.h"

namespace preon {

double Histogram::total() const {
  double total = 0;
  for (const double count : counts) total += count;
  return total;
}

}  // namespace preon
