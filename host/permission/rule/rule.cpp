#include "permission/rule/rule.h"

#include <array>
#include <utility>

#include "base/text/letters.h"

namespace host::permission {
namespace {

template <class T, std::size_t N>
using Names = std::array<std::pair<std::string_view, T>, N>;

constexpr Names<Mode, 5> kModes = {{{"default", Mode::Default},
                                    {"accept_edits", Mode::AcceptEdits},
                                    {"explore", Mode::Explore},
                                    {"bypass", Mode::Bypass},
                                    {"dont_ask", Mode::DontAsk}}};
constexpr Names<Behavior, 3> kBehaviors = {
    {{"allow", Behavior::Allow}, {"ask", Behavior::Ask}, {"deny", Behavior::Deny}}};
constexpr Names<Scope, 4> kScopes = {{{"session", Scope::Session},
                                      {"principal", Scope::Principal},
                                      {"agent", Scope::Agent},
                                      {"host", Scope::Host}}};

template <class T, std::size_t N>
Result<T> parse_word(const Names<T, N>& names, std::string_view what, std::string_view text) {
  std::string known;
  for (const auto& [name, value] : names) {
    if (same_letters(name, text)) return value;
    known.append(known.empty() ? "" : ", ").append(name);
  }
  return Error{ErrorKind::InvalidArgument, "unknown " + std::string(what) + " \"" +
                                               std::string(text.substr(0, 64)) + "\": use one of " +
                                               known};
}

template <class T, std::size_t N>
std::string_view name_of(const Names<T, N>& names, T wanted) {
  for (const auto& [name, value] : names) {
    if (value == wanted) return name;
  }
  return "unknown";
}

Result<std::string> text_member(const json::Value& value, std::string_view key) {
  const json::Value* member = json::find(value, key);
  if (member == nullptr) return std::string();
  if (!member->IsString()) {
    return Error{ErrorKind::InvalidArgument, "rule: \"" + std::string(key) + "\" must be a string"};
  }
  return std::string(json::text(*member));
}

Result<void> check_members(const json::Value& value) {
  if (!value.IsObject()) return Error{ErrorKind::InvalidArgument, "rule: must be an object"};
  for (const auto& member : value.GetObject()) {
    const std::string_view key = json::text(member.name);
    if (key != "tool" && key != "content" && key != "behavior" && key != "scope" &&
        key != "source") {
      return Error{ErrorKind::InvalidArgument,
                   "rule: unknown member \"" + std::string(key.substr(0, 64)) +
                       "\": use tool, content, behavior, scope, source"};
    }
  }
  return {};
}

}  // namespace

Result<Mode> parse_mode(std::string_view text) {
  return parse_word(kModes, "mode", text);
}
Result<Behavior> parse_behavior(std::string_view text) {
  return parse_word(kBehaviors, "behavior", text);
}
Result<Scope> parse_scope(std::string_view text) {
  return parse_word(kScopes, "scope", text);
}

std::string_view to_string(Mode mode) {
  return name_of(kModes, mode);
}
std::string_view to_string(Behavior behavior) {
  return name_of(kBehaviors, behavior);
}
std::string_view to_string(Scope scope) {
  return name_of(kScopes, scope);
}

std::vector<Rule> rules_of(const std::vector<config::Rule>& rules, Scope scope) {
  std::vector<Rule> out;
  out.reserve(rules.size());
  for (const config::Rule& rule : rules) {
    out.push_back({rule.tool, rule.content, rule.behavior, scope, rule.source});
  }
  return out;
}

void write(const Rule& rule, std::string& append_to) {
  append_to += R"({"tool":)";
  json::write_string(rule.tool, append_to);
  append_to += R"(,"content":)";
  if (rule.content) {
    json::write_string(*rule.content, append_to);
  } else {
    append_to += "null";
  }
  append_to.append(R"(,"behavior":")").append(to_string(rule.behavior));
  append_to.append(R"(","scope":")").append(to_string(rule.scope)).append(R"(","source":)");
  json::write_string(rule.source, append_to);
  append_to += '}';
}

Result<Rule> read_rule(const json::Value& value) {
  HOST_TRY(check_members(value));
  Rule rule;
  HOST_TRY_ASSIGN(rule.tool, text_member(value, "tool"));
  if (rule.tool.empty()) {
    return Error{ErrorKind::InvalidArgument, "rule: \"tool\" must name a tool"};
  }
  const json::Value* content = json::find(value, "content");
  if (content != nullptr && !content->IsNull()) {
    HOST_TRY_ASSIGN(rule.content, text_member(value, "content"));
  }
  HOST_TRY_ASSIGN(const std::string behavior, text_member(value, "behavior"));
  HOST_TRY_ASSIGN(rule.behavior, parse_behavior(behavior));
  rule.scope = Scope::Session;
  if (json::find(value, "scope") != nullptr) {
    HOST_TRY_ASSIGN(const std::string scope, text_member(value, "scope"));
    HOST_TRY_ASSIGN(rule.scope, parse_scope(scope));
  }
  HOST_TRY_ASSIGN(rule.source, text_member(value, "source"));
  return rule;
}

std::string describe(const Rule& rule) {
  return rule.whole_tool() ? rule.tool : rule.tool + "(" + *rule.content + ")";
}

}  // namespace host::permission
