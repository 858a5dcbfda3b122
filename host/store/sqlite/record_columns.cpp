#include "store/sqlite/record_columns.h"

#include "json/json.h"
#include "json/object_text.h"
#include "json/own_text.h"

namespace host::store {

using tool::Answers;
using tool::Question;

std::string text_of(const std::vector<Question>& questions) {
  std::string text = "[";
  for (const Question& question : questions) {
    text += text.size() > 1 ? ",[" : "[";
    json::write_string(question.key, text);
    text += ',';
    json::write_string(question.method, text);
    text += ',';
    json::write_string(question.params, text);
    text += ']';
  }
  return text + "]";
}

std::vector<Question> questions_in(std::string_view text) {
  std::vector<Question> questions;
  const auto tree = json::parse_own(text);
  if (!tree || !tree->root().IsArray()) return questions;
  for (const json::Value& one : tree->root().GetArray()) {
    if (!one.IsArray() || one.Size() != 3) continue;
    questions.push_back({std::string(json::text(one[0])), std::string(json::text(one[1])),
                         std::string(json::text(one[2]))});
  }
  return questions;
}

std::string text_of(const Answers& answers) {
  std::string text = "{";
  for (const auto& [key, answer] : answers) json::add_member(text, key, answer);
  return text + "}";
}

Answers answers_in(std::string_view text) {
  Answers answers;
  const auto tree = json::parse_own(text);
  if (!tree || !tree->root().IsObject()) return answers;
  for (const auto& member : tree->root().GetObject()) {
    answers.emplace(json::text(member.name), json::write(member.value));
  }
  return answers;
}

}  // namespace host::store
