// The records of calls that outlive their request, in memory and in the host's store. I/O thread
// only.
//
// A change is visible at once and is written to the store in the order of the changes. Changes of
// many records are committed together. Await kept() before you report a change to a client, so that
// the change survives the host. Each change is a compare and swap: it names the version that it was
// made from, in memory and in the store.
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
#include "tool/call/record.h"

namespace host::task {

using RecordPtr = std::shared_ptr<const tool::Record>;

class Records {
 public:
  // `clock` outlives it.
  Records(boost::asio::any_io_executor executor, const Clock& clock);
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  // Stores records in `desk` from now on, for `address`, and loads the stored ones, which blocks.
  Result<void> keep_in(std::shared_ptr<store::Desk> desk, std::string address);
  bool is_stored() const { return desk_ != nullptr; }

  // Adds a record with a new id. `by`: who made the record, for its first transition.
  RecordPtr add(tool::Record record, std::string_view by);
  // Replaces a record by a changed copy of it. An error, and nothing changes: the record has
  // changed since it was copied, or it is gone (NotFound), or the table does not allow the change
  // (InvalidArgument).
  Result<RecordPtr> change(tool::Record next, std::string_view by);
  // The result of a record was delivered. From now on no call can find the record by its twin.
  void clear_twin(const std::string& id);
  // Notes a heartbeat in memory only, without a new version. flush_beats() stores it. The record
  // contains it from its next change on; last_beat() returns it at once.
  void beat(const std::string& id, std::optional<std::uint64_t> client_clock);
  struct LastBeat {
    SteadyTime steady{};  // of this process. After a restart: the time of the start
    WallTime at{};        // {}: none
    std::optional<std::uint64_t> client_clock;
  };
  LastBeat last_beat(std::string_view id) const;
  void flush_beats();
  // Some changes are not stored, because a write failed. write_again() tries once more.
  bool has_failed() const { return !failed_.empty(); }
  void write_again();
  void remove(const std::vector<std::string>& ids);
  // Removes expired records and returns their ids.
  std::vector<std::string> expire();

  // Waits until all changes of this record are stored, if there is a store. An error: they are not.
  boost::asio::awaitable<Result<void>> kept(std::string id);
  // Waits until this new record is stored, whatever changes of it are not stored yet. Cancelled: it
  // was removed.
  boost::asio::awaitable<Result<void>> added(std::string id);

  RecordPtr find(std::string_view id) const;
  // All records of a principal, oldest first.
  std::vector<RecordPtr> of(std::string_view principal) const;
  // The records of a principal that have ended, except those of tasks: the oldest first, until
  // `visit` returns false.
  void each_ended_of(std::string_view principal,
                     const std::function<bool(const RecordPtr& record)>& visit) const;
  // All records that have not ended, in no order.
  std::vector<RecordPtr> open() const;
  // All records that have ended, in no order.
  std::vector<RecordPtr> ended() const;

  struct Sizes {
    std::size_t tasks = 0;     // made by clients with tasks
    std::size_t detached = 0;  // all others
    std::size_t bytes = 0;     // of arguments and outcomes
  };
  Sizes sizes() const { return all_; }
  Sizes sizes_of(const std::string& principal) const;

  // Of the store. Empty if nothing is stored.
  using Transitions = std::vector<tool::Transition>;
  boost::asio::awaitable<Result<Transitions>> transitions_after(std::string session,
                                                                std::uint64_t seq,
                                                                std::uint32_t limit);
  boost::asio::awaitable<Result<Transitions>> ends_after(std::string session, std::uint64_t seq,
                                                         std::uint32_t limit);

  // Makes the event that webhooks are told with a transition; it is stored in the same transaction.
  // Called when the write is submitted, again if an earlier write failed.
  using Announce = std::function<std::optional<store::WebhookEvent>(
      const tool::Record& record, const tool::Transition& transition)>;
  void announce_by(Announce announce) { announce_ = std::move(announce); }

  // Completes each record that is added.
  void complete_by(std::function<void(tool::Record& record)> complete) {
    complete_ = std::move(complete);
  }

  // Called with each record that was changed, once the change is stored.
  using OnChange = std::function<void(const RecordPtr& record)>;
  void on_change(OnChange listener) { on_change_.push_back(std::move(listener)); }
  // Called with each transition, once it is stored, in the order of the numbers.
  using OnTransition = std::function<void(const tool::Transition& transition)>;
  void on_transition(OnTransition listener) { on_transition_.push_back(std::move(listener)); }

 private:
  struct Entry {
    RecordPtr record;
    std::uint64_t stored = 0;  // the version in the store; 0: none
    bool changed = false;      // the store does not have the newest version
    LastBeat beat;
    std::vector<tool::Transition> unwritten;
    std::optional<Error> failed;  // of the last write
    std::uint64_t clashes = 0;    // changes that were lost to another host
  };
  struct Owned {
    Sizes sizes;
    std::set<std::pair<WallTime, std::string>> ids;    // by creation
    std::set<std::pair<WallTime, std::string>> ended;  // only ended records, without tasks
  };
  using Written = std::vector<store::RecordWritten>;
  using Taken = std::vector<store::RecordWrite>;
  using EventsOf = std::vector<std::vector<store::WebhookEvent>>;  // of each write

  Entry* entry(std::string_view id);
  using IsStored = bool (*)(const Entry& at);
  boost::asio::awaitable<Result<void>> wait_for_store(std::string id, IsStored has_it);
  void put(Entry& at, RecordPtr record);
  void count(const tool::Record& record, bool add);
  void drop(const std::string& id);
  void mark(const std::string& id);
  void flush();
  EventsOf events_of(const Taken& taken) const;
  void written(const std::shared_ptr<Taken>& taken, const Result<Written>& done);
  void clashed(Entry& at);
  boost::asio::awaitable<void> load_again(std::string id);
  void tell(const Entry& at, const Transitions& numbered) const;

  const boost::asio::any_io_executor executor_;
  const Clock& clock_;
  std::shared_ptr<store::Desk> desk_;  // null: nothing is stored
  std::string address_;
  std::unordered_map<std::string, Entry> entries_;
  std::map<std::string, Owned, std::less<>> by_principal_;
  std::set<std::pair<WallTime, std::string>> by_expiry_;
  std::unordered_set<std::string> open_;
  std::unordered_set<std::string> failed_;  // ids whose last write failed
  std::unordered_set<std::string> beats_;   // ids with a heartbeat that the store does not have
  Sizes all_;
  std::vector<std::string> to_write_;
  bool writing_ = false;
  std::shared_ptr<boost::asio::steady_timer> next_write_;  // cancelled at the end of each write
  std::function<void(tool::Record& record)> complete_;     // null: they are complete
  Announce announce_;                                      // null: nobody is told
  std::vector<OnChange> on_change_;
  std::vector<OnTransition> on_transition_;
};

}  // namespace host::task
