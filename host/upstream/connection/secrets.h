// The secret values that one upstream gets: of its environment, headers and URL. What the upstream
// says to people is shown without them. I/O thread only.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace host::upstream {

class Secrets {
 public:
  // Also hides each line of a value with several lines, and the value as JSON would write it.
  // Values under 4 bytes are ignored: hiding them would make texts unreadable.
  void add(std::string_view value);

  // No longer hides a value on one line that add() got.
  void remove(std::string_view value);

  // `text` with "[secret]" in place of each value. `is_cut`: the text may end inside of one.
  std::string hide(std::string_view text, bool is_cut = false) const;

 private:
  void add_one(std::string value);

  std::deque<std::string> values_;  // the longest first
};

}  // namespace host::upstream
