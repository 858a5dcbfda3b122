// The record of the crashes of one build of a plugin. The key of a build's crash record is the hash
// of the build's file. From the crash record, the host knows how long to wait before it starts the
// next worker, whether to start a worker at all, and which calls to refuse. The crash record
// outlives the build's generations: a plugin file that is deleted and then restored still has its
// crash record. The functions of this header are called on the I/O thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "config/config.h"
#include "tool/call/invocation.h"

namespace host::plugin {

class BuildRecord {
 public:
  explicit BuildRecord(const config::Supervision& limits);

  // Records that a worker crashed after it had run for the time `up`. `dice` is a random number in
  // [-1, 1], which varies the pause before the next worker.
  void crashed(SteadyTime now, std::chrono::steady_clock::duration up, double dice);
  // Returns the earliest time at which the next worker can start.
  SteadyTime next_start() const { return next_start_; }
  // True if the build crashed too often. The host starts no worker of a build that crashed too
  // often.
  bool quarantined() const { return quarantined_; }
  // Ends the quarantine, and sets the count of crashes to 0.
  void release();
  // Returns the reason for the quarantine, without a subject, to be put after the plugin's name.
  // Call quarantine_words() only if quarantined() returns true.
  std::string quarantine_words() const;
  std::uint32_t crashes() const { return crashes_; }
  unsigned in_a_row() const { return in_a_row_; }

  // Records that `call` made a worker crash.
  void blame(const tool::Invocation& call, SteadyTime now);
  // Returns for how long the host still refuses `call`, because identical calls crashed workers.
  // Returns nullopt if `call` is not refused.
  std::optional<std::chrono::seconds> refuses(const tool::Invocation& call, SteadyTime now);
  // Returns the number of different calls that the host refuses.
  std::size_t refused_inputs(SteadyTime now) const;

  // Returns a description of the build's last crash, or an empty text if the build never crashed.
  const std::string& last_crash() const { return last_crash_; }
  void set_last_crash(std::string words) { last_crash_ = std::move(words); }

 private:
  struct Poison {
    std::string key;
    unsigned crashes = 0;
    SteadyTime last{};
  };

  static std::string key_of(const tool::Invocation& call);
  Poison* find(const std::string& key);
  void forget_old(SteadyTime now);

  const config::Supervision limits_;
  std::uint32_t crashes_ = 0;
  unsigned in_a_row_ = 0;
  SteadyTime next_start_{};
  std::deque<SteadyTime> recent_;  // crashes within the time window of the quarantine
  bool quarantined_ = false;
  std::deque<Poison> poison_;  // the oldest Poison is first
  std::string last_crash_;
};

// The crash records of one plugin's builds. The key of a record is the hash of the build's file. If
// there are many crash records, the host keeps only records in use and records of quarantined
// builds.
class BuildRecords {
 public:
  explicit BuildRecords(const config::Supervision& limits) : limits_(limits) {}

  std::shared_ptr<BuildRecord> of(const std::string& hash);
  // Ends the quarantine of all builds. Returns false if no build was in quarantine.
  bool release_all();

 private:
  const config::Supervision limits_;
  std::map<std::string, std::shared_ptr<BuildRecord>> records_;
};

}  // namespace host::plugin
