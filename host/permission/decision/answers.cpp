#include "permission/decision/answers.h"

#include <algorithm>

#include "base/text/encoding.h"
#include "base/text/letters.h"
#include "json/json.h"

namespace host::permission {
namespace {

constexpr std::size_t kMaxSuggestions = 16;
constexpr std::size_t kMaxTextBytes = 4096;

std::unique_ptr<json::Document> answer_of(const Result<tool::CallResult>& result) {
  if (!result || result->is_error || result->structured.empty()) return nullptr;
  json::ParseError error;
  return json::parse(result->structured, {}, error);
}

CheckAnswer failed_check(std::string_view why) {
  // The failed check might have denied the call, or asked for safety's sake.
  return {Verdict::Ask, true, "the tool's own permission check failed", std::string(why), {}};
}

std::optional<Verdict> parse_verdict(std::string_view text) {
  if (same_letters(text, "allow")) return Verdict::Allow;
  if (same_letters(text, "ask")) return Verdict::Ask;
  if (same_letters(text, "deny")) return Verdict::Deny;
  if (same_letters(text, "passthrough")) return Verdict::Passthrough;
  return std::nullopt;
}

std::string short_text(const json::Value& object, std::string_view key) {
  return std::string(utf8_begin(json::find_text(object, key), kMaxTextBytes));
}

}  // namespace

CheckAnswer read_check(const Result<tool::CallResult>& result) {
  if (!result) return failed_check(result.error().message);
  const auto answer = answer_of(result);
  if (answer == nullptr || !answer->root().IsObject()) {
    return failed_check("its answer is no JSON object");
  }
  const json::Value& root = answer->root();
  const auto verdict = parse_verdict(json::find_text(root, "behavior"));
  if (!verdict) return failed_check("its answer has no known \"behavior\"");
  const json::Value* safety = json::find(root, "safety");
  if (safety != nullptr && !safety->IsBool()) {
    return failed_check("\"safety\" of its answer is no boolean");
  }
  const json::Value* cwd = json::find(root, "cwd");
  if (cwd != nullptr && !cwd->IsNull() && !(cwd->IsString() && json::text(*cwd).starts_with('/'))) {
    return failed_check("\"cwd\" of its answer is no absolute path");
  }
  return {*verdict, safety != nullptr && safety->GetBool(), short_text(root, "message"),
          short_text(root, "reason"), std::string(json::find_text(root, "cwd"))};
}

Match read_match(const Result<tool::CallResult>& result) {
  const auto answer = answer_of(result);
  if (answer == nullptr || !answer->root().IsBool()) return Match::Failed;
  return answer->root().GetBool() ? Match::Yes : Match::No;
}

bool read_read_only(const Result<tool::CallResult>& result) {
  const auto answer = answer_of(result);
  return answer != nullptr && answer->root().IsBool() && answer->root().GetBool();
}

std::optional<std::vector<Rule>> read_suggestions(const Result<tool::CallResult>& result,
                                                  std::string_view tool) {
  const auto answer = answer_of(result);
  if (answer == nullptr || !answer->root().IsArray()) return std::nullopt;
  std::vector<Rule> rules;
  for (const json::Value& each : answer->root().GetArray()) {
    if (rules.size() == kMaxSuggestions) break;
    const json::Value* content = each.IsObject() ? json::find(each, "content") : nullptr;
    if (content == nullptr || !(content->IsNull() || content->IsString())) return std::nullopt;
    Rule rule{std::string(tool), std::nullopt, Behavior::Allow, Scope::Session, "suggested"};
    if (content->IsString()) rule.content = json::text(*content);
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::string context_text(Mode mode, std::span<const std::string> working_dirs,
                         const std::optional<std::string_view>& rule_content) {
  std::string text = R"({"mode":")";
  text.append(to_string(mode)).append(R"(","working_dirs":[)");
  for (std::size_t i = 0; i < working_dirs.size(); ++i) {
    if (i > 0) text += ',';
    json::write_string(working_dirs[i], text);
  }
  text += ']';
  if (rule_content) {
    text += R"(,"rule_content":)";
    json::write_string(*rule_content, text);
  }
  return text + '}';
}

}  // namespace host::permission
