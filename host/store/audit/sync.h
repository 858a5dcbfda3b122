// Puts what was appended to one open audit file on the disk. Calls that wait at the same time share
// one fdatasync().
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "base/unique_fd.h"

namespace host::store {

class AuditSync {
 public:
  // `folder` and `mark` have what finds the file's lines again: they are synced once.
  AuditSync(std::filesystem::path path, UniqueFd file, UniqueFd folder, UniqueFd mark)
      : path_(std::move(path)),
        file_(std::move(file)),
        folder_(std::move(folder)),
        mark_(std::move(mark)) {}

  // Lines were appended; the number is for wait(). On the thread that appends.
  std::uint64_t appended() { return ++appended_; }

  // Blocks until those lines are on the disk. One thread, which may be another one.
  Result<void> wait(std::uint64_t number);

 private:
  const std::filesystem::path path_;
  const UniqueFd file_;
  const UniqueFd folder_;
  const UniqueFd mark_;
  std::atomic<std::uint64_t> appended_{0};
  std::uint64_t synced_ = 0;
};

}  // namespace host::store
