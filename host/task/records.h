// Keeps the records of calls that outlive their request, in memory and in the host's store. The
// functions of Records are called on the I/O thread.
//
// A change of a record is visible in memory immediately. The changes of records are written to the
// store in their order. Changes of many records are committed together. Await kept() before you
// report a record's change to a client, so that the change survives a crash. Each change is a
// compare-and-swap in memory and in the store, because the change contains the version of the
// record that it is based on.
//
// A record leaves memory only when its final state is stored, or if it was never stored. Code that
// waits for a record, or that keeps data about a record, also listens to on_gone().
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/desk.h"
#include "store/part/record_store.h"
#include "store/part/webhook_store.h"
#include "task/open_records.h"
#include "tool/call/record.h"

namespace host::task {

class Records {
 public:
  // `clock` must outlive the Records.
  Records(boost::asio::any_io_executor executor, const Clock& clock);
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  // After keep_in(), the Records object stores records in `desk`, for the host at `address`. The
  // function keep_in() blocks, because it loads the stored records.
  Result<void> keep_in(std::shared_ptr<store::Desk> desk, std::string address);
  bool is_stored() const { return desk_ != nullptr; }

  // Adds a record with a new id. `by` says who made the record, and is stored in the record's first
  // transition.
  RecordPtr add(tool::Record record, std::string_view by);
  // change() replaces a record by a changed copy of the record. The function change() returns an
  // Error and changes nothing in three cases: the record has changed since it was copied, the
  // record was removed (NotFound), or transitions.h does not allow the change (InvalidArgument).
  Result<RecordPtr> change(tool::Record next, std::string_view by);
  // Call clear_twin() when the result of a record was delivered. After clear_twin(), no call can
  // find the record by its `twin`.
  void clear_twin(const std::string& id);
  // Records a heartbeat in memory only, without a new version of the record. The function
  // last_beat() returns the heartbeat immediately, flush_beats() stores the heartbeat, and the
  // record's next change contains it.
  void beat(const std::string& id, std::optional<std::uint64_t> client_clock);
  struct LastBeat {
    SteadyTime steady{};  // time by this process's clock; after a restart: time of the start
    WallTime at{};        // {}: no heartbeat yet
    std::optional<std::uint64_t> client_clock;
  };
  LastBeat last_beat(std::string_view id) const;
  // Sets the time since the record's last heartbeat or last change of state back to zero.
  void begin_time_anew(const std::string& id);
  void flush_beats();
  // Returns true if some changes are not stored, because a write failed. write_again() tries to
  // store them again.
  bool has_failed() const { return !failed_.empty(); }
  void write_again();
  // Removes ended records. remove() ignores a record if the store does not contain the record's
  // end.
  void remove(const std::vector<std::string>& ids);
  // Removes a record that is not in the store, because the record's call is not accepted. The
  // function withdraw() does nothing and returns false if the store contains the record.
  bool withdraw(const std::string& id);
  // Removes expired records. If the call of an expired record has not ended, expire() ends the
  // record with the code kExpired, and does not remove it.
  void expire();

  // Waits until all changes of a record are stored, if there is a store. Returns an Error if the
  // changes could not be stored.
  boost::asio::awaitable<Result<void>> kept(std::string id);
  // Waits until a new record is in the store. added() does not wait for later changes of the
  // record. The Error Cancelled means that the record was removed.
  boost::asio::awaitable<Result<void>> added(std::string id);

  RecordPtr find(std::string_view id) const;
  // Returns all records of a principal, the oldest first.
  std::vector<RecordPtr> of(std::string_view principal) const;
  // Calls `visit` for the principal's records whose end is stored, until `visit` returns false.
  // `visit` gets no records of tasks. `visit` gets the records in the order in which they ended.
  void each_ended_of(std::string_view principal,
                     const std::function<bool(const RecordPtr& record)>& visit) const;
  // Returns all records that have not ended, in no particular order.
  std::vector<RecordPtr> open() const { return open_.all(); }
  // Returns the open records of one session. open_in() must be quick, because many sessions can end
  // at the same time.
  std::vector<RecordPtr> open_in(std::string_view session) const {
    return open_.of_session(session);
  }
  // Returns all records that have ended, in no particular order.
  std::vector<RecordPtr> ended() const;

  struct Sizes {
    std::size_t tasks = 0;       // number of records that are MCP tasks
    std::size_t detached = 0;    // number of all other records
    std::size_t task_bytes = 0;  // bytes of arguments and outcomes of tasks
    std::size_t bytes = 0;       // bytes of arguments and outcomes of all other records
  };
  Sizes sizes() const { return all_; }
  Sizes sizes_of(const std::string& principal) const;

