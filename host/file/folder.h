// Stores the contents of uploaded files, one file each, in a folder next to the store. The host
// writes an uploaded file under a temporary name, and renames it when all bytes are on the disk.
// When the uploaded file has its final name, the host adds a row for the file to the store.
//
// A file without a row in the store is a leftover of a killed host, or is still being written.
// While a host writes a file, the host locks the file, so that another host with the same store can
// distinguish this file from a leftover. The functions of this header block, and any thread can
// call them.
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

// A Part is a file that is being written. The destructor removes the file, unless keep() was
// called.
class Part {
 public:
  Part(int folder, std::string id, std::string name, UniqueFd file);
  ~Part();
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  // The Error Unavailable means that the disk is full.
  Result<void> write(std::string_view piece);
  // Call finish() when the file is complete. finish() syncs the file to the disk and gives the file
  // its final name. Returns false if a file with the same id exists. The Error InvalidArgument
  // means that the file's SHA-256 is not `sha256` (in hex; empty: any).
  Result<bool> finish(std::string_view sha256);
  // Call keep() when the store contains the row of the file. After keep(), the destructor does not
  // remove the file.
  void keep();

  std::uint64_t bytes() const { return bytes_; }
  const Sha256& digest() const { return digest_; }  // valid after finish()

 private:
  const int folder_;
  const std::string id_;
  std::string name_;  // the file's current name; empty after keep()
  UniqueFd file_;     // this host has locked the file
  Sha256Stream hash_;
  Sha256 digest_{};
  std::uint64_t bytes_ = 0;
};

class Folder {
 public:
  // The first write of a file makes the folder `path` (0700).
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {}

  // `id` is an id that this host made, of letters, digits, '-' and '_'.
  Result<std::unique_ptr<Part>> begin(const std::string& id);
  Result<UniqueFd> open(const std::string& id);
  void remove(const std::string& id);

  struct Leftover {
    std::string name;
    std::string id;  // id of the file; for an unfinished file, the planned id
    std::uint64_t inode = 0;
  };
  // Returns the files that no host is writing now, including files that have a row in the store.
  Result<std::vector<Leftover>> unlocked();
  // Removes the file of a killed host, unless the file's name now belongs to a different file.
  void remove(const Leftover& leftover);

 private:
  Result<int> folder(bool make);  // returns -1 if the folder does not exist

  const std::filesystem::path path_;
  std::mutex guard_;  // guards folder_
  UniqueFd folder_;
};

}  // namespace host::file
