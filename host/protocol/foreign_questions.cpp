#include "protocol/foreign_questions.h"

#include "tool/definition/question_url.h"
#include "tool/definition/unbegun.h"

namespace host::protocol {
namespace {

constexpr std::string_view kElicit = "elicitation/create";
constexpr std::string_view kSample = "sampling/createMessage";
constexpr std::string_view kRoots = "roots/list";

Error wrong_params(std::string what) {
  return Error{ErrorKind::InvalidArgument, std::move(what)};
}

bool has_text(const json::Value& in, std::string_view key) {
  const json::Value* const found = json::find(in, key);
  return found && found->IsString();
}

Result<void> check_elicitation(const json::Value& params) {
  if (!has_text(params, "message")) return wrong_params("\"message\" must be a string");
  const std::string_view mode = json::find_text(params, "mode");
  if (mode == "url") {
    if (!has_text(params, "url")) return wrong_params("\"url\" must be a string");
    const std::string fault = tool::fault_of_question_url(json::find_text(params, "url"));
    return fault.empty() ? Result<void>() : wrong_params("the URL to open " + fault);
  }
  if (!mode.empty() && mode != "form") return wrong_params("\"mode\" must be form or url");
  const json::Value* const form = json::find(params, "requestedSchema");
  if (!form || !form->IsObject()) return wrong_params("\"requestedSchema\" must be an object");
  return {};
}

Result<void> check_sampling(const json::Value& params) {
  const json::Value* const messages = json::find(params, "messages");
  if (!messages || !messages->IsArray()) return wrong_params("\"messages\" must be an array");
  return {};
}

bool has_url(const json::Value& params) {
  return json::find_text(params, "mode") == "url";
}

bool is_url(const tool::Question& question) {
  const auto params = json::parse(question.params);
  return params && has_url(params->root());
}

bool needs_tools(const tool::Question& question) {
  const auto params = json::parse(question.params);
  return params &&
         (json::find(params->root(), "tools") || json::find(params->root(), "toolChoice"));
}

}  // namespace

bool is_question(std::string_view method) {
  return method == kElicit || method == kSample || method == kRoots;
}

Result<tool::Question> read_question(std::string_view method, const json::Value* params) {
  tool::Question question;
  question.method = method;
  question.params = "{}";
  if (method == kRoots) return question;
  if (!params || !params->IsObject()) return wrong_params("it has no params");
  HOST_TRY(method == kElicit ? check_elicitation(*params) : check_sampling(*params));
  if (method == kElicit && has_url(*params))
    question.elicitation = read_elicitation_complete(*params);
  json::Document kept;
  kept.root() = json::copy(*params, kept.allocator());
  // Each is about this connection: the host has ids, tasks and progress of its own.
  for (const char* const own : {"_meta", "elicitationId", "task"}) kept.root().RemoveMember(own);
  question.params = json::write(kept.root());
  if (question.params.size() > kMostQuestionBytes)
    return wrong_params("its params have more than " + std::to_string(kMostQuestionBytes) +
                        " bytes");
  return question;
}

std::string read_elicitation_complete(const json::Value& params) {
  const std::string_view id = json::find_text(params, "elicitationId");
  return id.size() <= kMostElicitationIdBytes ? std::string(id) : std::string();
}

std::optional<std::string> message_of(const tool::Question& question) {
  if (question.method != kElicit) return std::nullopt;
  const auto params = json::parse(question.params);
  if (!params) return std::nullopt;
  return std::string(json::find_text(params->root(), "message"));
}

void set_message(tool::Question& question, std::string_view message) {
  auto params = json::parse(question.params);
  if (!params) return;
  json::set(params->root(), "message", json::string(message, params->allocator()),
            params->allocator());
  question.params = json::write(params->root());
}

Result<tool::Question> read_asked(std::string_view key, const json::Value& asked) {
  const std::string_view method = json::find_text(asked, "method");
  if (!is_question(method)) return wrong_params("its method is not known");
  auto question = read_question(method, json::find(asked, "params"));
  if (question) question->key = key;
  return question;
}

Result<std::vector<tool::Question>> read_required(const json::Value& error) {
  const json::Value* const code = json::find(error, "code");
  const json::Value* const data = json::find(error, "data");
  std::vector<tool::Question> questions;
  if (!code || !code->IsInt() || code->GetInt() != kUrlsRequired) return questions;
  const json::Value* const all =
      data && data->IsObject() ? json::find(*data, "elicitations") : nullptr;
  if (!all || !all->IsArray()) return wrong_params("\"elicitations\" must be an array");
  if (all->Size() > kMostRequired)
    return wrong_params("it has more than " + std::to_string(kMostRequired) + " URLs");
  for (const json::Value& one : all->GetArray()) {
    HOST_TRY_ASSIGN(tool::Question question, read_question(kElicit, &one));
    if (!has_url(one)) return wrong_params("\"mode\" must be url");
    question.key = key_of_required(questions.size() + 1);
    questions.push_back(std::move(question));
  }
  return questions;
}

std::string key_of_required(std::size_t number) {
  return std::string(tool::kUrlKey) + std::to_string(number);
}

std::string lacking_for(const tool::Question& question, const tool::Abilities& abilities) {
  if (question.method == kRoots) return abilities.roots ? "" : "roots";
  if (question.method == kSample) {
    if (!abilities.sampling) return "sampling";
    return abilities.sampling_tools || !needs_tools(question) ? "" : "sampling.tools";
  }
  if (is_url(question)) return abilities.urls ? "" : "elicitation.url";
  return abilities.forms ? "" : "elicitation";
}

Result<std::string> legacy_answer(const tool::Question& question, std::string_view answer,
                                  Version version) {
  auto tree = json::parse(answer);
  if (!tree || !tree->root().IsObject()) return wrong_params("the answer is no JSON object");
  for (const char* const own : {"_meta", "resultType"}) tree->root().RemoveMember(own);
  json::Value* const content = json::find(tree->root(), "content");
  const bool is_list = question.method == kSample && content && content->IsArray();
  if (is_list && !features(version).sampling_tools) {
    if (content->Size() != 1)
      return wrong_params("the client's answer has several blocks, and this version has one");
    json::Value only = std::move((*content)[0]);
    *content = std::move(only);
  }
  return json::write(tree->root());
}

std::string_view no_answer(const tool::Question& question) {
  return question.method == kElicit ? R"({"action":"cancel"})" : "";
}

}  // namespace host::protocol
