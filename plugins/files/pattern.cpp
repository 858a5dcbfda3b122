#include "pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <chrono>
#include <new>

#include <toolpost/toolpost.hpp>

namespace {

constexpr std::size_t kMaxBytes = 1000;
// Some 10 ms on a slow machine. A step may scan a long line, so the clock has the last word.
constexpr std::uint32_t kMaxSteps = 1'000'000;
constexpr std::chrono::seconds kLongestLine{1};
// A window is so many places at which a match may begin. It grows while windows are quick.
constexpr std::size_t kFirstWindow = 16;
constexpr std::chrono::milliseconds kQuickWindow{1};
constexpr std::uint32_t kMaxDepth = 10'000;
constexpr std::uint32_t kMaxHeapKib = 8 * 1024;

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw toolpost::Error("pattern \"" + std::string(toolpost::cut(text, 200)) + "\" " + why);
}

template <class T>
std::shared_ptr<void> owned(T* made, void (*free_it)(T*)) {
  if (made == nullptr) throw std::bad_alloc();
  return {made, [free_it](void* it) { free_it(static_cast<T*>(it)); }};
}

// The first character that begins at `at` or later.
std::size_t next_start(std::string_view text, std::size_t at) {
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u) ++at;
  return at;
}

}  // namespace

Pattern::Pattern(const std::string& text) : text_(text) {
  if (text.size() > kMaxBytes) refuse(text, "is too long: " + std::to_string(kMaxBytes) + " bytes");
  int error = 0;
  PCRE2_SIZE at = 0;
  pcre2_code* code = pcre2_compile(
      reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
      PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE | PCRE2_USE_OFFSET_LIMIT, &error,
      &at, nullptr);
  if (code == nullptr) {
    PCRE2_UCHAR words[256];
    pcre2_get_error_message(error, words, sizeof words);
    refuse(text, "is no regular expression: " + std::string(reinterpret_cast<char*>(words)) +
                     " (at byte " + std::to_string(at) + ")");
  }
  code_ = owned(code, pcre2_code_free);
  match_ = owned(pcre2_match_data_create(1, nullptr), pcre2_match_data_free);
  pcre2_match_context* limits = pcre2_match_context_create(nullptr);
  limits_ = owned(limits, pcre2_match_context_free);
  pcre2_set_match_limit(limits, kMaxSteps);
  pcre2_set_depth_limit(limits, kMaxDepth);
  pcre2_set_heap_limit(limits, kMaxHeapKib);
}

// PCRE2 counts steps for each place at which a match may begin, and one step may scan the rest of
// the line: a search for [a-z]+@ in a long word costs the square of its length. So it runs window
// by window, with a look at the clock.
bool Pattern::is_in(std::string_view line, const toolpost::Context& call) const {
  using Clock = std::chrono::steady_clock;
  auto* const limits = static_cast<pcre2_match_context*>(limits_.get());
  const Clock::time_point first = Clock::now();
  Clock::time_point began = first;
  std::size_t window = kFirstWindow;
  for (std::size_t from = 0;;) {
    const bool is_last = line.size() - from <= window;
    const std::size_t last = is_last ? line.size() : next_start(line, from + window);
    pcre2_set_offset_limit(limits, last);
    const int found =
        pcre2_match(static_cast<pcre2_code*>(code_.get()),
                    reinterpret_cast<PCRE2_SPTR>(line.data()), line.size(), from,
                    PCRE2_NO_UTF_CHECK, static_cast<pcre2_match_data*>(match_.get()), limits);
    if (found >= 0) return true;
    const Clock::time_point now = Clock::now();
    if (found != PCRE2_ERROR_NOMATCH || now - first > kLongestLine)
      refuse(text_, "takes too many steps on a line: write it without repeats within repeats");
    if (last == line.size()) return false;
    call.check();
    window = now - began < kQuickWindow ? window * 2 : std::max(window / 2, kFirstWindow);
    from = last;
    began = now;
  }
}
