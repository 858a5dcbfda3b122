// A Pattern is a regular expression in a schema: ECMA-262 with the `u` flag. PCRE2 runs the
// expressions under limits.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/schema/program.h"

namespace host::json::schema {

class Pattern {
 public:
  // The message of the returned Error says what is wrong with the regular expression.
  static Result<Pattern> compile(std::string_view text);

  // Returns true if the expression matches anywhere in `subject`. The function takes the time of
  // the match from the budget of `run`. If the expression backtracks too much, the budget is
  // exhausted.
  bool matches(std::string_view subject, Run& run) const;

  const std::string& text() const { return text_; }
  std::size_t memory_bytes() const { return memory_bytes_; }

 private:
  struct CodeDeleter {
    void operator()(void* code) const;
  };
  using Code = std::unique_ptr<void, CodeDeleter>;  // a pcre2_code

  Pattern(std::string text, Code code, std::size_t memory_bytes, bool anchored)
      : text_(std::move(text)),
        code_(std::move(code)),
        memory_bytes_(memory_bytes),
        anchored_(anchored) {}

  std::string text_;
  Code code_;
  std::size_t memory_bytes_;
  bool anchored_;  // true: the expression can match only at the start of the subject
};

// Returns true if the expression is valid in ECMA-262. The format `regex` uses
// is_regular_expression(). compile() accepts fewer expressions, because PCRE2 must be able to run
// them.
bool is_regular_expression(std::string_view text);

}  // namespace host::json::schema
