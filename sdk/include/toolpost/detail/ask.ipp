// The bodies of ask.hpp.
#pragma once

#include "toolpost/detail/ask.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

TOOLPOST_INLINE std::string form_params(std::string_view message, std::string_view schema) {
  std::string out = R"({"mode":"form","message":)";
  write_string(out, message);
  return out.append(R"(,"requestedSchema":)").append(schema) + "}";
}

TOOLPOST_INLINE std::string url_params(std::string_view message, std::string_view url) {
  std::string out = R"({"mode":"url","message":)";
  write_string(out, message);
  out += R"(,"url":)";
  write_string(out, url);
  return out + "}";
}

TOOLPOST_INLINE std::string sampling_params(const Sampling& what) {
  std::string out = R"({"messages":)";
  if (what.messages.text.empty()) {
    out += R"([{"role":"user","content":{"type":"text","text":)";
    write_string(out, what.prompt);
    out += "}}]";
  } else {
    out += what.messages.text;
  }
  out += R"(,"maxTokens":)" + std::to_string(what.max_tokens);
  if (!what.system_prompt.empty()) {
    out += R"(,"systemPrompt":)";
    write_string(out, what.system_prompt);
  }
  if (what.temperature) {
    out += R"(,"temperature":)";
    write_number(out, *what.temperature);
  }
  if (!what.more.text.empty()) {
    Reader more(what.more.text, "more");
    more.object([&](std::string_view key) {
      out += ',';
      write_string(out, key);
      out.append(1, ':').append(more.any());
    });
  }
  return out + "}";
}

TOOLPOST_INLINE Elicited<Json> read_elicited(std::string_view text) {
  Elicited<Json> answer;
  Reader in(text, "answer");
  in.object([&](std::string_view key) {
    if (key == "action") {
      Codec<Action>::read(in, answer.action);
    } else if (key == "content") {
      answer.raw.text = in.any();
    } else {
      in.any();
    }
  });
  if (answer.raw.text == "null") answer.raw.text = "{}";
  if (answer.action == Action::accept) answer.content = answer.raw;
  return answer;
}

TOOLPOST_INLINE std::string text_of_block(std::string_view block) {
  std::string text;
  if (!block.starts_with('{')) return text;
  Reader in(block, "answer");
  in.object([&](std::string_view key) {
    if (key == "text") {
      text = in.string();
    } else {
      in.any();
    }
  });
  return text;
}

TOOLPOST_INLINE Sampled read_sampled(std::string_view text) {
  Sampled answer;
  Reader in(text, "answer");
  in.object([&](std::string_view key) {
    if (key == "role") {
      answer.role = in.string();
    } else if (key == "model") {
      answer.model = in.string();
    } else if (key == "stopReason" && !in.null()) {
      answer.stop_reason = in.string();
    } else if (key == "content") {
      answer.content.text = in.any();
    } else if (key != "stopReason") {
      in.any();
    }
  });
  answer.text = text_of_block(answer.content.text);
  return answer;
}

TOOLPOST_INLINE std::vector<Root> read_roots(std::string_view text) {
  std::vector<Root> roots;
  Reader in(text, "answer");
  in.object([&](std::string_view key) {
    if (key == "roots") {
      Codec<std::vector<Root>>::read(in, roots);
    } else {
      in.any();
    }
  });
  return roots;
}

}  // namespace detail

}  // namespace v1
}  // namespace toolpost
