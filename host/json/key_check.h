// Finds duplicate member names in an object, also in objects with 100,000 members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/hash.h"

namespace host::json {

// A KeyCheck stores two numbers for each member name of a JSON object: a hash, made with a secret
// of this process, and the position in the text. If the hashes of two names are equal, the KeyCheck
// compares the names in the text.
class KeyCheck {
 public:
  explicit KeyCheck(std::string_view text) : text_(text), secret_(hash_secret()) {
    names_.reserve(kUsualNames);
  }

  // Returns the number of stored names.
  std::size_t size() const { return names_.size(); }
  void add(std::string_view name, std::size_t opening_quote) {
    names_.push_back({hash_bytes(name, secret_), opening_quote});
  }
  // Ends the innermost JSON object. `from` is the result of size() when the object began. Returns
  // the position of the first duplicate name, or nullopt if there is none.
  std::optional<std::size_t> close(std::size_t from);

  // Returns the name at `opening_quote` as it is written in the text. A long name is shortened.
  std::string quoted(std::size_t opening_quote) const;

 private:
  struct Name {
    std::uint64_t hash;
    std::size_t at;
  };

  static constexpr std::size_t kUsualNames = 16;  // names in a usual message

  std::optional<std::size_t> first_repeated(std::vector<Name>::iterator from);
  bool same(const Name& left, const Name& right) const;

  std::string_view text_;
  std::uint64_t secret_;
  std::vector<Name> names_;  // names of all open objects, the innermost last
};

}  // namespace host::json
