// Calls a function when an event loop is destroyed. Use a LoopEnd as a member of an object that
// waits for events of the loop and owns callbacks. The LoopEnd's function must release the
// callbacks, because a callback can own the object, for example through the frame of a coroutine.
// The functions of this header are called on the loop's thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>

#include <functional>
#include <unordered_set>
#include <utility>

namespace host {

class LoopEnd {
 public:
  // Calls `act` once, or never if the LoopEnd is destroyed before the loop. When `act` runs, no
  // further handler of the loop will run, but handlers that have not run may still exist.
  LoopEnd(const boost::asio::any_io_executor& loop, std::function<void()> act)
      : act_(std::move(act)), service_(&boost::asio::use_service<Service>(loop.context())) {
    service_->ends.insert(this);
  }
  ~LoopEnd() {
    if (service_) service_->ends.erase(this);
  }
  LoopEnd(const LoopEnd&) = delete;
  LoopEnd& operator=(const LoopEnd&) = delete;

 private:
  // The loop owns its services, and calls shutdown() first of all when it is destroyed.
  class Service : public boost::asio::execution_context::service {
   public:
    static inline boost::asio::execution_context::id id;
    explicit Service(boost::asio::execution_context& loop) : service(loop) {}
    std::unordered_set<LoopEnd*> ends;

   private:
    void shutdown() override {
      while (!ends.empty()) {  // an `act` can destroy other objects with a LoopEnd
        LoopEnd* const one = *ends.begin();
        ends.erase(one);
        one->service_ = nullptr;
        const auto act = std::exchange(one->act_, nullptr);
        act();
      }
    }
  };

  std::function<void()> act_;
  Service* service_;  // null: the loop was destroyed
};

}  // namespace host
