#include "instrument/run_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace preon {
namespace {

using std::chrono::milliseconds;

TEST(RunGate, PauseComesInBetweenRunsThatOverlapWithoutEnd) {
  RunGate gate;
  std::atomic<bool> stop = false;
  std::atomic<int> inside = 0, runs = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      while (!stop) {
        gate.Enter();
        ++inside;
        std::this_thread::sleep_for(milliseconds(1));
        --inside, ++runs;
        gate.Leave();
      }
    });
  }
  for (int pause = 0; pause < 20; ++pause) {
    ASSERT_TRUE(gate.Pause(milliseconds(60000)));
    EXPECT_EQ(inside, 0);
    const int before = runs;
    std::this_thread::sleep_for(milliseconds(2));
    EXPECT_EQ(runs, before);
    gate.Resume();
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(runs, 0);
}

TEST(RunGate, GivesUpOnALongRunAndLetsOthersIn) {
  RunGate gate;
  gate.Enter();
  EXPECT_FALSE(gate.Pause(milliseconds(5)));
  gate.Enter();  // would hang
  gate.Leave();
  gate.Leave();
  EXPECT_TRUE(gate.Pause(milliseconds(5)));
  gate.Resume();
}

}  // namespace
}  // namespace preon
