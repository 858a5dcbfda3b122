// What a call gave back, on its way to the peer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tool/question.h"

namespace host::tool {

struct CallResult {
  std::string content;     // JSON text: the content blocks, joined by commas, without brackets
  std::string structured;  // JSON text of one value; empty: none
  std::string meta;        // JSON text: members of `_meta`, without braces; empty: none
  bool is_error = false;
  // Not a result yet: the client has to answer this first.
  std::optional<Round> round;
  // Not a result yet: the call goes on as the task of this id. Empty: it does not.
  std::string task;
  // The tool cannot do without asking what this client cannot be asked: the capabilities that it
  // lacks, a JSON object like {"sampling":{}}. Empty: none.
  std::string lacking;

  void add_text(std::string_view text);
  // One block that is JSON text already.
  void add_block(std::string_view json);

  static CallResult text(std::string_view text);
  static CallResult error(std::string_view text);  // isError: a failure that the model can read
};

}  // namespace host::tool
