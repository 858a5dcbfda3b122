// A Secrets object contains the secret values that one upstream gets in its environment, headers
// and URL. The host hides the secret values in each text of the upstream that people see. The
// functions of Secrets are called on the I/O thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace host::upstream {

class Secrets {
 public:
  // Adds a secret value, which hide() then hides. If the secret value has several lines, each line
  // is hidden too. The secret value is also hidden where it is escaped as in JSON. The function
  // add() ignores values of less than 4 bytes, because hiding them would make texts unreadable.
  void add(std::string_view value);

  // Adds a secret value of one line that the upstream or its authorization server chose, such as a
  // token.
  void add_issued(std::string_view value);
  // Returns the secrets without the values that the upstream issued (add_issued()). If issued
  // values were hidden in definitions, an upstream could hide a part of a definition from the
  // reviewer.
  Secrets of_operator() const;

  // Stops hiding a one-line value that add() or add_issued() added.
  void remove(std::string_view value);

  // Returns a number that is different after each change of the values.
  std::uint64_t version() const { return version_; }

  // Returns `text` with "[secret]" in place of each secret value. `is_cut` is true if `text` can
  // end in the middle of a value.
  std::string hide(std::string_view text, bool is_cut = false) const;
  // Hides the secret values in a text of the host that quotes texts of the upstream. Quotations can
  // be truncated, so hide_in_words() also hides the first 16 or more bytes of a value before a
  // quotation mark, "..." or the end of the text.
  std::string hide_in_words(std::string_view words) const;
  // Hides the secret values in a JSON text. If hiding makes the text invalid JSON, hide_json()
  // returns it as a JSON string.
  std::string hide_json(std::string_view json) const;
  // Returns `error` after hide_in_words().
  Error hide(Error error) const;

 private:
  void add_one(std::string value);

  std::deque<std::string> values_;  // the longest first
  std::set<std::string, std::less<>> issued_;
  std::uint64_t version_ = 0;
};

}  // namespace host::upstream
