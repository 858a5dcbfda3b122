// The calls on their road now, waiting or running, so that an operator can see them and end one.
// To be registered is to be linked into a list. Nobody is told of anything unless somebody asked to
// be. A call that another makes has an entry of its own; a post_ tool is part of its action.
// I/O thread only.
#pragma once

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/call.h"

namespace host::router {

class LiveCalls {
  // Unlinks itself; a list that goes away first unlinks all that are in it.
  using Hook =
      boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

 public:
  // One call, from its arrival to its end. May end after the list: with the event loop.
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

  // `call` outlives the entry.
  Entry enter(tool::Call& call) { return Entry(*this, call); }
  void enter_phase(tool::Call& call, tool::Phase phase) {
    call.phase = phase;
    changed();
  }

  // Counts them, one by one.
  std::size_t size() const { return entries_.size(); }
  // The oldest first, `most` of them; good until the loop's next turn.
  std::vector<const tool::Call*> list(std::size_t most) const;
  // nullptr: no such call, or it was taken back already.
  const tool::Call* find(std::string_view id) const;

  // Ends those that are meant.
  void end_of(const std::function<bool(const tool::Call&)>& whose, Cancel::By by);
  void end_all(Cancel::By by);

  // From here on a call is refused, save one that a running call makes: that has to end first.
  void close() { closed_ = true; }
  bool refuses(const tool::Call& call) const { return closed_ && !call.caller; }
  // `act` runs once, as soon as there are none; in place of what was to run then.
  void when_none(std::function<void()> act);

  // Told of the next change, once; in place of who was to be told.
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
