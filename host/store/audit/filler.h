// Adds the lines of the audit file to the audit table (table.h), on a thread with low priority. The
// thread of AuditFiller sleeps while no lines are written, and the audit never waits for it. If the
// thread cannot fill the table, it writes the reason to the host's log.
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
  ~AuditFiller();  // lines that are not in the table yet stay in the file for the next filler
  AuditFiller(const AuditFiller&) = delete;
  AuditFiller& operator=(const AuditFiller&) = delete;

  // Call wake() when lines were written. Any thread can call this function. wake() is cheap while
  // the thread still has earlier lines to add.
  void wake();

  // Returns the number of bytes of the audit file that are not in the table yet. Returns nullopt
  // until the thread has filled the table for the first time. Any thread can call this function.
  std::optional<std::uint64_t> behind() const;

 private:
  void run();
  bool wait_for_lines();
  Result<void> fill();
  bool pause(std::chrono::milliseconds length);  // returns false if the thread must end
  void report(const Result<void>& filled);

  const std::filesystem::path audit_file_;
  const std::uint64_t most_rows_;
  std::optional<AuditTable> table_;  // used by the thread
  bool failing_ = false;             // used by the thread; true: the thread has logged a failure

  std::atomic<std::int64_t> filled_to_{-1};
  std::atomic<bool> lines_{false};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;  // only for waiting; does not guard the two atomics above
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace host::store
