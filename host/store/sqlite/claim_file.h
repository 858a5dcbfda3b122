// Lets a process claim numbers. A claim ends when its process ends, also if the process is killed.
// A claim is a lock on one byte of a file next to the database, so it needs no time limit:
//   toolpost.db.claims   16 random bytes of the last ClaimFile that opened it; made (0600) with the
//                        first claim. Do not remove it while a host runs.
// Only one ClaimFile of a database at a time can hold the claim of a number. The ClaimFiles can be
// in the same process or in several processes of one machine. Any thread can call the functions of
// ClaimFile.
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

  // The mark that is in the file. Each ClaimFile that opens the file writes a new mark before its
  // first claim, and all other ClaimFiles see the new mark. A mark never returns to an earlier
  // value.
  struct Mark {
    std::uint64_t file = 0;  // number of files that this ClaimFile has opened
    std::array<std::uint8_t, 16> bytes{};
    bool operator==(const Mark&) const = default;
  };

  // The destructor ends the claim.
  class Claim {
   public:
    Claim(Claim&& other) noexcept = default;
    Claim& operator=(Claim&& other) = delete;
    ~Claim();

    // Returns the mark, which was read after this ClaimFile had got the claim. If another ClaimFile
    // had the claim of this number before, the mark of that claim is this mark or an earlier mark.
    const Mark& mark() const { return mark_; }

   private:
    friend class ClaimFile;
    Claim(std::shared_ptr<Open> file, std::uint64_t number, const Mark& mark)
        : file_(std::move(file)), number_(number), mark_(mark) {}

    std::shared_ptr<Open> file_;  // null: moved from
    std::uint64_t number_;
    Mark mark_;
  };

  // Returns nullopt if a different ClaimFile holds the claim. The function does not wait. Do not
  // claim a number again while this ClaimFile has a Claim for the number. The highest two bits of
  // `number` are ignored. If the file was removed or replaced, claims move to the new file.
  Result<std::optional<Claim>> claim(std::uint64_t number);

  // Moves the claims to the file that is there now, if the file was removed or replaced. Claims
  // that other ClaimFiles make there later have a new mark.
  Result<void> stay_in_place();

  // Returns true if no other ClaimFile of the database is open. If is_alone() is true after a
  // claim, and a later claim has the same mark as that claim, no other ClaimFile has opened the
  // file between the two claims.
  bool is_alone() const;

 private:
  const std::shared_ptr<Open> open_;
};

}  // namespace host::store
