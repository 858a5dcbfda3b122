// The secret values that one upstream gets in its environment, headers and URL. The host removes
// them from each text of the upstream that people see. I/O thread only.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace host::upstream {

class Secrets {
 public:
  // Adds a value to hide. If it has several lines, each line is hidden too, and so is the value as
  // JSON writes it. Values of less than 4 bytes are ignored, because hiding them would make texts
  // unreadable.
  void add(std::string_view value);

  // No longer hides a value on one line that add() got.
  void remove(std::string_view value);

  // Returns `text` with "[secret]" in place of each value. `is_cut`: the text may end in the middle
  // of a value.
  std::string hide(std::string_view text, bool is_cut = false) const;

 private:
  void add_one(std::string value);

  std::deque<std::string> values_;  // the longest first
};

}  // namespace host::upstream
