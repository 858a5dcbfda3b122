// The crash record of one build, by the hash of its file: how long to wait before the next worker,
// whether to start one at all, and which calls are refused. It outlives the build's generations, so
// deleting and restoring the same file resets nothing. A different file has its own record. I/O
// thread only.
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
#include "tool/invocation.h"

namespace host::plugin {

class BuildRecord {
 public:
  explicit BuildRecord(const config::Supervision& limits);

  // A worker died by itself after running for `up`. `dice` is any number in [-1, 1].
  void crashed(SteadyTime now, std::chrono::steady_clock::duration up, double dice);
  // The earliest time to start the next worker.
  SteadyTime next_start() const { return next_start_; }
  // True if it crashed too often: no worker is started any more.
  bool quarantined() const { return quarantined_; }
  // It may crash as often again.
  void release();
  // In words that follow the plugin's name; where it is quarantined.
  std::string quarantine_words() const;
  std::uint32_t crashes() const { return crashes_; }
  unsigned in_a_row() const { return in_a_row_; }

  // This call made a worker crash.
  void blame(const tool::Invocation& call, SteadyTime now);
  // How long this call is refused, because the same call crashed workers; nullopt: it is not.
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
  // False: none was quarantined.
  bool release_all();

 private:
  const config::Supervision limits_;
  std::map<std::string, std::shared_ptr<BuildRecord>> records_;
};

}  // namespace host::plugin
