// Lets a tool's function be a coroutine, which can wait without blocking a thread.
//
//   toolpost::Task<std::string> fetch(Client& client, const Query& query, toolpost::Context& call)
//   {
//     const std::string page = co_await client.get(query.url);  // any awaitable
//     co_return std::string(toolpost::cut(page, 100));
//   }
//
// If the function is a coroutine, the call is pending from the first co_await that waits. The
// coroutine continues on the thread on which the awaitable resumes it. The call ends when the
// coroutine returns or throws. Arguments, State and Context exist until the end of the coroutine's
// call. Use Completion to await a callback.
#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

namespace toolpost {
inline namespace v1 {

template <class T = void>
class Task;

namespace detail {

template <class T>
struct TaskValue {
  std::variant<std::monostate, T, std::exception_ptr> outcome;

  template <class U>
  void return_value(U&& value) {
    outcome.template emplace<1>(std::forward<U>(value));
  }
  void unhandled_exception() noexcept { outcome.template emplace<2>(std::current_exception()); }
  T take() {
    if (outcome.index() == 2) std::rethrow_exception(std::get<2>(outcome));
    return std::move(std::get<1>(outcome));
  }
};

template <>
struct TaskValue<void> {
  std::exception_ptr failure;

  void return_void() noexcept {}
  void unhandled_exception() noexcept { failure = std::current_exception(); }
  void take() {
    if (failure) std::rethrow_exception(failure);
  }
};

template <class T>
struct TaskPromise : TaskValue<T> {
  std::coroutine_handle<> waiting;  // null: no coroutine awaits this task, and `finished` is called
  std::function<void()> finished;

  Task<T> get_return_object();
  std::suspend_always initial_suspend() noexcept { return {}; }

  struct Final {
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<TaskPromise> self) noexcept {
      TaskPromise& promise = self.promise();
      if (promise.waiting) return promise.waiting;
      // `finished` can destroy the coroutine, which owns `finished`. So the code first moves
      // `finished` out of the coroutine.
      const std::function<void()> tell = std::move(promise.finished);
      if (tell) tell();
      return std::noop_coroutine();
    }
    void await_resume() noexcept {}
  };
  Final final_suspend() noexcept { return {}; }
};

}  // namespace detail

// A Task is the result of a coroutine, which becomes available later. The coroutine begins when the
// Task is awaited, or when start() is called. Do not destroy a Task between the begin and the end
// of its coroutine.
template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::TaskPromise<T>;
  using Result = T;

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) noexcept {
    handle_.promise().waiting = waiting;
    return handle_;
  }
  T await_resume() { return handle_.promise().take(); }

  // start() runs the coroutine to its first wait. `finished` is called once, on the thread where
  // the coroutine ends. `finished` can be called before start() returns. After `finished` was
  // called, take() returns the result, or throws the exception of the coroutine.
  void start(std::function<void()> finished) {
    handle_.promise().finished = std::move(finished);
    handle_.resume();
  }
  T take() { return handle_.promise().take(); }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}

  std::coroutine_handle<promise_type> handle_;
};

template <class T>
Task<T> detail::TaskPromise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

// A Completion is a value that a callback sets and a coroutine awaits. Copies of a Completion share
// the same value. The waiting coroutine continues on the thread that calls finish() or fail(). If
// finish() or fail() was called before co_await, the coroutine does not wait. Any thread can call
// the functions of Completion. A second finish() is ignored. For example, the callback of a
// library calls answer.finish(value), and the coroutine gets the value from co_await answer.
template <class T>
class Completion {
 public:
  void finish(T value) {
    settle([&](Shared& shared) { shared.outcome.template emplace<1>(std::move(value)); });
  }
  void fail(std::exception_ptr why) {
    settle([&](Shared& shared) { shared.outcome.template emplace<2>(std::move(why)); });
  }

  bool await_ready() const { return false; }
  bool await_suspend(std::coroutine_handle<> waiting) {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->outcome.index() != 0) return false;
    shared_->waiting = waiting;
    return true;
  }
  T await_resume() {
    if (shared_->outcome.index() == 2) std::rethrow_exception(std::get<2>(shared_->outcome));
    return std::move(std::get<1>(shared_->outcome));
  }

 private:
  struct Shared {
    std::mutex mutex;  // guards the members below until the outcome is set
    std::variant<std::monostate, T, std::exception_ptr> outcome;
    std::coroutine_handle<> waiting;
  };

  template <class F>
  void settle(F&& set) {
    std::coroutine_handle<> waiting;
    {
      const std::lock_guard lock(shared_->mutex);
      if (shared_->outcome.index() != 0) return;
      set(*shared_);
      waiting = std::exchange(shared_->waiting, nullptr);
    }
    if (waiting) waiting.resume();
  }

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

}  // namespace v1
}  // namespace toolpost
