// The audit's files: the one that is written, and those that were rotated away, which are
// compressed once the audit's table has their lines.
//
//   audit.jsonl  audit.jsonl.000002  audit.jsonl.000001.gz
//   audit.jsonl.chain   who writes locks it; how much was written, to show a cut
//   audit.jsonl.db      the table
//
// Any thread.
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
  std::filesystem::path file;  // the compressed one where only that is there
  bool is_compressed = false;
};
// Those that were rotated away, the oldest first.
std::vector<AuditPart> audit_parts(const std::filesystem::path& audit_file);

// Compresses it in the place of it. Whoever is killed meanwhile leaves it as it was; does nothing
// where another process is at it.
Result<void> compress_part(const std::filesystem::path& part);

// The lines of one file, compressed or not, as they stood there when it was opened.
class AuditReader {
 public:
  // NotFound: there is none.
  static Result<AuditReader> open(const std::filesystem::path& file);
  AuditReader(AuditReader&& other) noexcept;
  AuditReader& operator=(AuditReader&&) = delete;
  ~AuditReader();

  struct Line {
    std::string_view text;  // without its line feed; good until the next one
    bool ended = true;      // false: there is no line feed, and nothing more
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
