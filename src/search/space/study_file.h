// StudyFile: the trials of a search, a line of JSON each, so that a search that was ended anyhow can go on.
#pragma once

#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"
#include "report/results/search_result.h"
#include "search/space/search_space.h"

namespace preon {

class StudyFile {
 public:
  /// Reads what is there, or begins a file; a last line that a killed run left unfinished is removed.
  /// @param made_of  what a search depends on, by name; a file that was made of something else is an error
  /// Errors: kConflictingOptions for such a file and for one that another search writes to; kBadConfig for another kind
  /// of file; kIoRead, kIoWrite.
  static Result<StudyFile> Open(const std::string& path,
                                const std::vector<std::pair<std::string, std::string>>& made_of);

  const std::vector<Point>& points() const { return points_; }
  const std::vector<SearchTrial>& trials() const { return trials_; }

  /// On disk when it returns. Errors: kIoWrite.
  Status Append(const Point& point, const SearchTrial& trial);

 private:
  Status Read(const std::string& text, const std::string& header);
  Status Write(const std::string& line);

  std::string path_;
  Descriptor file_;
  size_t whole_ = 0;  // bytes of whole lines
  std::vector<Point> points_;
  std::vector<SearchTrial> trials_;
};

}  // namespace preon
