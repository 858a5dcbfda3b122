// Syncs the appended lines of one open audit file to the disk. Calls that wait at the same time
// share one fdatasync().
//
// After a failed sync, later syncs of this file cannot be trusted: Linux reports a lost write once,
// and then treats the page as written. So all later waits fail. Open the file again.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/result.h"
#include "base/unique_fd.h"

namespace host::store {

// Syncs the data of an open file: 0, or -1 and errno, as fdatasync().
using SyncFile = std::function<int(int)>;

class AuditSync {
 public:
  // `folder` and `mark` are needed to find the file's lines after a crash. They are synced once.
  AuditSync(std::filesystem::path path, UniqueFd file, UniqueFd folder, UniqueFd mark,
            SyncFile sync)
      : path_(std::move(path)),
        file_(std::move(file)),
        folder_(std::move(folder)),
        mark_(std::move(mark)),
        sync_(std::move(sync)) {}

  // Lines were appended. Returns the number for wait(). Call it on the thread that appends.
  std::uint64_t appended() { return ++appended_; }

  // Blocks until these lines are on the disk. One thread at a time, which may be a different one.
  Result<void> wait(std::uint64_t number);
  // A wait failed. Any thread.
  bool has_failed() const { return failed_; }

 private:
  const std::filesystem::path path_;
  const UniqueFd file_;
  const UniqueFd folder_;
  const UniqueFd mark_;
  std::atomic<std::uint64_t> appended_{0};
  const SyncFile sync_;
  std::uint64_t synced_ = 0;
  std::atomic<bool> failed_{false};
};

}  // namespace host::store
