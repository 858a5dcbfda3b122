#include "redaction.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include <toolpost/toolpost.hpp>

namespace {

constexpr std::size_t kMaxPatternBytes = 1000;
// Some 10 ms on a slow machine. A step may scan a long text, so the clock has the last word.
constexpr std::uint32_t kMaxSteps = 1'000'000;
constexpr std::chrono::milliseconds kLongestCheck{100};
// A window is so many places at which a match may begin. It grows while windows are quick.
constexpr std::size_t kFirstWindow = 16;
constexpr std::chrono::milliseconds kQuickWindow{1};
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

[[noreturn]] void refuse_cost() {
  throw toolpost::Error(
      "a pattern takes too long on this text: write it without repeats in repeats");
}

// The first character that begins at `at` or later.
std::size_t next_start(std::string_view text, std::size_t at) {
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u) ++at;
  return at;
}

}  // namespace

Redaction::Redaction(const std::string& pattern, std::string replacement)
    : replacement_(std::move(replacement)) {
  if (pattern.size() > kMaxPatternBytes)
    refuse(pattern, "is longer than " + std::to_string(kMaxPatternBytes) + " bytes");
  int error = 0;
  PCRE2_SIZE at = 0;
  pcre2_code* code = pcre2_compile(
      reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
      PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE | PCRE2_USE_OFFSET_LIMIT, &error,
      &at, nullptr);
  if (code == nullptr) {
    PCRE2_UCHAR words[256];
    pcre2_get_error_message(error, words, sizeof words);
    refuse(pattern, "is no regular expression: " + std::string(reinterpret_cast<char*>(words)) +
                        " (at byte " + std::to_string(at) + ")");
  }
  code_ = owned(code, pcre2_code_free);
  if (find("", 0, 0, Clock::now() + kLongestCheck))
    refuse(pattern, "matches the empty text: it would match everywhere");
}

// PCRE2 counts steps, and one step may scan the rest of the text: a search for [a-z]+@ in a long
// word costs the square of its length. So it runs window by window, with a look at the clock.
std::optional<Redaction::Match> Redaction::find(std::string_view text, std::size_t from,
                                                std::uint32_t options,
                                                Clock::time_point end) const {
  const auto match = owned(pcre2_match_data_create(1, nullptr), pcre2_match_data_free);
  const auto limits = owned(pcre2_match_context_create(nullptr), pcre2_match_context_free);
  auto* const data = static_cast<pcre2_match_data*>(match.get());
  auto* const context = static_cast<pcre2_match_context*>(limits.get());
  pcre2_set_match_limit(context, kMaxSteps);
  pcre2_set_depth_limit(context, kMaxDepth);
  pcre2_set_heap_limit(context, kMaxHeapKib);
  const char* const bytes = text.empty() ? "" : text.data();  // an empty text may have no address
  std::size_t window = kFirstWindow;
  std::uint32_t checked = from > 0 ? PCRE2_NO_UTF_CHECK : 0;  // once for each text
  for (;;) {
    const std::size_t last =
        window < text.size() - from ? next_start(text, from + window) : text.size();
    pcre2_set_offset_limit(context, last);
    const Clock::time_point began = Clock::now();
    if (began > end) refuse_cost();
    const int found =
        pcre2_match(static_cast<pcre2_code*>(code_.get()), reinterpret_cast<PCRE2_SPTR>(bytes),
                    text.size(), from, checked | options, data, context);
    checked = PCRE2_NO_UTF_CHECK;
    if (found >= 0) break;
    if (found != PCRE2_ERROR_NOMATCH) refuse_cost();
    if (last == text.size()) return std::nullopt;
    from = last;
    window = Clock::now() - began < kQuickWindow ? window * 2 : std::max(window / 2, kFirstWindow);
  }
  const PCRE2_SIZE* const place = pcre2_get_ovector_pointer(data);
  return Match{place[0], place[1]};
}

std::optional<std::string> Redaction::apply(std::string_view text, Clock::time_point end) const {
  std::size_t from = 0;
  std::optional<std::string> out;
  while (const auto match = find(text, from, PCRE2_NOTEMPTY, end)) {
    if (match->end <= from) break;  // \K in a pattern can move a match backwards
    if (!out) out.emplace();
    out->append(text.substr(from, std::max(match->begin, from) - from)).append(replacement_);
    from = match->end;
  }
  if (out) out->append(text.substr(from));
  return out;
}
