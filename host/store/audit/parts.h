// The files of the audit: the current file and the rotated files. The host compresses a rotated
// file when the audit table has all lines of the file.
//
// audit.jsonl is the current file. audit.jsonl.000002 is a rotated file, and audit.jsonl.000001.gz
// a compressed one. audit.jsonl.chain is locked by the writer, and records how much was written, to
// detect truncation. audit.jsonl.db is the audit table.
//
// Any thread can call the functions of this header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace host::store {

std::filesystem::path audit_part(const std::filesystem::path& audit_file, std::uint64_t number);
std::filesystem::path compressed(const std::filesystem::path& part);

struct AuditPart {
  std::uint64_t number = 0;
  std::filesystem::path file;  // path of the file, or of the compressed file if only that exists
  bool is_compressed = false;
};
// Returns the rotated files, the oldest first.
std::vector<AuditPart> audit_parts(const std::filesystem::path& audit_file);

// Replaces a rotated audit file by its compressed form. If the process is killed during the
// compression, the file stays as it was. If a different process is compressing the file, the
// function does nothing.
Result<void> compress_part(const std::filesystem::path& part);

// Reads the lines of one file, compressed or not, as they were when the file was opened.
class AuditReader {
 public:
  // Returns NotFound if there is no such file.
  static Result<AuditReader> open(const std::filesystem::path& file);
  AuditReader(AuditReader&& other) noexcept;
  AuditReader& operator=(AuditReader&&) = delete;
  ~AuditReader();

  struct Line {
    std::string_view text;  // the line without its line feed; valid until the next line is read
    bool ended = true;      // false: the line has no line feed, because the file ends here
  };
  Result<std::optional<Line>> next();

 private:
  struct Stream;
  AuditReader(std::filesystem::path file, std::unique_ptr<Stream> stream);
  Result<bool> read_more();

  std::filesystem::path file_;
  std::unique_ptr<Stream> stream_;
  std::string buffer_;
  std::size_t at_ = 0;
};

}  // namespace host::store
