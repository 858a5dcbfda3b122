#include "pattern.h"

#include <ctime>

namespace {

// Of one line. CPU time of the thread, so that a busy machine refuses no search.
constexpr std::chrono::seconds kLongest{2};

std::chrono::nanoseconds cpu_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace

Pattern::Pattern(const std::string& text, const toolpost::Context& call)
    : text_(text), call_(call), search_(Regex(text), [this] { return may_go_on(); }) {}

// The first question of a line is early enough to begin to count.
bool Pattern::may_go_on() {
  const std::chrono::nanoseconds now = cpu_time();
  if (!began_) began_ = now;
  return now - *began_ < kLongest && !call_.cancelled();
}

bool Pattern::is_in(std::string_view line) try {
  began_.reset();
  return search_.find(line, 0, {.valid_utf8 = true}).has_value();
} catch (const TooCostly&) {
  call_.check();
  throw toolpost::Error("pattern \"" + std::string(toolpost::cut(text_, 200)) +
                        "\" takes too many steps on a line: write it without repeats within "
                        "repeats");
}
