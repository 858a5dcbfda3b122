#include "regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <ctime>
#include <new>
#include <utility>

#include <toolpost/toolpost.hpp>

namespace {

constexpr std::size_t kMaxPatternBytes = 1000;
constexpr std::size_t kMaxClassBytes = 250;
// From one place at which a match may begin.
constexpr std::uint32_t kMaxSteps = 1'000'000;
constexpr std::uint32_t kMaxDepth = 10'000;
constexpr std::uint32_t kMaxHeapKib = 8 * 1024;

[[noreturn]] void refuse(const std::string& pattern, const std::string& why) {
  throw toolpost::Error("pattern \"" + std::string(toolpost::cut(pattern, 200)) + "\" " + why);
}

template <class T>
std::shared_ptr<void> owned(T* made, void (*free_it)(T*)) {
  if (made == nullptr) throw std::bad_alloc();
  return {made, [free_it](void* it) { free_it(static_cast<T*>(it)); }};
}

std::uint32_t flags(RegexSearch::Options options) {
  return (options.valid_utf8 ? PCRE2_NO_UTF_CHECK : 0) | (options.not_empty ? PCRE2_NOTEMPTY : 0);
}

// The clock that is cheapest to read. It is read before each item of a pattern.
std::chrono::nanoseconds coarse_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

enum Item { kOrdinary, kGrapheme, kLongClass };

// One item may scan the whole text before anybody looks at the time. With \X, that is not one scan
// alone, because PCRE2 scans back at each flag. A class is compared with each character part by
// part.
int judge_item(pcre2_callout_enumerate_block* block, void* pattern) {
  const std::string_view item = static_cast<std::string_view*>(pattern)->substr(
      block->pattern_position, block->next_item_length);
  if (item.starts_with("\\X")) return kGrapheme;
  return item.starts_with("[") && item.size() > kMaxClassBytes ? kLongClass : kOrdinary;
}

void refuse_slow_items(pcre2_code* code, const std::string& pattern) {
  std::string_view text = pattern;
  const int worst = pcre2_callout_enumerate(code, judge_item, &text);
  if (worst == kGrapheme) refuse(pattern, "may not have \\X, which can take too long");
  if (worst == kLongClass)
    refuse(pattern, "has too long a class: from [ to ], it may have " +
                        std::to_string(kMaxClassBytes) + " bytes");
}

}  // namespace

// PCRE2 calls this before each item of the pattern, and so at least once from each place at which
// a match may begin. An item may scan the rest of the text in one step and then fail, so that
// neither the limit on steps nor the way through the text tells the time.
struct Callout {
  static int before_item(pcre2_callout_block*, void* search) {
    return static_cast<RegexSearch*>(search)->may_go_on() ? 0 : PCRE2_ERROR_CALLOUT;
  }
};

Regex::Regex(const std::string& pattern) {
  if (pattern.size() > kMaxPatternBytes)
    refuse(pattern, "is too long: it may have " + std::to_string(kMaxPatternBytes) + " bytes");
  int error = 0;
  PCRE2_SIZE at = 0;
  pcre2_code* code = pcre2_compile(
      reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
      PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE | PCRE2_AUTO_CALLOUT, &error, &at,
      nullptr);
  if (code == nullptr) {
    PCRE2_UCHAR words[256];
    pcre2_get_error_message(error, words, sizeof words);
    refuse(pattern, "is no regular expression: " + std::string(reinterpret_cast<char*>(words)) +
                        " (at byte " + std::to_string(at) + ")");
  }
  code_ = owned(code, pcre2_code_free);
  refuse_slow_items(code, pattern);
}

RegexSearch::RegexSearch(const Regex& regex, MayGoOn may_go_on)
    : code_(regex.code_),
      match_(owned(pcre2_match_data_create(1, nullptr), pcre2_match_data_free)),
      limits_(owned(pcre2_match_context_create(nullptr), pcre2_match_context_free)),
      ask_(std::move(may_go_on)),
      asked_(coarse_now()) {
  auto* const limits = static_cast<pcre2_match_context*>(limits_.get());
  pcre2_set_match_limit(limits, kMaxSteps);
  pcre2_set_depth_limit(limits, kMaxDepth);
  pcre2_set_heap_limit(limits, kMaxHeapKib);
  pcre2_set_callout(limits, Callout::before_item, this);
}

bool RegexSearch::may_go_on() {
  const std::chrono::nanoseconds now = coarse_now();
  if (now - asked_ < kBetweenAsks) return true;
  asked_ = now;
  return ask_();
}

std::optional<RegexSearch::Match> RegexSearch::find(std::string_view text, std::size_t from,
                                                    Options options) {
  auto* const match = static_cast<pcre2_match_data*>(match_.get());
  const char* const bytes = text.empty() ? "" : text.data();  // an empty text may have no address
  const int found = pcre2_match(
      static_cast<pcre2_code*>(code_.get()), reinterpret_cast<PCRE2_SPTR>(bytes), text.size(), from,
      flags(options), match, static_cast<pcre2_match_context*>(limits_.get()));
  if (found == PCRE2_ERROR_NOMATCH) return std::nullopt;
  if (found < 0) throw TooCostly();
  const PCRE2_SIZE* const place = pcre2_get_ovector_pointer(match);
  return Match{place[0], place[1]};
}
