// Stores who owns the files that clients uploaded, and the properties of these files. The contents
// of the uploaded files are in a folder next to the database (file/folder.h). Every function
// blocks. Only one thread at a time may use the store. When a function of the store has returned,
// its changes survive the end of the process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/digest.h"
#include "base/result.h"
#include "base/seal.h"

namespace host::store {

struct FileRecord {
  std::string id;
  std::string principal;     // the owner of the file
  std::string name;          // the file's name, given by the owner
  std::string content_type;  // the media type, given by the owner
  std::uint64_t bytes = 0;
  Sha256 digest{};
  WallTime created{};
  WallTime expires{};
  WallTime url_expires{};  // the time at which the URL of the upload expires; {}: there was no URL

  bool operator==(const FileRecord&) const = default;
};

// The limits that apply to stored files.
struct FileQuota {
  std::uint64_t files = 1'000;                      // maximum number of files of one principal
  std::uint64_t bytes = std::uint64_t{8} << 30u;    // maximum size of one principal's files
  std::uint64_t of_all = std::uint64_t{64} << 30u;  // maximum size of all files together
};

struct FileUsage {
  std::uint64_t files = 0;   // number of the principal's files
  std::uint64_t bytes = 0;   // bytes of the principal's files
  std::uint64_t of_all = 0;  // bytes of the files of all principals
  // The number of removed files of the principal whose upload URLs can still be valid.
  std::uint64_t removed = 0;
};

class FileStore {
 public:
  virtual ~FileStore() = default;

  // `Exists` means that the store has the file, or that the file was removed but its upload URL has
  // not expired yet. A second upload with the same upload URL must not give the same id to other
  // contents.
  enum class Added : std::uint8_t { Yes, Exists, Full };
  virtual Result<Added> add(const FileRecord& record, const FileQuota& quota) = 0;
  // Returns nullopt if the principal has no such file. find() finds an expired file until
  // forget_expired() removes it.
  virtual Result<std::optional<FileRecord>> find(std::string_view principal,
                                                 std::string_view id) = 0;
  // Lists the principal's files, the newest first. `before` is the id of the last file of the
  // previous page, after which the list continues. If `before` is empty, the list begins with the
  // newest file. The Error InvalidArgument means that the principal no longer has the file
  // `before`.
  virtual Result<std::vector<FileRecord>> list(std::string_view principal, std::string_view before,
                                               std::uint32_t most) = 0;
  virtual Result<bool> remove(std::string_view principal, std::string_view id) = 0;
  // Returns true if add() would return Exists for this id.
  virtual Result<bool> is_taken(std::string_view id) = 0;
  virtual Result<FileUsage> usage(std::string_view principal) = 0;
  // Removes files that have expired at `now`, and returns their ids.
  virtual Result<std::vector<std::string>> forget_expired(WallTime now) = 0;
  // Returns the members of `ids` that are not the id of a stored file that is valid at `now`.
  virtual Result<std::vector<std::string>> unknown_of(const std::vector<std::string>& ids,
                                                      WallTime now) = 0;

  // Returns the key that signs URLs of files. signing_key() makes the key when it is first used. If
  // the key cannot be unsealed because the store's key is missing, the function makes a new key.
  // With a new key, URLs that were signed with the earlier key are no longer valid.
  virtual Result<SealKey> signing_key() = 0;
};

}  // namespace host::store
