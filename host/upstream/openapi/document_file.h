// The file of an OpenAPI document. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace host::upstream::openapi {

// Differs when the file was written again or replaced.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileStamp&) const = default;
};

// All zeros: there is no such file.
FileStamp stamp_of(const std::string& file);

// Reads a regular file of at most `most_bytes`. Errors say in one sentence what is wrong.
Result<std::string> read_document_file(const std::string& file, std::size_t most_bytes);

}  // namespace host::upstream::openapi
