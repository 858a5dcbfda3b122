// A Cancel says whether one call was cancelled, and notifies code that waits for the cancellation.
// Any thread can call requested(), because plugins poll it. Call all other functions of a Cancel
// only on the I/O thread.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <utility>

namespace host {

class Cancel {
 public:
  // The destructor of a Registration removes the callback. A Registration and its Cancel share the
  // list of callbacks, so the Registration can outlive the Cancel.
  class [[nodiscard]] Registration {
   public:
    Registration() = default;
    Registration(Registration&& other) noexcept
        : list_(std::exchange(other.list_, nullptr)), at_(other.at_) {}
    Registration& operator=(Registration&& other) noexcept {
      reset();
      list_ = std::exchange(other.list_, nullptr);
      at_ = other.at_;
      return *this;
    }
    ~Registration() { reset(); }
    void reset() {
      if (list_) list_->erase(at_);
      list_ = nullptr;
    }

   private:
    friend class Cancel;
    using List = std::list<std::function<void()>>;
    Registration(std::shared_ptr<List> list, List::iterator at) : list_(std::move(list)), at_(at) {}
    std::shared_ptr<List> list_;
    List::iterator at_;
  };

  // The enumeration By says which party cancelled the call. The value Asker means that the caller
  // cancelled its own call, so the caller gets no response. If another party cancels the call, the
  // caller gets a response with the reason. The value Operator means that an operator cancelled the
  // call. The value Stop means that the host stops. The value Credential means that the key, login
  // or token of the call is no longer valid.
  enum class By { Asker, Operator, Stop, Credential };

  bool requested() const noexcept {
    return requested_.load(std::memory_order_relaxed);
  }  // any thread can call it
  By by() const { return by_; }

  // Runs every callback once. If the cancellation was already requested, request() has no effect.
  void request(By by = By::Asker) {
    if (requested_.exchange(true, std::memory_order_relaxed)) return;
    by_ = by;
    const auto callbacks = callbacks_;  // a callback may destroy the call that owns this object
    if (!callbacks) return;
    const Registration::List now = *callbacks;
    for (const auto& callback : now) callback();
  }

  // Takes the request back. After take_back(), the cancellation is not requested, and a new
  // request() runs the callbacks again. Call take_back() only if all code that waits for this
  // Cancel can keep waiting.
  void take_back() {
    by_ = By::Asker;
    requested_.store(false, std::memory_order_relaxed);
  }

  // Calls `callback` when the call is cancelled. If the call is already cancelled, on_cancel()
  // calls `callback` immediately.
  Registration on_cancel(std::function<void()> callback) {
    if (requested()) {
      callback();
      return {};
    }
    if (!callbacks_) callbacks_ = std::make_shared<Registration::List>();
    return {callbacks_, callbacks_->insert(callbacks_->end(), std::move(callback))};
  }

 private:
  std::atomic<bool> requested_ = false;
  By by_ = By::Asker;
  std::shared_ptr<Registration::List> callbacks_;
};

}  // namespace host
