// CollectedStatistics: what a calibration has collected for a request, beside ranges.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calib/calibration.h"
#include "calib/statistics_request.h"

namespace preon {

/// Of each channel of a tensor; +infinity and -infinity of one without finite values.
struct ChannelExtremes {
  std::vector<float> min, max;
};

/// By tensor. Tensors that no sample reached are missing.
struct CollectedStatistics {
  std::map<std::string, std::vector<double>> channel_means;
  std::map<std::string, ChannelExtremes> channel_extremes;
  SerializedStatistics others;

  /// `more` goes under what is there.
  void Add(CollectedStatistics more);
};

/// What `data` lack of the request. Of a tensor without values nothing is lacking.
StatisticsRequest LackedBy(const CalibrationData& data, const StatisticsRequest& request);

/// What `collected` lacks of the request, but for sketches, which it never has.
StatisticsRequest LackedBy(const CollectedStatistics& collected, StatisticsRequest request);

/// What `data` has of the request.
CollectedStatistics Collected(const CalibrationData& data, const StatisticsRequest& request);

}  // namespace preon
