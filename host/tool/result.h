// What a call gave back, on its way to the peer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace host::tool {

// A question to the calling client's person, as MCP's form elicitation has it.
struct Question {
  std::string key;  // names it among the questions of one call
  std::string message;
  std::string schema;  // requestedSchema, JSON text
};

struct CallResult {
  std::string content;     // JSON text: the content blocks, joined by commas, without brackets
  std::string structured;  // JSON text of one value; empty: none
  std::string meta;        // JSON text: members of `_meta`, without braces; empty: none
  bool is_error = false;
  // Not a result yet: the client has to answer this and call again (MCP 2026-07-28,
  // input_required).
  std::optional<Question> question;

  void add_text(std::string_view text);
  // One block that is JSON text already.
  void add_block(std::string_view json);

  static CallResult text(std::string_view text);
  static CallResult error(std::string_view text);  // isError: a failure that the model can read
};

}  // namespace host::tool
