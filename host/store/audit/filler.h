// Keeps the audit's table near the end of its file while a host writes lines: a thread of its own,
// which runs only where calls leave the processor something, and not at all while nothing comes.
// The audit itself never waits for it, and a table that cannot be filled is a line in the log.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "base/result.h"
#include "store/audit/table.h"

namespace host::store {

class AuditFiller {
 public:
  AuditFiller(std::filesystem::path audit_file, std::uint64_t most_rows);
  ~AuditFiller();  // what is not in the table stays in the file, for whoever fills it next
  AuditFiller(const AuditFiller&) = delete;
  AuditFiller& operator=(const AuditFiller&) = delete;

  // Lines were written. Any thread; costs next to nothing while earlier ones wait.
  void wake();

  // How many bytes of the file are not in the table; nothing before it was filled once. Any thread.
  std::optional<std::uint64_t> behind() const;

 private:
  void run();
  bool wait_for_lines();
  Result<void> fill();
  bool pause(std::chrono::milliseconds length);  // false: it shall end
  void report(const Result<void>& filled);

  const std::filesystem::path audit_file_;
  const std::uint64_t most_rows_;
  std::optional<AuditTable> table_;  // of the thread
  bool failing_ = false;             // of the thread; told once, until it is filled again

  std::atomic<std::int64_t> filled_to_{-1};
  std::atomic<bool> lines_{false};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;  // beside the two above, for who waits
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace host::store
