#include "protocol/elicitation.h"

#include <vector>

#include "json/object_text.h"
#include "json/schema/schema.h"
#include "protocol/json_rpc.h"

namespace host::protocol {
namespace {

constexpr std::string_view kUrlMode = "url";

std::optional<std::string> form_fault(std::string_view params, const json::Value* content) {
  const auto tree = json::parse(params);
  const json::Value* const form = tree ? json::find(tree->root(), "requestedSchema") : nullptr;
  if (!form) return std::nullopt;  // a URL, not a form
  const auto schema = json::schema::Schema::compile(*form);
  if (!schema) return "its form cannot be checked: " + schema.error().message;
  const json::Value nothing(rapidjson::kObjectType);
  std::vector<json::schema::Violation> violations;
  if (schema->validate(content ? *content : nothing, violations)) return std::nullopt;
  return json::schema::describe(violations);
}

}  // namespace

std::string form_params(std::string_view message, std::string_view requested_schema) {
  std::string out = R"({"mode":"form","message":)";
  json::write_string(message, out);
  out += R"(,"requestedSchema":)";
  out += requested_schema;
  out += '}';
  return out;
}

std::string url_params(std::string_view message, std::string_view url) {
  std::string out = "{";
  json::add_text(out, "mode", kUrlMode);
  json::add_text(out, "message", message);
  json::add_text(out, "url", url);
  return out + "}";
}

std::string params_for(const tool::Question& question, Version version, std::string_view id) {
  const Features& known = features(version);
  const bool as_it_is = question.method != "elicitation/create" ||
                        (known.elicitation_modes && !known.elicitation_ids);
  if (as_it_is) return question.params;
  auto tree = json::parse(question.params);
  if (!tree) return question.params;
  if (!known.elicitation_modes) {
    tree->root().EraseMember("mode");
  } else if (json::find_text(tree->root(), "mode") == kUrlMode) {
    json::set(tree->root(), "elicitationId", json::string(id, tree->allocator()),
              tree->allocator());
  } else {
    return question.params;
  }
  return json::write(tree->root());
}

std::string params_with_reason(const tool::Question& question) {
  auto tree = json::parse(question.params);
  if (!tree) return question.params;
  const std::string message = "The last answer was not accepted: " + question.refused + "\n\n" +
                              std::string(json::find_text(tree->root(), "message"));
  json::set(tree->root(), "message", json::string(message, tree->allocator()), tree->allocator());
  return json::write(tree->root());
}

std::optional<ElicitAnswer> read_elicit_answer(const json::Value& result) {
  using Act = ElicitAnswer::Act;
  const std::string_view action = json::find_text(result, "action");
  ElicitAnswer answer;
  if (action == "accept") {
    answer.act = Act::Accept;
  } else if (action == "decline") {
    answer.act = Act::Decline;
  } else if (action == "cancel") {
    answer.act = Act::Cancel;
  } else {
    return std::nullopt;
  }
  const json::Value* const content = json::find(result, "content");
  if (content && !content->IsObject() && !content->IsNull()) return std::nullopt;
  if (answer.act == Act::Accept && content && content->IsObject()) answer.content = content;
  return answer;
}

std::optional<std::string> answer_fault(const tool::Question& question, const json::Value& result) {
  if (!result.IsObject()) return "the answer must be an object";
  if (question.method == "elicitation/create") {
    const auto answer = read_elicit_answer(result);
    if (!answer) return "the answer must have an action: accept, decline or cancel";
    if (answer->act != ElicitAnswer::Act::Accept) return std::nullopt;
    return form_fault(question.params, answer->content);
  }
  if (question.method == "sampling/createMessage") {
    const json::Value* const content = json::find(result, "content");
    const bool whole = content && (content->IsObject() || content->IsArray()) &&
                       !json::find_text(result, "role").empty();
    if (!whole) return "the answer must have a role and content";
    return std::nullopt;
  }
  const json::Value* const roots = json::find(result, "roots");
  if (!roots || !roots->IsArray()) return "the answer must have roots, an array";
  return std::nullopt;
}

}  // namespace host::protocol
