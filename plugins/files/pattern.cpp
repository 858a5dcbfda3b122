#include "pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <new>

#include <toolpost/toolpost.hpp>

namespace {

constexpr std::size_t kMaxBytes = 1000;
// Some 10 ms on a slow machine.
constexpr std::uint32_t kMaxSteps = 1'000'000;
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

}  // namespace

Pattern::Pattern(const std::string& text) : text_(text) {
  if (text.size() > kMaxBytes) refuse(text, "is too long: " + std::to_string(kMaxBytes) + " bytes");
  int error = 0;
  PCRE2_SIZE at = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                   PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE,
                                   &error, &at, nullptr);
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

bool Pattern::is_in(std::string_view line) const {
  const int found =
      pcre2_match(static_cast<pcre2_code*>(code_.get()), reinterpret_cast<PCRE2_SPTR>(line.data()),
                  line.size(), 0, PCRE2_NO_UTF_CHECK, static_cast<pcre2_match_data*>(match_.get()),
                  static_cast<pcre2_match_context*>(limits_.get()));
  if (found == PCRE2_ERROR_NOMATCH) return false;
  if (found < 0)
    refuse(text_, "takes too many steps on a line: write it without repeats within repeats");
  return true;
}
