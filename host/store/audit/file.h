// The audit file, to which any number of processes append. A writer locks audit.jsonl.chain. The
// file audit.jsonl.chain records where the chain of lines (chain.h) ends, so that the host can
// detect that the audit file was truncated. Before a writer appends to a file that is too large or
// too old, it rotates the file (parts.h). After a rotation, the chain of digests continues in the
// next file. If a writer is killed at any point, no line is lost and the chain stays valid, because
// the next writer completes the work of the killed writer. Only one thread at a time may call the
// functions of this header.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "store/audit/chain.h"
#include "store/audit/rotation.h"
#include "store/audit/sync.h"

namespace host::store {

// The contents of audit.jsonl.chain.
struct AuditMark {
  std::uint64_t number = 1;  // the number that the current file gets when it is rotated
  std::uint64_t size = 0;    // size of the file up to the end of the chain
  std::uint64_t began = 0;   // when the file was started, in milliseconds since 1970
  AuditEnd end;
};

std::filesystem::path audit_mark_file(const std::filesystem::path& audit_file);
// Reads the mark from the open file audit.jsonl.chain. Returns nullopt if the file contains no
// mark, or if the mark cannot be parsed.
std::optional<AuditMark> read_audit_mark(int fd);

class AuditFile {
 public:
  // Opens the audit file. open() makes the file (0600) and its folder (0700) if they do not exist.
  // The Error Denied means that other users can write to the file or the folder.
  static Result<std::unique_ptr<AuditFile>> open(const std::filesystem::path& file,
                                                 const Clock& clock, AuditRotation rotation = {},
                                                 SyncFile sync = ::fdatasync);

  // Appends whole lines, each a JSON object. If append() fails, it usually removes from the file
  // all lines that it has written. If the file cannot be truncated, append() sets `*kept` to the
  // number of bytes of whole lines that stay in the file. The caller must not append the first
  // `*kept` bytes again.
  Result<void> append(std::string_view lines, std::size_t* kept = nullptr);

  // Opens the audit file and checks its owner. append() makes the same checks. Only append() can
  // detect a full disk.
  Result<void> check();

  // Returns the AuditSync of the file to which append() wrote. Returns an Error if the process has
  // no free descriptors, or if a sync of this file has failed since it was opened.
  Result<std::shared_ptr<AuditSync>> sync();
  // Opens the audit file and audit.jsonl.chain again, so that both can be synced after a failed
  // sync.
  Result<void> reopen();

 private:
  struct Opened {
    UniqueFd fd;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
  };

  AuditFile(std::filesystem::path file, const Clock& clock, AuditRotation rotation, SyncFile sync);

  Result<void> ensure_folder();
  Result<void> ensure_mark();
  Result<void> ensure_current();
  Result<void> ensure(Opened& opened, const std::filesystem::path& file, const std::string& name,
                      int flags);
  bool is_as_left() const;
  bool is_due() const;
  Result<void> catch_up();
  Result<void> pass_rotated();
  Result<void> follow(int fd);
  Result<void> rotate_when_due();
  Result<void> write_lines(std::string_view lines, std::size_t* kept);
  bool cut_back(std::uint64_t size) const;
  Result<void> write_mark();
  std::uint64_t now() const;
  Error failed(int fault) const;

  const std::filesystem::path file_;
  const std::filesystem::path mark_path_;
  const std::filesystem::path folder_path_;
  const std::string name_;  // name of the audit file, without its folder
  const std::string mark_name_;
  const Clock& clock_;
  const AuditRotation rotation_;
  const SyncFile sync_file_;
  Opened folder_;
  Opened mark_file_;
  Opened current_;
  std::shared_ptr<AuditSync> sync_;  // null: no sync since the file was opened
  AuditMark mark_;
  std::string noted_;        // mark_ as this object wrote it to the file; empty: not written
  bool knows_mark_ = false;  // true: this object has read or written the mark
  AuditChain chain_;
  bool within_a_line_ = false;  // true: a kill cut off the file's last line
  bool cannot_rotate_ = false;  // true: the rotation failed, and the host logged that
};

}  // namespace host::store
