// The calls in progress, waiting or running, so that an operator can see them and cancel one.
// Each call is linked into a list while it is in progress. A nested call has its own entry. A post_
// tool is part of the call that it follows. I/O thread only.
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
  // Unlinks itself. If the list is destroyed first, it unlinks all entries.
  using Hook =
      boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

 public:
  // One call, from its arrival to its end. It may outlive the list, if the event loop destroys it.
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

  // Takes linear time.
  std::size_t size() const { return entries_.size(); }
  // At most `most` calls, oldest first. The pointers are valid until the event loop's next turn.
  std::vector<const tool::Call*> list(std::size_t most) const;
  // nullptr: no such call, or it was already cancelled.
  const tool::Call* find(std::string_view id) const;

  // Cancels the calls for which `whose` is true.
  void end_of(const std::function<bool(const tool::Call&)>& whose, Cancel::By by);
  void end_all(Cancel::By by);

  // From now on calls are refused. Nested calls are still accepted, because their outer call must
  // be able to end.
  void close() { closed_ = true; }
  bool refuses(const tool::Call& call) const { return closed_ && !call.passport->caller; }
  // Runs `act` once, as soon as no call is left. Replaces an earlier `act`.
  void when_none(std::function<void()> act);

  // Calls `act` once, at the next change. Replaces an earlier `act`.
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
