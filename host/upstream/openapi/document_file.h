// Reads the file of an OpenAPI document. Any thread can call the functions of this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace host::upstream::openapi {

// A FileStamp identifies the contents of a file. After the file was written again or replaced, its
// stamp differs.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileStamp&) const = default;
};

// All members of the returned FileStamp are 0 if the file does not exist.
FileStamp stamp_of(const std::string& file);

// Reads a regular file of at most `most_bytes`. An Error says in one sentence why the file cannot
// be read.
Result<std::string> read_document_file(const std::string& file, std::size_t most_bytes);

}  // namespace host::upstream::openapi
