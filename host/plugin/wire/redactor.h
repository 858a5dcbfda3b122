// Takes secrets out of texts that are going to a log. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace host::plugin {

// Name and value, as a plugin may have them.
using Secrets = std::vector<std::pair<std::string, std::string>>;

class Redactor {
 public:
  // A value of less than four bytes is no secret, and its letters stand everywhere.
  static constexpr std::size_t kLeastBytes = 4;

  Redactor() = default;
  explicit Redactor(const Secrets& secrets);

  // Each value, plain or as a JSON string has it, becomes "[NAME]".
  std::string operator()(std::string_view text) const;
  // The begin of that, of at most `most` bytes: neither a secret nor a character is cut. What lies
  // more than `most` + reach() bytes from the begin of `text` is never looked at.
  std::string begin_of(std::string_view text, std::size_t most) const;
  std::size_t reach() const { return words_.empty() ? 1 : words_.front().first.size() + 1; }

 private:
  // What is looked for, and what takes its place. The longest first: one secret may be the
  // beginning of another.
  std::vector<std::pair<std::string, std::string>> words_;
};

}  // namespace host::plugin
