// A Checkout is one Git repository of skills, with its pulls, its accepted versions, and the skills
// that it serves.
//
// A pull adds the versions of the skills to the state folder (versions.h) and compares their
// digests with the accepted digests (upstream/pins/pins.h). The repository's `pin` says whether a
// changed or new skill waits for the operator. While a changed skill waits, the host serves its
// accepted version. A failed pull does not change the served skills. Call the functions of this
// header on the I/O thread. Each Checkout has a separate thread for git and for files.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
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

// AsConfigured means that the host pulls at the start, if a pull is due, and then at the configured
// interval. ByCommand means that the host pulls only when a command requests it.
enum class Pulls { AsConfigured, ByCommand };

class Checkout : public std::enable_shared_from_this<Checkout> {
 public:
  struct Surroundings {
    boost::asio::any_io_executor io;
    std::shared_ptr<store::Desk> desk;  // null: no store, so no pull is possible
    std::filesystem::path folder;       // the folder of this repository's versions
    std::filesystem::path keeper;       // the program toolpost-keeper
    bool is_live = true;                // false: the served skills never change after the start
    // The Checkout calls `on_served` when the served skills or their faults have changed. `source`
    // is the repository's source_of(): "git:NAME".
    std::function<void(const std::string& source)> on_served;
    // The Checkout calls `on_own_pull` after a pull that no command requested, if the pull brought
    // a different commit or failed for a new reason. `commit` is the last pulled commit, or empty.
    std::function<void(const std::string& name, const std::string& commit,
                       const Result<void>& done)>
        on_own_pull = nullptr;
  };
  // `served` must outlive the Checkout.
  Checkout(config::SkillRepository settings, Surroundings around, skill::PinnedRepository& served);

  const std::string& name() const { return settings_.name; }
  // Serves the skills that were accepted earlier, and then pulls from the repository if a pull is
  // due.
  boost::asio::awaitable<void> start(Pulls pulls);
  // Ends pulls and other work in progress early. The function cancel() does not wait for the end of
  // the work.
  void cancel();
  // Waits until git and the work on files have ended.
  boost::asio::awaitable<void> stop();

  // Pulls, acceptances and comparisons run one after the other, in the order of their calls. The
  // Error Unavailable means that the host has no store, or that the host stops. The Error
  // Unavailable also means that the operation waited for earlier operations longer than two pulls
  // can take.
  boost::asio::awaitable<Result<void>> pull();
  // If `skill` is empty, accept() accepts all waiting skills. `digest` is the digest of the change
  // that the reviewer saw. The Error NotFound means that no change waits for acceptance. The Error
  // InvalidArgument means that the waiting change has a different digest.
  boost::asio::awaitable<Result<void>> accept(std::string skill, std::string digest,
                                              std::string by);
  // Returns the changes that wait for acceptance, as the JSON that changes.h describes. If `skill`
  // is empty, the JSON contains all waiting skills.
  boost::asio::awaitable<Result<std::string>> changes(std::string skill, Whole whole);
  Status status() const;
  // See upstream::Pins::digest_fault().
  std::string digest_fault(std::string_view skill, std::string_view digest) const;

 private:
  class Work;
  using PinsPtr = std::shared_ptr<upstream::Pins>;
  using Changed = Result<std::vector<store::PinRecord>>;
  using Change = std::function<Changed(upstream::Pins&)>;
  using Pinned = std::pair<std::string, std::string>;  // a skill's folder and its manifest
  // The struct Brought is the result of a pull of this repository.
  struct Brought {
    LastPull last;
    bool is_same = false;
    std::vector<Pinned> skills;
    std::vector<std::string> refused;  // folders of the refused skills
  };
  struct Loaded {
    std::vector<skill::Version> versions;
    std::vector<config::Diagnostic> diagnostics;
    std::vector<std::string> missing;
    bool lacks_waiting = false;  // files of a waiting version are missing
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
  std::string diff_command() const;
  boost::asio::awaitable<void> serve();
  boost::asio::awaitable<void> collect();
  boost::asio::awaitable<void> pull_by_timer();
  void report_own_pull(const LastPull& before, const Result<void>& done) const;
  config::Pin pin() const;
  bool has_undecided() const;
  std::optional<std::chrono::milliseconds> next_pull() const;
  boost::asio::awaitable<Result<void>> begin_work();

  const config::SkillRepository settings_;
  const Surroundings around_;
  skill::PinnedRepository& served_;
  Versions versions_;  // only thread_ uses this object, except for folder_of()
  PinsPtr pins_;
  LastPull last_;
  std::vector<std::string> missing_;
  bool lacks_waiting_ = false;
  bool works_ = false;               // a pull, an acceptance or a comparison is in progress
  std::deque<std::uint64_t> turns_;  // the operations that wait for their turn, in order
  std::uint64_t next_turn_ = 0;
  bool pulls_ = false;
  bool stopped_ = false;
  bool frozen_ = false;  // see Surroundings::is_live
  std::atomic<bool> cancelled_ = false;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer ended_;                 // cancelled when `works_` becomes false
  std::optional<boost::asio::thread_pool> thread_;  // unset until there is work for it
};

}  // namespace host::checkout
