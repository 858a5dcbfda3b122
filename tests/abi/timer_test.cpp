// A timer that its own function replaces or destroys.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>

#include "toolpost/toolpost.hpp"

namespace {

// The host's side of tp.timer/1: runs the last timer when a test says so.
struct Clock {
  void (*act)(void* context) = nullptr;
  void* context = nullptr;
};
Clock next_timer;

const tp_timer_api& timer_api() {
  static const tp_timer_api api = [] {
    tp_timer_api made{};
    made.struct_size = sizeof made;
    made.start = [](tp_host*, std::uint64_t, std::uint64_t, void (*act)(void*),
                    void* context) -> std::uint64_t {
      next_timer = {act, context};
      return 1;
    };
    made.stop = [](tp_host*, std::uint64_t) -> tp_status { return TP_OK; };
    return made;
  }();
  return api;
}

// What a function has captured, and must have until it has returned.
struct Capture {
  explicit Capture(bool* flag) : gone(flag) {}
  ~Capture() { *gone = true; }
  bool* gone;
};

TEST(Timer, ThatItsOwnFunctionSetsAnewRunsToItsEnd) {
  using namespace std::chrono_literals;
  toolpost::Timer timer;
  bool gone = false;
  int runs = 0;
  auto captured = std::make_shared<Capture>(&gone);
  timer = {&timer_api(), nullptr, 1ms, {}, [&, captured] {
             timer = {&timer_api(), nullptr, 1ms, {}, [&] { ++runs; }};
             EXPECT_FALSE(gone);
             ++runs;
           }};
  captured.reset();
  EXPECT_FALSE(gone);
  next_timer.act(next_timer.context);
  EXPECT_TRUE(gone);
  next_timer.act(next_timer.context);
  EXPECT_EQ(runs, 2);
}

TEST(Timer, ThatItsOwnFunctionDestroysRunsToItsEnd) {
  using namespace std::chrono_literals;
  std::optional<toolpost::Timer> timer;
  bool gone = false;
  auto captured = std::make_shared<Capture>(&gone);
  timer.emplace(&timer_api(), nullptr, 1ms, 0ms, [&timer, &gone, captured] {
    bool* const flag = &gone;
    timer.reset();
    EXPECT_FALSE(*flag);
  });
  captured.reset();
  next_timer.act(next_timer.context);
  EXPECT_TRUE(gone);
}

}  // namespace
