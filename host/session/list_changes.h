// Who wants to hear that the list of tools changed. I/O thread only.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <utility>

namespace host::session {

class ListChanges {
  using Listener = std::function<void()>;
  using Listeners = std::list<std::shared_ptr<const Listener>>;

 public:
  // Stops listening when it goes away; may outlive the ListChanges.
  class [[nodiscard]] Registration {
   public:
    Registration() = default;
    Registration(Registration&& other) noexcept
        : listeners_(std::exchange(other.listeners_, nullptr)), at_(other.at_) {}
    Registration& operator=(Registration&& other) noexcept {
      reset();
      listeners_ = std::exchange(other.listeners_, nullptr);
      at_ = other.at_;
      return *this;
    }
    ~Registration() { reset(); }
    void reset();

   private:
    friend class ListChanges;
    Registration(std::shared_ptr<Listeners> listeners, Listeners::iterator at)
        : listeners_(std::move(listeners)), at_(at) {}
    std::shared_ptr<Listeners> listeners_;
    Listeners::iterator at_;
  };

  Registration add(Listener listener);
  // A listener may stop itself or others while it runs.
  void tell() const;
  std::size_t size() const { return listeners_->size(); }

 private:
  std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();
};

}  // namespace host::session
