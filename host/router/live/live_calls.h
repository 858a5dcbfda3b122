// LiveCalls is the list of the calls in progress, both waiting and running. An operator can see the
// calls in progress and cancel each of them. Nested calls are in the list too, but calls of post_
// tools are not, because a post_ tool runs as a part of another call. The functions of this header
// are called on the I/O thread.
#pragma once

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/call/call.h"

namespace host::router {

class LiveCalls {
  // The hook (of boost::intrusive) links an entry into the list. The destructor of an entry unlinks
  // the entry, and the destructor of the list unlinks all entries.
  using Hook =
      boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

 public:
  // One call, from its arrival to its end. When the host ends, the event loop may destroy an entry
  // after the list of calls.
  class [[nodiscard]] Entry : public Hook {
   public:
    Entry(LiveCalls& calls, tool::Call& call) : calls_(calls), call_(call) {
      calls_.entries_.push_back(*this);
      calls_.changed();
    }
    ~Entry() {
      if (!is_linked()) return;
      unlink();
      calls_.changed();
      calls_.tell_if_none();
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    friend class LiveCalls;
    LiveCalls& calls_;
    tool::Call& call_;
  };

  LiveCalls() = default;
  LiveCalls(const LiveCalls&) = delete;
  LiveCalls& operator=(const LiveCalls&) = delete;

  // `call` must outlive the entry.
  Entry enter(tool::Call& call) { return Entry(*this, call); }
  void enter_phase(tool::Call& call, tool::Phase phase) {
    call.phase = phase;
    changed();
  }

  // Returns the number of calls in progress, in a time proportional to that number.
  std::size_t size() const { return entries_.size(); }
  // Returns the oldest calls in order, but not more than `most`. The returned pointers are valid
  // until the I/O thread runs other code.
  std::vector<const tool::Call*> list(std::size_t most) const;
  // Returns nullptr if there is no such call, or if the call was already cancelled.
  const tool::Call* find(std::string_view id) const;

  // Cancels the calls for which `whose` returns true.
  void end_of(const std::function<bool(const tool::Call&)>& whose, Cancel::By by);
  void end_all(Cancel::By by);

  // After close(), the host refuses new calls. The host accepts nested calls even after close(),
  // because a running call can depend on the result of a nested call.
  void close() { closed_ = true; }
  bool refuses(const tool::Call& call) const { return closed_ && !call.passport->caller; }
  // Calls `act` once, as soon as no call is left. Another call of when_none() replaces `act`.
  void when_none(std::function<void()> act);

  // Calls `act` once, when the next call begins, ends or changes its phase. If tell_next() is
  // called again, the new `act` replaces the earlier function.
  void tell_next(std::function<void()> act) { next_ = std::move(act); }

 private:
  void changed() {
    if (next_) std::exchange(next_, nullptr)();
  }
  void tell_if_none() {
    if (entries_.empty() && none_) std::exchange(none_, nullptr)();
  }

  boost::intrusive::list<Entry, boost::intrusive::constant_time_size<false>> entries_;
  std::function<void()> next_;
  std::function<void()> none_;
  bool closed_ = false;
};

}  // namespace host::router
