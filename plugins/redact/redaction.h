// One pattern and what takes the place of its matches: PCRE2 with a bound on the time of a search.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

class Redaction {
 public:
  // Throws toolpost::Error if the pattern is not valid, or matches the empty text.
  Redaction(const std::string& pattern, std::string replacement);

  using Clock = std::chrono::steady_clock;

  // The text with every match replaced; nullopt: there is none. Throws toolpost::Error if the
  // search is not over at `end`: then the text must not be shown. Any thread.
  std::optional<std::string> apply(std::string_view text, Clock::time_point end) const;

 private:
  struct Match {
    std::size_t begin;
    std::size_t end;
  };
  // The next match that begins at `from` or later, with options of pcre2_match().
  std::optional<Match> find(std::string_view text, std::size_t from, std::uint32_t options,
                            Clock::time_point end) const;

  std::string replacement_;
  std::shared_ptr<void> code_;
};
