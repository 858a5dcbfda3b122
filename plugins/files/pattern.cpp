#include "pattern.h"

namespace {

// Some 100 million characters and steps. A count and no clock, so that a busy machine refuses no
// search.
constexpr std::size_t kMostAsks = 400;

}  // namespace

Pattern::Pattern(const std::string& text, const toolpost::Context& call)
    : text_(text),
      call_(call),
      search_(Regex(text), [this] { return ++asks_ <= kMostAsks && !call_.cancelled(); }) {}

bool Pattern::is_in(std::string_view line) try {
  asks_ = 0;
  return search_.find(line, 0, {.valid_utf8 = true}).has_value();
} catch (const TooCostly&) {
  call_.check();
  throw toolpost::Error("pattern \"" + std::string(toolpost::cut(text_, 200)) +
                        "\" takes too many steps on a line: write it without repeats within "
                        "repeats");
}
