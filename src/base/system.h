// Facts of the process and the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace preon {

/// Cores this process may use (affinity mask, quota of its control group), at least 1.
int AvailableCores();
/// Largest resident set of the process so far, in bytes.
int64_t PeakRssBytes();
/// Resident set now, in bytes.
int64_t CurrentRssBytes();
/// Seconds that this process's threads were ready to run while other programs had the cores, summed over the threads
/// that live; 0 where the kernel does not tell.
double SecondsWaitedForCores();
/// Seconds of processor time that the calling thread has used.
double ThreadSeconds();
/// "Intel(R) Xeon(R) …", empty if unknown.
std::string CpuModel();
/// Instruction sets of the processor that decide the speed of integer kernels; none on other processors than x86-64.
std::vector<std::string> CpuFeatures();
/// Gives freed heap pages and pages of mapped files back to the system, so that a finished stage does not count against
/// the next one's peak.
void ReleaseFreeMemory();
/// From now on freed blocks of 256 KB and more go back to the system at once, for a process in which copies of the
/// weights come and go. The whole process's allocator: for programs, not for libraries.
void ReturnLargeBlocksAtOnce();

}  // namespace preon
