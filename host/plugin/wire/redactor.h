// Removes a plugin's secrets from texts before the host logs them. Any thread can call the
// functions of this header.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace host::plugin {

// The name and the value of each secret that a plugin may read.
using Secrets = std::vector<std::pair<std::string, std::string>>;

class Redactor {
 public:
  // A value of less than four bytes is not treated as a secret, because so short a value also
  // occurs in other text.
  static constexpr std::size_t kLeastBytes = 4;

  Redactor() = default;
  explicit Redactor(const Secrets& secrets);

  // Replaces each secret in the text, plain or escaped as in JSON, by "[NAME]".
  std::string operator()(std::string_view text) const;
  // Returns a prefix of the redacted text with at most `most` bytes. The prefix never ends inside a
  // secret or a character. begin_of() reads at most `most` + reach() bytes of `text`.
  std::string begin_of(std::string_view text, std::size_t most) const;
  std::size_t reach() const { return words_.empty() ? 1 : words_.front().first.size() + 1; }

 private:
  // The secret texts to replace, and their replacements. The longest text comes first, because a
  // secret can be a prefix of a longer secret.
  std::vector<std::pair<std::string, std::string>> words_;
};

}  // namespace host::plugin