  // The functions below return transitions from the store. The returned list is empty if there is
  // no store.
  using Transitions = std::vector<tool::Transition>;
  boost::asio::awaitable<Result<Transitions>> transitions_after(std::string session,
                                                                std::uint64_t seq,
                                                                std::uint32_t limit);
  boost::asio::awaitable<Result<Transitions>> ends_after(std::string session, std::uint64_t seq,
                                                         std::uint32_t limit);

  // Makes the webhook event about a transition. The event is stored in the same transaction as the
  // transition. The Records object calls the function Announce when a write is submitted, and again
  // when a failed write is submitted again.
  using Announce = std::function<std::optional<store::WebhookEvent>(
      const tool::Record& record, const tool::Transition& transition)>;
  void announce_by(Announce announce) { announce_ = std::move(announce); }

  // Sets a function that the Records object calls with each new record, so that other code can add
  // data to the record, for example webhooks.
  void complete_by(std::function<void(tool::Record& record)> complete) {
    complete_ = std::move(complete);
  }

  // The Records object calls the listener with each changed record, when the change is stored.
  using OnChange = std::function<void(const RecordPtr& record)>;
  void on_change(OnChange listener) { on_change_.push_back(std::move(listener)); }
  // The Records object calls the listener with each transition when the transition is stored, in
  // the order of the transitions' numbers.
  using OnTransition = std::function<void(const tool::Transition& transition)>;
  void on_transition(OnTransition listener) { on_transition_.push_back(std::move(listener)); }
  // The Records object calls the listener when a record has left memory, and when a record has
  // expired before its call ended. The listener runs in a later iteration of the event loop.
  void on_gone(OnChange listener) { on_gone_.push_back(std::move(listener)); }
  // The Records object calls the listener when changes could not be stored, so that the listener
  // calls write_again() later.
  void on_failure(std::function<void()> listener) { on_failure_ = std::move(listener); }

 private:
  struct Entry {
    RecordPtr record;
    std::uint64_t stored = 0;  // the version in the store; 0: the store does not have the record
    bool changed = false;      // true: the store lacks the newest version
    LastBeat beat;
    std::vector<tool::Transition> unwritten;
    std::optional<Error> failed;  // the Error of the last write
    std::uint64_t clashes = 0;    // number of changes that failed because another host was first

    bool has_stored_end() const {
      return record->is_over() && !changed && stored == record->version;
    }
  };
  struct Owned {
    Sizes sizes;
    std::set<std::pair<WallTime, std::string>> ids;    // all, by the time of their creation
    std::set<std::pair<WallTime, std::string>> ended;  // without tasks, by the time of their end
  };
  using Written = std::vector<store::RecordWritten>;
  using Taken = std::vector<store::RecordWrite>;
  using EventsOf = std::vector<std::vector<store::WebhookEvent>>;  // the events of each write

  Entry* entry(std::string_view id);
  using IsStored = bool (*)(const Entry& at);
  boost::asio::awaitable<Result<void>> wait_for_store(std::string id, IsStored has_it);
  boost::asio::awaitable<Result<Transitions>> ask_for(store::Desk::Act<Transitions> act);
  void put(Entry& at, RecordPtr record);
  void count(const tool::Record& record, bool add);
  void drop(const std::string& id);
  void forget(const std::vector<std::string>& ids);
  void end_expired(const tool::Record& record);
  void tell_gone(const RecordPtr& record);
  void mark(const std::string& id);
  void flush();
  EventsOf events_of(const Taken& taken) const;
  void written(const std::shared_ptr<Taken>& taken, const Result<Written>& done);
  void clashed(Entry& at);
  boost::asio::awaitable<void> load_again(std::string id);
  void tell(const Entry& at, const Transitions& numbered) const;

  const boost::asio::any_io_executor executor_;
  const Clock& clock_;
  std::shared_ptr<store::Desk> desk_;  // null: there is no store
  std::string address_;
  std::unordered_map<std::string, Entry> entries_;
  std::map<std::string, Owned, std::less<>> by_principal_;
  std::set<std::pair<WallTime, std::string>> by_expiry_;
  OpenRecords open_;
  std::unordered_set<std::string> failed_;  // ids whose last write failed
  std::unordered_set<std::string> beats_;   // ids with a heartbeat that the store does not have
  Sizes all_;
  std::vector<std::string> to_write_;
  bool writing_ = false;
  std::shared_ptr<boost::asio::steady_timer> next_write_;  // cancelled at the end of each write
  std::function<void(tool::Record& record)> complete_;  // null: new records need no additional data
  Announce announce_;                                   // null: there are no webhook events
  std::vector<OnChange> on_change_;
  std::vector<OnTransition> on_transition_;
  std::vector<OnChange> on_gone_;
  std::function<void()> on_failure_;  // null: no listener
};

}  // namespace host::task
