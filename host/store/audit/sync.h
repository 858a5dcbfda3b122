// Syncs the lines that were appended to one open audit file to the disk. Tool calls that wait for
// the disk at the same time share one fdatasync().
//
// After a failed sync, the host cannot trust later syncs of this file, because Linux reports a lost
// write once and then treats the page as written. So after a failed sync, all later calls of wait()
// fail until the caller opens the file again.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/result.h"
#include "base/unique_fd.h"

namespace host::store {

// Syncs the data of an open file to the disk. Returns 0, or -1 and sets errno, as fdatasync() does.
using SyncFile = std::function<int(int)>;

class AuditSync {
 public:
  // `file` is the audit file, `folder` is its folder, and `mark` is audit.jsonl.chain. The
  // AuditSync also syncs the folder and audit.jsonl.chain once each, because the host needs them to
  // find the audit lines after a crash.
  AuditSync(std::filesystem::path path, UniqueFd file, UniqueFd folder, UniqueFd mark,
            SyncFile sync)
      : path_(std::move(path)),
        file_(std::move(file)),
        folder_(std::move(folder)),
        mark_(std::move(mark)),
        sync_(std::move(sync)) {}

  // Call appended() after lines were appended, on the thread that appends. Returns the number that
  // the caller must pass to wait().
  std::uint64_t appended() { return ++appended_; }

  // Blocks until the lines up to `number` are on the disk. Only one thread at a time may call
  // wait(). wait() can run on a different thread than the thread that appends lines.
  Result<void> wait(std::uint64_t number);
  // Returns true if a wait for a sync has failed. Any thread can call this function.
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
