// One pattern and what takes the place of its matches: PCRE2 with a bound on what one text may
// cost.
#pragma once

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

  // The text with every match replaced; nullopt: there is none. Throws toolpost::Error if the
  // search costs too much: then the text must not be shown. Any thread.
  std::optional<std::string> apply(std::string_view text) const;

 private:
  struct Match {
    std::size_t begin;
    std::size_t end;
  };
  // The next match from `from` on, with options of pcre2_match().
  std::optional<Match> find(std::string_view text, std::size_t from, std::uint32_t options) const;

  std::string replacement_;
  std::shared_ptr<void> code_, limits_;
};
