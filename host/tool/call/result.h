// Defines the result of a call.
#pragma once

#include <string>
#include <string_view>

#include "base/rare.h"
#include "tool/definition/question.h"

namespace host::tool {

struct CallResult {
  std::string content;     // JSON text of the content blocks, joined by commas, without brackets
  std::string structured;  // JSON text of one value; empty: none
  std::string meta;        // JSON text of the members of `_meta`, without braces; empty: none
  bool is_error = false;
  // If `round` is set, the tool has asked questions, and the call has no result until the client
  // has answered them.
  Rare<Round> round;
  // If `task` is not empty, the call has no result yet: it continues as the task with this id.
  RareText task;
  // If the tool needs to ask a question that the client does not support, `lacking` is a JSON
  // object with the capabilities that the client lacks, like {"sampling":{}}. If `lacking` is
  // empty, the client lacks no capability.
  RareText lacking;

  void add_text(std::string_view text);
  // Adds a content block, which the caller passes as JSON text.
  void add_block(std::string_view json);

  static CallResult text(std::string_view text);
  static CallResult error(std::string_view text);  // a failure that the model can read
};

}  // namespace host::tool
