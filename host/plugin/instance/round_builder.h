// Collects and checks the questions of one call to its client, in the same way everywhere: inline,
// in the worker so that the plugin gets the status at once, and again in the host, which trusts no
// worker. Not thread-safe.
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
  // abilities: TP_ASK_... bits of the questions that the client supports.
  explicit RoundBuilder(std::uint32_t abilities) : abilities_(abilities) {}

  // As in tp_ask_api.
  tp_status ask(std::string_view key, std::string_view method, std::string_view params);
  tp_status keep(std::string_view state);

  bool asks() const { return !round_.questions.empty(); }
  // Bits of questions that the client does not support.
  std::uint32_t lacking() const { return lacking_; }
  tool::Round take() { return std::move(round_); }

 private:
  std::uint32_t abilities_;
  std::uint32_t lacking_ = 0;
  tool::Round round_;
};

std::uint32_t ability_bits(const tool::Abilities& abilities);
// MCP's ClientCapabilities of these bits, a JSON object.
std::string capabilities_text(std::uint32_t bits);

// The methods of questions by their numbers in frames.
std::optional<std::int32_t> number_of_method(std::string_view method);
std::string_view method_of_number(std::int32_t number);  // empty: unknown

}  // namespace host::plugin
