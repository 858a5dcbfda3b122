// Lets a process claim a number, such as the hash of an idempotency key, so that no other process
// can claim the number. A claim ends when its process ends, also if the process is killed. A claim
// is a lock on one byte of the file toolpost.db.claims next to the database, so the claim needs no
// time limit. The first claim makes toolpost.db.claims (mode 0600). The file contains 16 random
// bytes of the ClaimFile that opened it last. Do not remove the file while a host runs. All
// ClaimFile objects of a database exclude each other, in one process or in several processes of one
// machine. Any thread can call the functions of ClaimFile.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/result.h"

namespace host::store {

class ClaimFile {
  struct Open;

 public:
  explicit ClaimFile(std::filesystem::path database);

  // A Mark identifies the ClaimFile object that opened the claim file last. Before its first claim,
  // a ClaimFile writes new random bytes into the claim file, and other ClaimFiles see the new
  // bytes. A mark that was replaced never occurs again.
  struct Mark {
    std::uint64_t file = 0;  // number of files that this ClaimFile has opened
    std::array<std::uint8_t, 16> bytes{};
    bool operator==(const Mark&) const = default;
  };

  // The destructor of a Claim ends the claim.
  class Claim {
   public:
    Claim(Claim&& other) noexcept = default;
    Claim& operator=(Claim&& other) = delete;
    ~Claim();

    // Returns the mark of the claim file, which was read after the claim was made. Another
    // ClaimFile's earlier claim of the same number has the same mark or an earlier mark.
    const Mark& mark() const { return mark_; }

   private:
    friend class ClaimFile;
    Claim(std::shared_ptr<Open> file, std::uint64_t number, const Mark& mark)
        : file_(std::move(file)), number_(number), mark_(mark) {}

    std::shared_ptr<Open> file_;  // null: moved from
    std::uint64_t number_;
    Mark mark_;
  };

  // Returns nullopt if a different ClaimFile has the claim. claim() does not wait. Do not claim a
  // number twice with the same ClaimFile. The highest two bits of `number` are ignored. If the
  // claim file was removed or replaced, claim() moves the claims to the new file.
  Result<std::optional<Claim>> claim(std::uint64_t number);

  // If the claim file was removed or replaced, stay_in_place() moves the claims to the new file at
  // the same path. If another ClaimFile then opens the new file, its claims have a different mark.
  Result<void> stay_in_place();

  // Returns true if no other ClaimFile of the database is open. If is_alone() was true after a
  // claim, and the mark of the next claim is equal, no other ClaimFile was opened between the two
  // claims.
  bool is_alone() const;

 private:
  const std::shared_ptr<Open> open_;
};

}  // namespace host::store
