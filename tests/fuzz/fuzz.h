// What a fuzz target defines; driver.cc calls it. One target per file, NAME_fuzz.cc, its seeds in corpus/NAME/.
#pragma once

#include <string>

namespace preon {

/// Reads the file as the product would. Must come back whatever the file holds; what a sanitizer reports, a crash, an
/// uncaught exception or a failed CHECK is a defect.
void FuzzOne(const std::string& path);

}  // namespace preon
