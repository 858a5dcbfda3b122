#include "redaction.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <new>
#include <utility>

#include <toolpost/toolpost.hpp>

namespace {

constexpr std::size_t kMaxPatternBytes = 1000;
// Some 100 ms on a slow machine.
constexpr std::uint32_t kMaxSteps = 10'000'000;
constexpr std::uint32_t kMaxDepth = 10'000;
constexpr std::uint32_t kMaxHeapKib = 8 * 1024;

[[noreturn]] void refuse(const std::string& pattern, const std::string& why) {
  throw toolpost::Error("pattern \"" + pattern.substr(0, 200) + "\" " + why);
}

template <class T>
std::shared_ptr<void> owned(T* made, void (*free_it)(T*)) {
  if (made == nullptr) throw std::bad_alloc();
  return {made, [free_it](void* it) { free_it(static_cast<T*>(it)); }};
}

}  // namespace

Redaction::Redaction(const std::string& pattern, std::string replacement)
    : replacement_(std::move(replacement)) {
  if (pattern.size() > kMaxPatternBytes)
    refuse(pattern, "is longer than " + std::to_string(kMaxPatternBytes) + " bytes");
  int error = 0;
  PCRE2_SIZE at = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                   PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE,
                                   &error, &at, nullptr);
  if (code == nullptr) {
    PCRE2_UCHAR words[256];
    pcre2_get_error_message(error, words, sizeof words);
    refuse(pattern, "is no regular expression: " + std::string(reinterpret_cast<char*>(words)) +
                        " (at byte " + std::to_string(at) + ")");
  }
  code_ = owned(code, pcre2_code_free);
  pcre2_match_context* limits = pcre2_match_context_create(nullptr);
  limits_ = owned(limits, pcre2_match_context_free);
  pcre2_set_match_limit(limits, kMaxSteps);
  pcre2_set_depth_limit(limits, kMaxDepth);
  pcre2_set_heap_limit(limits, kMaxHeapKib);
  if (find("", 0, 0)) refuse(pattern, "matches the empty text: it would match everywhere");
}

std::optional<Redaction::Match> Redaction::find(std::string_view text, std::size_t from,
                                                std::uint32_t options) const {
  const auto match = owned(pcre2_match_data_create(1, nullptr), pcre2_match_data_free);
  auto* const data = static_cast<pcre2_match_data*>(match.get());
  const char* const bytes = text.empty() ? "" : text.data();  // an empty text may have no address
  const int found = pcre2_match(
      static_cast<pcre2_code*>(code_.get()), reinterpret_cast<PCRE2_SPTR>(bytes), text.size(), from,
      PCRE2_NO_UTF_CHECK | options, data, static_cast<pcre2_match_context*>(limits_.get()));
  if (found == PCRE2_ERROR_NOMATCH) return std::nullopt;
  if (found < 0)
    throw toolpost::Error("a pattern takes too many steps: write it without repeats in repeats");
  const PCRE2_SIZE* const place = pcre2_get_ovector_pointer(data);
  return Match{place[0], place[1]};
}

std::optional<std::string> Redaction::apply(std::string_view text) const {
  std::size_t from = 0;
  std::optional<std::string> out;
  while (const auto match = find(text, from, PCRE2_NOTEMPTY)) {
    if (match->end <= from) break;  // \K in a pattern can move a match backwards
    if (!out) out.emplace();
    out->append(text.substr(from, std::max(match->begin, from) - from)).append(replacement_);
    from = match->end;
  }
  if (out) out->append(text.substr(from));
  return out;
}
