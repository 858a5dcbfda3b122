// The secret values that one upstream gets in its environment, headers and URL. The host hides
// these secret values in each text of the upstream that people see. The functions of Secrets are
// called on the I/O thread.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace host::upstream {

class Secrets {
 public:
  // Adds a secret value, which hide() then hides. If the secret value has several lines, each line
  // is hidden too. The secret value is also hidden where it is escaped as in JSON. The function
  // add() ignores values of less than 4 bytes, because hiding them would make texts unreadable.
  void add(std::string_view value);

  // Removes a one-line value that add() added. The removed value is no longer hidden.
  void remove(std::string_view value);

  // Returns `text` with "[secret]" in place of each secret value. `is_cut` is true if `text` can
  // end in the middle of a value.
  std::string hide(std::string_view text, bool is_cut = false) const;

 private:
  void add_one(std::string value);

  std::deque<std::string> values_;  // the longest first
};

}  // namespace host::upstream
