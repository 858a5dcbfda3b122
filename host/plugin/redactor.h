// Takes secrets out of texts that are going to a log. Any thread.
#pragma once

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

 private:
  std::vector<std::pair<std::string, std::string>>
      words_;  // what is looked for, what takes its place
};

}  // namespace host::plugin
