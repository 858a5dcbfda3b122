// Collects and checks the questions that one call asks its client. The same check runs for inline
// plugins and in the worker, so that the plugin gets the status immediately. The same check runs
// again in the host, because the host trusts no worker. A RoundBuilder is not thread-safe.
#pragma once

#include <toolpost/ext/ask.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tool/definition/question.h"

namespace host::plugin {

class RoundBuilder {
 public:
  // `abilities` contains the TP_ASK_... bits of the questions that the client supports.
  explicit RoundBuilder(std::uint32_t abilities) : abilities_(abilities) {}

  // ask() and keep() implement the functions of tp_ask_api with the same names.
  tp_status ask(std::string_view key, std::string_view method, std::string_view params);
  tp_status keep(std::string_view state);

  bool asks() const { return !round_.questions.empty(); }
  // Returns the TP_ASK_... bits of the plugin's questions that the client does not support.
  std::uint32_t lacking() const { return lacking_; }
  tool::Round take() { return std::move(round_); }

 private:
  std::uint32_t abilities_;
  std::uint32_t lacking_ = 0;
  tool::Round round_;
};

std::uint32_t ability_bits(const tool::Abilities& abilities);
// Returns MCP's ClientCapabilities for these TP_ASK_... bits, as a JSON object.
std::string capabilities_text(std::uint32_t bits);

// In frames between host and worker, a number identifies the MCP method of a question.
std::optional<std::int32_t> number_of_method(std::string_view method);
std::string_view method_of_number(std::int32_t number);  // empty: the number is unknown

}  // namespace host::plugin
