#include "plugin/instance/round_builder.h"

#include <algorithm>
#include <array>

#include "base/text/encoding.h"
#include "json/json.h"
#include "tool/definition/question_key.h"
#include "tool/definition/question_url.h"

namespace host::plugin {
namespace {

constexpr std::size_t kMostQuestions = 16;
constexpr std::size_t kMostParamsBytes = 64u << 10u;
constexpr std::size_t kMostStateBytes = 16u << 10u;

constexpr std::array<std::string_view, 3> kMethods = {"elicitation/create",
                                                      "sampling/createMessage", "roots/list"};
enum Method : std::int32_t { kElicit, kSample, kRoots };

bool is_text(const json::Value* value) {
  return value && value->IsString();
}

bool is_object(const json::Value* value) {
  return value && value->IsObject();
}

bool is_sampled_message(const json::Value& value) {
  const std::string_view role = json::find_text(value, "role");
  const json::Value* const content = json::find(value, "content");
  return (role == "user" || role == "assistant") && content &&
         (content->IsObject() || content->IsArray());
}

// The ability that a well-formed question needs; 0: it is malformed.
std::uint32_t need_of_elicitation(const json::Value& params) {
  const json::Value* const mode = json::find(params, "mode");
  if (!is_text(json::find(params, "message"))) return 0;
  if (!mode || (mode->IsString() && json::text(*mode) == "form")) {
    const json::Value* const schema = json::find(params, "requestedSchema");
    const bool shaped = is_object(schema) && json::find_text(*schema, "type") == "object" &&
                        is_object(json::find(*schema, "properties"));
    return shaped ? TP_ASK_FORM : 0;
  }
  if (!mode->IsString() || json::text(*mode) != "url") return 0;
  return tool::fault_of_question_url(json::find_text(params, "url")).empty() ? TP_ASK_URL : 0;
}

std::uint32_t need_of_sampling(const json::Value& params) {
  const json::Value* const messages = json::find(params, "messages");
  const json::Value* const most = json::find(params, "maxTokens");
  if (!messages || !messages->IsArray() || messages->Empty()) return 0;
  if (!most || !most->IsUint64() || most->GetUint64() == 0) return 0;
  const auto list = messages->GetArray();
  if (!std::all_of(list.begin(), list.end(), is_sampled_message)) return 0;
  const bool tools = json::find(params, "tools") || json::find(params, "toolChoice");
  return tools ? TP_ASK_SAMPLING | TP_ASK_SAMPLING_TOOLS : TP_ASK_SAMPLING;
}

std::uint32_t need_of(std::int32_t method, const json::Value& params) {
  if (!params.IsObject()) return 0;
  if (method == kElicit) return need_of_elicitation(params);
  if (method == kSample) return need_of_sampling(params);
  return TP_ASK_ROOTS;
}

}  // namespace

tp_status RoundBuilder::ask(std::string_view key, std::string_view method,
                            std::string_view params) {
  const auto number = number_of_method(method);
  if (!number || !tool::is_provider_key(key) || !is_utf8(key)) return TP_E_INVALID;
  if (params.size() > kMostParamsBytes) return TP_E_NOMEM;
  const auto tree = json::parse(params);
  const std::uint32_t need = tree ? need_of(*number, tree->root()) : 0;
  if (need == 0) return TP_E_INVALID;
  const auto is_it = [&](const tool::Question& asked) { return asked.key == key; };
  auto& questions = round_.questions;
  if (std::any_of(questions.begin(), questions.end(), is_it)) return TP_E_INVALID;
  if (questions.size() == kMostQuestions) return TP_E_NOMEM;
  if ((need & ~abilities_) != 0) {
    lacking_ |= need & ~abilities_;
    return TP_E_UNSUPPORTED;
  }
  questions.push_back({std::string(key), std::string(method), json::write(tree->root())});
  return TP_OK;
}

tp_status RoundBuilder::keep(std::string_view state) {
  if (state.size() > kMostStateBytes) return TP_E_NOMEM;
  round_.state = state;
  return TP_OK;
}

std::uint32_t ability_bits(const tool::Abilities& abilities) {
  return (abilities.forms ? TP_ASK_FORM : 0) | (abilities.urls ? TP_ASK_URL : 0) |
         (abilities.sampling ? TP_ASK_SAMPLING : 0) |
         (abilities.sampling_tools ? TP_ASK_SAMPLING_TOOLS : 0) |
         (abilities.roots ? TP_ASK_ROOTS : 0);
}

std::string capabilities_text(std::uint32_t bits) {
  std::string out = "{";
  const auto add = [&](std::uint32_t plain, std::string_view name, std::uint32_t more,
                       std::string_view detail) {
    if ((bits & (plain | more)) == 0) return;
    if (out.size() > 1) out += ',';
    out.append(1, '"').append(name).append("\":").append((bits & more) ? detail : "{}");
  };
  add(TP_ASK_FORM, "elicitation", TP_ASK_URL, R"({"url":{}})");
  add(TP_ASK_SAMPLING, "sampling", TP_ASK_SAMPLING_TOOLS, R"({"tools":{}})");
  add(TP_ASK_ROOTS, "roots", 0, {});
  return out + "}";
}

std::optional<std::int32_t> number_of_method(std::string_view method) {
  const auto at = std::find(kMethods.begin(), kMethods.end(), method);
  if (at == kMethods.end()) return std::nullopt;
  return static_cast<std::int32_t>(at - kMethods.begin());
}

std::string_view method_of_number(std::int32_t number) {
  const bool known = number >= 0 && static_cast<std::size_t>(number) < kMethods.size();
  return known ? kMethods[static_cast<std::size_t>(number)] : std::string_view();
}

}  // namespace host::plugin
