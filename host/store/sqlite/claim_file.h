// Claims of numbers that end with the process that has them, also if the process is killed. A claim
// is a lock on one byte of a file next to the database, so it needs no time limit:
//   toolpost.db.claims   empty; made (0600) with the first claim. Keep it while a host runs
// Of all open ClaimFiles of a database, one at a time has the claim of a number. They may be in the
// same process or in several processes of one machine. One thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace host::store {

class ClaimFile {
  struct Open;

 public:
  explicit ClaimFile(std::filesystem::path database) : database_(std::move(database)) {}

  // Ends the claim when it is destroyed.
  class Claim {
   public:
    Claim(Claim&& other) noexcept = default;
    Claim& operator=(Claim&& other) = delete;
    ~Claim();

   private:
    friend class ClaimFile;
    Claim(std::shared_ptr<Open> file, std::uint64_t number)
        : file_(std::move(file)), number_(number) {}

    std::shared_ptr<Open> file_;  // null: moved from
    std::uint64_t number_;
  };

  // Returns nullopt if a different ClaimFile has the claim. Does not wait. Do not claim a number
  // again while a Claim of this ClaimFile exists for the number. The highest two bits of `number`
  // are ignored. If the file was removed or replaced, claims move to the file that is there now.
  Result<std::optional<Claim>> claim(std::uint64_t number);

 private:
  std::filesystem::path path() const { return database_.string() + ".claims"; }
  bool is_in_place() const;
  Result<void> open();

  struct Open {
    UniqueFd fd;
    std::set<std::uint64_t> claims;
    // Files that were removed or replaced while claims existed. Their locks stay for hosts that
    // still have these files open.
    std::vector<UniqueFd> former;
  };

  const std::filesystem::path database_;
  std::shared_ptr<Open> file_;  // null until the first claim
};

}  // namespace host::store
