// Perl regular expressions whose searches end in time, whatever the pattern and the text are.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

// A compiled pattern. Any thread.
class Regex {
 public:
  // Throws toolpost::Error that says what is wrong with the pattern, and where. A pattern may not
  // have \X, nor very long classes.
  explicit Regex(const std::string& pattern);

 private:
  friend class RegexSearch;
  std::shared_ptr<void> code_;
};

// The search takes too many steps, or it was told to stop.
class TooCostly : public std::exception {
 public:
  const char* what() const noexcept override { return "the search takes too many steps"; }
};

// Searches with one pattern, one at a time.
class RegexSearch {
 public:
  // A search asks this long after the last question whether it may go on, or as soon as the item of
  // the pattern ends that runs then. One item scans the text once.
  static constexpr std::chrono::milliseconds kBetweenAsks{2};
  // May not throw.
  using MayGoOn = std::function<bool()>;

  RegexSearch(const Regex& regex, MayGoOn may_go_on);
  RegexSearch(const RegexSearch&) = delete;
  RegexSearch& operator=(const RegexSearch&) = delete;

  struct Options {
    bool valid_utf8 = false;  // the text is known to be
    bool not_empty = false;   // an empty match is none
  };
  struct Match {
    std::size_t begin;
    std::size_t end;
  };
  // The next match that begins at `from` or later. Throws TooCostly.
  std::optional<Match> find(std::string_view text, std::size_t from, Options options);

 private:
  friend struct Callout;
  bool may_go_on();

  std::shared_ptr<void> code_, match_, limits_;
  MayGoOn ask_;
  std::chrono::nanoseconds asked_;  // when it asked last
};
