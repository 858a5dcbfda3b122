// The result of a call.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tool/definition/question.h"

namespace host::tool {

struct CallResult {
  std::string content;     // JSON text: the content blocks, joined by commas, without brackets
  std::string structured;  // JSON text of one value; empty: none
  std::string meta;        // JSON text: members of `_meta`, without braces; empty: none
  bool is_error = false;
  // If set, this is not a result yet: the client must answer the round first.
  std::optional<Round> round;
  // If set, this is not a result yet: the call continues as the task with this id.
  std::string task;
  // The tool needs to ask a question that this client does not support. The missing capabilities,
  // as a JSON object like {"sampling":{}}. Empty: none.
  std::string lacking;

  void add_text(std::string_view text);
  // Adds a block that is already JSON text.
  void add_block(std::string_view json);

  static CallResult text(std::string_view text);
  static CallResult error(std::string_view text);  // isError: a failure that the model can read
};

}  // namespace host::tool
