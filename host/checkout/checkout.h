// One Git repository of skills: its pulls, its accepted versions, and what is served of it.
//
// A pull adds the versions of the skills to the state folder (versions.h) and compares their
// digests with the accepted ones (upstream/pins/pins.h). A changed or new skill waits for the
// operator, as the repository's `pin` says; until then the accepted version is served. A pull that
// fails changes nothing that is served. I/O thread only; git and files are left to a thread of the
// repository's own.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "checkout/changes.h"
#include "checkout/status.h"
#include "checkout/versions.h"
#include "config/skill_repository.h"
#include "skill/pinned_repository.h"
#include "store/desk.h"
#include "upstream/pins/pins.h"

namespace host::checkout {

// AsConfigured: the host pulls at the start and by the timer. ByCommand: a command runs.
enum class Pulls { AsConfigured, ByCommand };

class Checkout : public std::enable_shared_from_this<Checkout> {
 public:
  struct Surroundings {
    boost::asio::any_io_executor io;
    std::shared_ptr<store::Desk> desk;  // null: there is no store, and nothing is pulled
    std::filesystem::path folder;       // of this repository's versions
    std::filesystem::path keeper;       // the program toolpost-keeper
    bool is_live = true;                // false: what is served stays as it was at the start
    // Called when what is served, or its faults, have changed. With the name in lists.
    std::function<void(const std::string& source)> on_served;
  };
  // `served` must outlive this.
  Checkout(config::SkillRepository settings, Surroundings around, skill::PinnedRepository& served);

  const std::string& name() const { return settings_.name; }
  // Serves what was accepted earlier, then pulls if that is due.
  boost::asio::awaitable<void> start(Pulls pulls);
  // Ends what is in progress; stop() waits for it.
  void cancel();
  // Returns when git and the files' thread have ended.
  boost::asio::awaitable<void> stop();

  // Unavailable: a pull is in progress, or the host stops.
  boost::asio::awaitable<Result<void>> pull();
  // `skill` empty: all that wait. `digest`: of what the reviewer saw. NotFound: nothing waits.
  // InvalidArgument: another version waits now.
  boost::asio::awaitable<Result<void>> accept(std::string skill, std::string digest,
                                              std::string by);
  // JSON of changes.h. `skill` empty: all that wait.
  boost::asio::awaitable<Result<std::string>> changes(std::string skill, Whole whole);
  Status status() const;
  // See upstream::Pins::digest_held().
  std::string digest_held(std::string_view skill) const;

 private:
  class Work;
  using PinsPtr = std::shared_ptr<upstream::Pins>;
  using Changed = Result<std::vector<store::PinRecord>>;
  using Change = std::function<Changed(upstream::Pins&)>;
  using Pinned = std::pair<std::string, std::string>;  // a skill's folder and its manifest
  // What a pull brought.
  struct Brought {
    LastPull last;
    bool is_same = false;
    std::vector<Pinned> skills;
    std::vector<std::string> refused;  // folders
  };
  struct Loaded {
    std::vector<skill::Version> versions;
    std::vector<config::Diagnostic> diagnostics;
    std::vector<std::string> missing;
    bool lacks_waiting = false;  // of a version that waits, files are missing
  };

  template <class T>
  boost::asio::awaitable<T> in_thread(std::function<T()> work);
  Git git(std::string_view scheme) const;
  Result<Brought> bring(const std::string& known);
  Result<Brought> bring_with_lock(const std::string& known);
  Loaded load(const std::vector<Pinned>& accepted, const std::vector<std::string>& waiting);
  Result<std::vector<SkillChange>> compare(const std::vector<store::PinRecord>& held, Whole whole);
  void note_failure(const Error& why);
  boost::asio::awaitable<Result<PinsPtr>> change_pins(Change act);
  boost::asio::awaitable<void> serve_stored(Pulls pulls);
  boost::asio::awaitable<Result<void>> pull_once();
  boost::asio::awaitable<Result<void>> take(Brought brought);
  static bool was_accepted(const upstream::Pins& here, const upstream::Pins& stored,
                           const std::string& skill, const std::string& digest);
  Changed accepted(upstream::Pins& pins, const std::string& skill, const std::string& digest,
                   const std::string& by) const;
  boost::asio::awaitable<void> serve();
  boost::asio::awaitable<void> collect();
  boost::asio::awaitable<void> pull_by_timer();
  config::Pin pin() const;
  std::optional<std::chrono::milliseconds> next_pull() const;
  Result<void> begin_work();

  const config::SkillRepository settings_;
  const Surroundings around_;
  skill::PinnedRepository& served_;
  Versions versions_;  // used by the thread, save folder_of()
  PinsPtr pins_;
  LastPull last_;
  std::vector<std::string> missing_;
  bool lacks_waiting_ = false;
  bool works_ = false;  // a pull, an acceptance or a comparison is in progress
  bool pulls_ = false;
  bool stopped_ = false;
  bool frozen_ = false;  // see Surroundings::is_live
  std::atomic<bool> cancelled_ = false;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer ended_;                 // cancelled when `works_` ends
  std::optional<boost::asio::thread_pool> thread_;  // started by the first work
};

}  // namespace host::checkout
