// One pattern and what takes the place of its matches, with a bound on the time of a search.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "regex/regex.h"

class Redaction {
 public:
  // Throws toolpost::Error if the pattern is not valid, or matches the empty text.
  Redaction(const std::string& pattern, std::string replacement);

  using Clock = std::chrono::steady_clock;

  // The text with every match replaced; nullopt: there is none. Throws toolpost::Error if the
  // search is not over at `end`: then the text must not be shown. Any thread.
  std::optional<std::string> apply(std::string_view text, Clock::time_point end) const;

 private:
  std::string replacement_;
  Regex regex_;
};
