// Lets a process claim numbers. A claim ends when its process ends, also if the process is killed.
// A claim is a lock on one byte of a file next to the database, so the claim needs no time limit:
//   toolpost.db.claims   16 random bytes of the last ClaimFile that opened it; made (0600) with the
//                        first claim. Do not remove the claim file while a host runs. Only one
//                        ClaimFile of a database at a time can hold the claim of a number. The
//                        ClaimFiles of a database can be in the same process or in several
//                        processes of one machine. Any thread can call the functions of ClaimFile.
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

  // A Mark identifies the last ClaimFile that opened the file. Each ClaimFile that opens the file
  // writes a new mark into the file before the first claim, and all other ClaimFiles see the new
  // mark. A mark never returns to an earlier value.
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

    // Returns the mark that was read after this ClaimFile had got the claim. If another ClaimFile
    // claimed this number earlier, its claim has this mark or an earlier mark.
    const Mark& mark() const { return mark_; }

   private:
    friend class ClaimFile;
    Claim(std::shared_ptr<Open> file, std::uint64_t number, const Mark& mark)
        : file_(std::move(file)), number_(number), mark_(mark) {}

    std::shared_ptr<Open> file_;  // null: moved from
    std::uint64_t number_;
    Mark mark_;
  };

  // Returns nullopt if a different ClaimFile has the claim. claim() does not wait. If this
  // ClaimFile already has a Claim for a number, do not claim the number again. The highest two bits
  // of `number` are ignored. If the claim file was removed or replaced, claim() moves the claims to
  // the new file.
  Result<std::optional<Claim>> claim(std::uint64_t number);

  // If the claim file was removed or replaced, stay_in_place() moves the claims to the new file at
  // the same path. Claims that other ClaimFiles later make in the new file have a different mark.
  Result<void> stay_in_place();

  // Returns true if no other ClaimFile of the database is open. To find out whether another
  // ClaimFile was opened between two claims, compare the marks of the claims. If is_alone() is true
  // after the first claim, and the second claim has the same mark, no other ClaimFile was opened in
  // between.
  bool is_alone() const;

 private:
  const std::shared_ptr<Open> open_;
};

}  // namespace host::store
