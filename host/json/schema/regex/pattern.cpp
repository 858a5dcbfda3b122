#include "json/schema/regex/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>

#include "json/schema/regex/ecma_regex.h"
#include "json/schema/regex/pattern_memory.h"
#include "json/schema/run.h"

namespace host::json::schema {
namespace {

constexpr std::size_t kMaxTextBytes = 10'000;
constexpr std::uint32_t kOptions = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF |
                                   PCRE2_NEVER_BACKSLASH_C | PCRE2_ALLOW_EMPTY_CLASS |
                                   PCRE2_USE_OFFSET_LIMIT;

// Nearly all matches end within the first limit; what does not is tried again with the second, from
// few starting points at a time, with a look at the clock between them.
constexpr std::uint32_t kFirstMatchLimit = 500;
constexpr std::uint32_t kMatchLimit = 100'000;
constexpr std::uint32_t kHeapLimitKib = 16'000;
constexpr std::size_t kFirstSubjectBytes = 4096;
constexpr std::size_t kWindowWork = 20'000'000;  // starting points times their worst cost
constexpr unsigned kMatchesPerLook = 16;

std::size_t& compiled_bytes() {
  thread_local std::size_t bytes = 0;
  return bytes;
}

struct Scratch {
  pcre2_match_context* context = pcre2_match_context_create(nullptr);
  pcre2_match_data* data = pcre2_match_data_create(1, nullptr);
  unsigned matches = 0;

  Scratch() { pcre2_set_heap_limit(context, kHeapLimitKib); }
  ~Scratch() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
};

Scratch& scratch() {
  thread_local Scratch one;
  return one;
}

int match_from(const pcre2_code* code, std::string_view subject, std::size_t start,
               std::size_t last_start, std::uint32_t limit, std::uint32_t options) {
  Scratch& use = scratch();
  pcre2_set_match_limit(use.context, limit);
  pcre2_set_offset_limit(use.context, last_start);
  return pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(subject.data()), subject.size(), start,
                     options, use.data, use.context);
}

bool match_slowly(const pcre2_code* code, bool anchored, std::string_view subject, Run& run) {
  const std::size_t cost = std::max<std::size_t>(kMatchLimit, subject.size());
  const std::size_t window =
      anchored ? subject.size() : std::max<std::size_t>(kWindowWork / cost, 16);
  std::uint32_t options = 0;
  for (std::size_t start = 0; start <= subject.size();) {
    if (!run.spend(10) || !run.time_left()) return false;
    std::size_t last = std::min(start + window, subject.size());
    while (last < subject.size() && (static_cast<unsigned char>(subject[last]) & 0xC0u) == 0x80u) {
      ++last;  // to the start of a character
    }
    const int result = match_from(code, subject, start, last, kMatchLimit, options);
    if (result >= 0) return true;
    if (result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_HEAPLIMIT) {
      return run.exhaust("a pattern backtracks too much on this value");
    }
    if (result != PCRE2_ERROR_NOMATCH) return false;
    options = PCRE2_NO_UTF_CHECK;  // done by the first call
    start = last + 1;
    while (start < subject.size() &&
           (static_cast<unsigned char>(subject[start]) & 0xC0u) == 0x80u) {
      ++start;
    }
  }
  return false;
}

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 200> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

struct Compiled {
  pcre2_code* code = nullptr;
  int error = 0;
};

Compiled compile_translated(const std::string& text) {
  pcre2_compile_context* const context = pcre2_compile_context_create(nullptr);
  pcre2_set_newline(context, PCRE2_NEWLINE_LF);
  pcre2_set_parens_nest_limit(context, 100);
  Compiled result;
  PCRE2_SIZE offset = 0;
  result.code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), kOptions,
                              &result.error, &offset, context);
  pcre2_compile_context_free(context);
  return result;
}

}  // namespace

std::size_t pattern_bytes_of_thread() {
  return compiled_bytes();
}

void Pattern::CodeDeleter::operator()(void* code) const {
  pcre2_code_free(static_cast<pcre2_code*>(code));
}

Result<Pattern> Pattern::compile(std::string_view text) {
  const auto wrong = [](std::string_view why) {
    return Error{ErrorKind::InvalidArgument,
                 "is no regular expression that can be used: " + std::string(why)};
  };
  if (text.size() > kMaxTextBytes) {
    return wrong("longer than " + std::to_string(kMaxTextBytes) + " bytes");
  }
  const auto translated = translate_ecma_regex(text);
  if (!translated) return wrong(translated.error().message);
  const Compiled compiled = compile_translated(*translated);
  if (compiled.code == nullptr) return wrong(message_of(compiled.error));
  PCRE2_SIZE size = 0;
  pcre2_pattern_info(compiled.code, PCRE2_INFO_SIZE, &size);
  compiled_bytes() += size;
  std::uint32_t options = 0;
  pcre2_pattern_info(compiled.code, PCRE2_INFO_ALLOPTIONS, &options);
  return Pattern(std::string(text), Code(compiled.code), size, (options & PCRE2_ANCHORED) != 0);
}

bool Pattern::matches(std::string_view subject, Run& run) const {
  if (!run.spend(4 + subject.size() / 64)) return false;
  if (subject.data() == nullptr) subject = "";
  const auto* const code = static_cast<const pcre2_code*>(code_.get());
  if (subject.size() > kFirstSubjectBytes) return match_slowly(code, anchored_, subject, run);
  if (++scratch().matches % kMatchesPerLook == 0 && !run.time_left()) return false;
  const int result = match_from(code, subject, 0, PCRE2_UNSET, kFirstMatchLimit, 0);
  if (result == PCRE2_ERROR_MATCHLIMIT) return match_slowly(code, anchored_, subject, run);
  return result >= 0;
}

bool is_regular_expression(std::string_view text) {
  if (text.size() > kMaxTextBytes) return false;
  const auto translated = translate_ecma_regex(text);
  if (!translated) return false;
  const Compiled compiled = compile_translated(*translated);
  pcre2_code_free(compiled.code);
  // ECMA-262 can look behind for any length; PCRE2 10.42 cannot.
  return compiled.code != nullptr || compiled.error == PCRE2_ERROR_LOOKBEHIND_NOT_FIXED_LENGTH;
}

}  // namespace host::json::schema
