// A regular expression that a stranger wrote, over lines that strangers wrote: PCRE2 with a bound
// on what one line may cost.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <toolpost/toolpost.hpp>

class Pattern {
 public:
  // Throws toolpost::Error that says what is wrong with it and where.
  explicit Pattern(const std::string& text);

  // Throws toolpost::Error where the line costs too much, and toolpost::Cancelled if the call ends
  // meanwhile. Any thread, one at a time.
  bool is_in(std::string_view line, const toolpost::Context& call) const;

 private:
  std::string text_;
  std::shared_ptr<void> code_, match_, limits_;
};
