// Finds a member name that stands twice in one object, also in objects of 100,000 members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/hash.h"

namespace host::json {

// Names are kept as a hash under a secret of this process and as their place in the text: equal
// hashes are settled by reading both names again.
class KeyCheck {
 public:
  explicit KeyCheck(std::string_view text) : text_(text), secret_(hash_secret()) {}

  // Where the names of an object that opens now will start.
  std::size_t size() const { return names_.size(); }
  void add(std::string_view name, std::size_t opening_quote) {
    names_.push_back({hash_bytes(name, secret_), opening_quote});
  }
  // Ends the innermost object, whose names start at `from`; the place of the first name that
  // repeats an earlier one.
  std::optional<std::size_t> close(std::size_t from);

  // The name at `opening_quote` as it stands in the text, shortened if long.
  std::string quoted(std::size_t opening_quote) const;

 private:
  struct Name {
    std::uint64_t hash;
    std::size_t at;
  };

  std::optional<std::size_t> first_repeated(std::vector<Name>::iterator from);
  bool same(const Name& left, const Name& right) const;

  std::string_view text_;
  std::uint64_t secret_;
  std::vector<Name> names_;  // of all open objects, the innermost last
};

}  // namespace host::json
