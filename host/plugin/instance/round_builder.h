// The questions that one call puts to its client, checked the same way wherever the plugin runs:
// inline, in the worker so that it hears at once, and again in the host, which believes no worker.
// No thread safety.
#pragma once

#include <toolpost/ext/ask.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tool/question.h"

namespace host::plugin {

class RoundBuilder {
 public:
  // abilities: TP_ASK_... bits of what the client can answer.
  explicit RoundBuilder(std::uint32_t abilities) : abilities_(abilities) {}

  // As tp_ask_api has them.
  tp_status ask(std::string_view key, std::string_view method, std::string_view params);
  tp_status keep(std::string_view state);

  bool asks() const { return !round_.questions.empty(); }
  std::uint32_t lacking() const { return lacking_; }  // bits that were asked for in vain
  tool::Round take() { return std::move(round_); }

 private:
  std::uint32_t abilities_;
  std::uint32_t lacking_ = 0;
  tool::Round round_;
};

std::uint32_t ability_bits(const tool::Abilities& abilities);
// MCP's ClientCapabilities of these bits, a JSON object.
std::string capabilities_text(std::uint32_t bits);

// The methods of questions by number, as they go over the wire.
std::optional<std::int32_t> number_of_method(std::string_view method);
std::string_view method_of_number(std::int32_t number);  // empty: no such

}  // namespace host::plugin
