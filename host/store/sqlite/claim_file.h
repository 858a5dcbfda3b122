// Lets a process claim numbers. A claim ends when its process ends, also if the process is killed.
// A claim is a lock on one byte of a file next to the database, so it needs no time limit:
//   toolpost.db.claims   empty; made (0600) with the first claim. Keep it while a host runs
// Only one ClaimFile of a database at a time can have the claim of a number. The ClaimFiles can be
// in the same process or in several processes of one machine. Only one thread at a time can use a
// ClaimFile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace host::store {

class ClaimFile {
 public:
  explicit ClaimFile(std::filesystem::path database) : database_(std::move(database)) {}

  // The destructor ends the claim.
  class Claim {
   public:
    Claim(Claim&& other) noexcept = default;
    Claim& operator=(Claim&& other) = delete;
    ~Claim();

   private:
    friend class ClaimFile;
    Claim(std::shared_ptr<const UniqueFd> file, std::uint64_t number)
        : file_(std::move(file)), number_(number) {}

    std::shared_ptr<const UniqueFd> file_;  // null: moved from
    std::uint64_t number_;
  };

  // Returns nullopt if a different ClaimFile has the claim. The function does not wait. Do not
  // claim a number again while this ClaimFile has a Claim for the number. The highest two bits of
  // `number` are ignored.
  Result<std::optional<Claim>> claim(std::uint64_t number);

 private:
  std::filesystem::path path() const { return database_.string() + ".claims"; }
  Result<void> open();

  const std::filesystem::path database_;
  std::shared_ptr<const UniqueFd> file_;  // null until the first claim
};

}  // namespace host::store
