// The contents of uploaded files, one file each, in a folder next to the store. A file is written
// under a name of its own and renamed when it is whole and on the disk. Then the store gets a row.
//
// A file without a row is left over from a host that was killed. A host that still writes a file
// has it locked, so a different host with the same store can tell the two apart. Any thread; every
// call blocks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace host::file {

// A file that is being written. Removed when destroyed, unless keep() was called.
class Part {
 public:
  Part(int folder, std::string id, std::string name, UniqueFd file);
  ~Part();
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  // Unavailable: the disk is full.
  Result<void> write(std::string_view piece);
  // The file is whole: puts it on the disk, under its final name. InvalidArgument: it is not the
  // file with this SHA-256 (in hex; empty: any), or there is one with its id.
  Result<void> finish(std::string_view sha256);
  // The store has its row.
  void keep();

  std::uint64_t bytes() const { return bytes_; }
  const Sha256& digest() const { return digest_; }  // after finish()

 private:
  const int folder_;
  const std::string id_;
  std::string name_;  // that it has now; empty: it is kept
  UniqueFd file_;     // locked
  Sha256Stream hash_;
  Sha256 digest_{};
  std::uint64_t bytes_ = 0;
};

class Folder {
 public:
  // Made (0700) with the first file.
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {}

  // `id` is one that this host made: letters, digits, '-' and '_'.
  Result<std::unique_ptr<Part>> begin(const std::string& id);
  Result<UniqueFd> open(const std::string& id);
  void remove(const std::string& id);

  struct Leftover {
    std::string name;
    std::string id;  // of the file that it is, or was to become
    std::uint64_t inode = 0;
  };
  // Files that nobody writes. Those that have a row are among them.
  Result<std::vector<Leftover>> unlocked();
  // Removes one, if it is still the same file.
  void remove(const Leftover& leftover);

 private:
  Result<int> folder(bool make);  // -1: it is absent

  const std::filesystem::path path_;
  std::mutex guard_;  // of folder_
  UniqueFd folder_;
};

}  // namespace host::file
