// The audit's file, to which any number of processes append. Whoever appends holds the lock of
// audit.jsonl.chain, which also says where the chain of lines (audit_chain.h) ends: a file that
// ends earlier was cut. A file that is large or old is rotated away first (audit_parts.h); the
// chain goes on in the next one. Killed at any point, no line is lost and the chain holds: whoever
// appends next sees what was done and what was not. One thread at a time.
#pragma once

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

// What audit.jsonl.chain says.
struct AuditMark {
  std::uint64_t number = 1;  // that the written file will have once it is rotated away
  std::uint64_t size = 0;    // of the file, up to where the chain ends
  std::uint64_t began = 0;   // when the file was begun, in milliseconds since 1970
  AuditEnd end;
};

std::filesystem::path audit_mark_file(const std::filesystem::path& audit_file);
// Nothing: it is not there, or says nothing that can be read.
std::optional<AuditMark> read_audit_mark(int fd);

class AuditFile {
 public:
  // Made where absent (0600), with its folder (0700). Denied: other users may write to it.
  static Result<std::unique_ptr<AuditFile>> open(const std::filesystem::path& file,
                                                 const Clock& clock, AuditRotation rotation = {});

  // Whole lines, JSON objects: all of them or, with an error, none. Where the file takes no more
  // and cannot be cut back either, `*kept` bytes of them are there for good, whole lines: the rest
  // is to be appended again.
  Result<void> append(std::string_view lines, std::size_t* kept = nullptr);

  // Whether the file could be opened and is the host's own, as append() finds it. A full disk shows
  // at the next append() alone.
  Result<void> check();

  // Of the file that append() wrote to.
  std::shared_ptr<AuditSync> sync();

 private:
  struct Opened {
    UniqueFd fd;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
  };

  AuditFile(std::filesystem::path file, const Clock& clock, AuditRotation rotation)
      : file_(std::move(file)), clock_(clock), rotation_(rotation) {}

  Result<void> ensure_folder();
  Result<void> ensure_mark();
  Result<void> ensure_current();
  Result<void> ensure(Opened& opened, const std::filesystem::path& file, int flags);
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
  const Clock& clock_;
  const AuditRotation rotation_;
  Opened folder_;
  Opened mark_file_;
  Opened current_;
  std::shared_ptr<AuditSync> sync_;  // null: nobody asked for it since the file was opened
  AuditMark mark_;
  bool knows_mark_ = false;  // it was read or made here before
  AuditChain chain_;
  bool within_a_line_ = false;  // a kill cut off the last one
  bool cannot_rotate_ = false;  // told once
};

}  // namespace host::store
