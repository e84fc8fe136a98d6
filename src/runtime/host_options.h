// Inside runtime/: a copy of the session options of the program that has loaded preon as a custom-operator library.
#pragma once

#include "runtime/ort_guard.h"

namespace preon {

struct HostOptions {
  Ort::SessionOptions options;
};

}  // namespace preon
