// A regular expression that a stranger wrote, over lines that strangers wrote, with a bound on what
// one line may cost.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <toolpost/toolpost.hpp>

#include "regex/regex.h"

class Pattern {
 public:
  // Throws toolpost::Error that says what is wrong with it and where.
  Pattern(const std::string& text, const toolpost::Context& call);

  // Throws toolpost::Error where the line costs too much, and toolpost::Cancelled within a line
  // too. The line is valid UTF-8. Any thread, one at a time.
  bool is_in(std::string_view line);

 private:
  bool may_go_on();

  std::string text_;
  const toolpost::Context& call_;
  std::optional<std::chrono::nanoseconds> began_;  // the line, in CPU time; none: it took no time
  RegexSearch search_;
};
