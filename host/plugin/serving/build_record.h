// The crash record of one build, by the hash of its file. It decides how long to wait before the
// next worker, whether to start a worker at all, and which calls are refused. It outlives the
// build's generations, so it is not reset if the same file is deleted and restored. A different
// file has its own record. I/O thread only.
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

  // A worker crashed after running for `up`. `dice` is any number in [-1, 1].
  void crashed(SteadyTime now, std::chrono::steady_clock::duration up, double dice);
  // The earliest time to start the next worker.
  SteadyTime next_start() const { return next_start_; }
  // True if the build crashed too often. Then no worker is started.
  bool quarantined() const { return quarantined_; }
  // Ends the quarantine. The count of crashes starts again.
  void release();
  // The reason for the quarantine, in words that follow the plugin's name. Call it only while
  // quarantined().
  std::string quarantine_words() const;
  std::uint32_t crashes() const { return crashes_; }
  unsigned in_a_row() const { return in_a_row_; }

  // This call made a worker crash.
  void blame(const tool::Invocation& call, SteadyTime now);
  // How long this call is refused, because identical calls crashed workers. nullopt: it is not
  // refused.
  std::optional<std::chrono::seconds> refuses(const tool::Invocation& call, SteadyTime now);
  std::size_t refused_inputs() const { return poison_.size(); }

  // A text about the last crash; empty: none.
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
  std::deque<SteadyTime> recent_;  // crashes within the quarantine's window
  bool quarantined_ = false;
  std::deque<Poison> poison_;  // oldest first
  std::string last_crash_;
};

// The records of one plugin's builds, by the hash of their files. If there are many, only those in
// use and quarantined ones are kept.
class BuildRecords {
 public:
  explicit BuildRecords(const config::Supervision& limits) : limits_(limits) {}

  std::shared_ptr<BuildRecord> of(const std::string& hash);
  // False: no build was in quarantine.
  bool release_all();

 private:
  const config::Supervision limits_;
  std::map<std::string, std::shared_ptr<BuildRecord>> records_;
};

}  // namespace host::plugin
