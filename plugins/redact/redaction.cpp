#include "redaction.h"

#include <algorithm>
#include <utility>

#include <toolpost/toolpost.hpp>

namespace {

[[noreturn]] void refuse_cost() {
  throw toolpost::Error(
      "a pattern takes too long on this text: write it without repeats in repeats");
}

bool fits_the_empty_text(const Regex& regex) try {
  RegexSearch search(regex, [] { return false; });  // no more than a moment
  return search.find("", 0, {}).has_value();
} catch (const TooCostly&) {
  refuse_cost();
}

}  // namespace

Redaction::Redaction(const std::string& pattern, std::string replacement)
    : replacement_(std::move(replacement)), regex_(pattern) {
  if (fits_the_empty_text(regex_))
    throw toolpost::Error("pattern \"" + std::string(toolpost::cut(pattern, 200)) +
                          "\" matches the empty text: it would match everywhere");
}

std::optional<std::string> Redaction::apply(std::string_view text, Clock::time_point end) const
    try {
  // A search of a short text asks nothing, and there may be many texts.
  if (Clock::now() > end) throw TooCostly();
  RegexSearch search(regex_, [end] { return Clock::now() <= end; });
  std::size_t from = 0;
  std::optional<std::string> out;
  while (const auto match = search.find(text, from, {.valid_utf8 = from > 0, .not_empty = true})) {
    if (match->end <= from) break;  // \K in a pattern can move a match backwards
    if (!out) out.emplace();
    out->append(text.substr(from, std::max(match->begin, from) - from)).append(replacement_);
    from = match->end;
  }
  if (out) out->append(text.substr(from));
  return out;
} catch (const TooCostly&) {
  refuse_cost();
}
