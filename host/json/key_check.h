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

  void open() { open_.push_back(names_.size()); }
  void add(std::string_view name, std::size_t opening_quote) {
    names_.push_back({hash_bytes(name, secret_), opening_quote});
  }
  // Ends the innermost object; the place of the first name that repeats an earlier one.
  std::optional<std::size_t> close();

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
  std::vector<Name> names_;        // of all open objects, the innermost last
  std::vector<std::size_t> open_;  // where each open object's names start
};

}  // namespace host::json
