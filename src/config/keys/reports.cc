// What a run tells.
#include "config/keys/key_setters.h"
#include "config/keys/key_spec.h"

namespace preon {
namespace {

constexpr KeySpec kReportsKeys[] = {
    {.name = "DebugMode",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "table per node instead of per op type",
     .here = "--verbose for this run, in Python on sys.stderr: rewrites, range methods with their SQNR, nodes with "
             "reasons, scales",
     .set =
         [](Options& o, const KeyValue& v) {
           o.debug = v.on;
           return Status::Ok();
         }},
    {.name = "EvalDataReader",
     .type = KeyType::kObject,
     .fallback = "null",
     .meaning = "data for EvalMetrics",
     .otherwise = "the calibration reader",
     .default_here = "a part of the samples that is kept from calibration and choices",
     .here = "--eval-data, with EvalMetrics; in Python an object with get_next()",
     .set = SetNothing},
    {.name = "EvalMetrics",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "compare float and quantized outputs (Quark tests presence only)",
     .here = "without EvalDataReader no effect: the result always compares float and quantized outputs if there are "
             "samples",
     .set = SetNothing},
    {.name = "IgnoreWarnings",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "hide Python ResourceWarning and UserWarning",
     .here = "no effect: warnings are part of the result",
     .set = SetNothing},
    {.name = "PrintSummary",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "print configuration and result tables",
     .here = "no effect: preon prints nothing; the caller prints the result",
     .set = SetNothing},
};

}  // namespace

std::span<const KeySpec> ReportsKeys() { return kReportsKeys; }

}  // namespace preon
