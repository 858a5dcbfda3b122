// A Timer calls a function after a delay (tp.timer/1), on the instance's callback thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "toolpost/ext/timer.h"

namespace toolpost {
inline namespace v1 {

// The destructor of a Timer stops the timer. After the Timer is destroyed, its function does not
// run any more. The function of a Timer can itself destroy the Timer or assign a new Timer to it,
// and then still runs to its end. A Timer must not outlive the instance.
class Timer {
 public:
  Timer() = default;
  Timer(const tp_timer_api* api, tp_host* host, std::chrono::milliseconds delay,
        std::chrono::milliseconds period, std::function<void()> act)
      : api_(api), host_(host), function_(std::make_shared<Function>(std::move(act))) {
    const auto whole = [](std::chrono::milliseconds time) {
      return static_cast<std::uint64_t>(time.count() < 0 ? 0 : time.count());
    };
    if (api_ != nullptr)
      id_ = api_->start(host_, whole(delay), whole(period), &call, function_.get());
  }
  Timer(Timer&& other) noexcept
      : api_(other.api_),
        host_(other.host_),
        id_(std::exchange(other.id_, 0)),
        function_(std::move(other.function_)) {}
  Timer& operator=(Timer&& other) noexcept {
    if (this == &other) return *this;
    stop();
    api_ = other.api_;
    host_ = other.host_;
    id_ = std::exchange(other.id_, 0);
    function_ = std::move(other.function_);
    return *this;
  }
  ~Timer() { stop(); }

  // Returns false if the host refused to start the timer.
  explicit operator bool() const { return id_ != 0; }
  void stop() {
    if (id_ != 0) api_->stop(host_, std::exchange(id_, 0));
  }

 private:
  struct Function : std::enable_shared_from_this<Function> {
    explicit Function(std::function<void()> run) : act(std::move(run)) {}
    std::function<void()> act;
  };

  // The function can destroy or replace its Timer, so this run keeps a reference to the function.
  static void call(void* function) noexcept {
    const auto kept = static_cast<Function*>(function)->shared_from_this();
    try {
      kept->act();
    } catch (...) {  // no caller can get the exception
    }
  }

  const tp_timer_api* api_ = nullptr;
  tp_host* host_ = nullptr;
  std::uint64_t id_ = 0;
  std::shared_ptr<Function> function_;
};

}  // namespace v1
}  // namespace toolpost
