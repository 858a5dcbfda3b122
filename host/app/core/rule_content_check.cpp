#include "app/core/rule_content_check.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "app/core/core.h"
#include "config/name_use.h"
#include "permission/decision/rule_review.h"
#include "permission/decision/rulebook.h"

namespace host::app {
namespace {

// Of "config.toml:12"; 0: there is none.
std::uint32_t line_in(std::string_view source) {
  std::uint32_t line = 0;
  const std::string_view digits = source.substr(source.rfind(':') + 1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  return read.ptr == digits.data() + digits.size() ? line : 0;
}

// Where the rule names its tool: the first such place from the rule's own line on.
config::Diagnostic place_of(const permission::Rule& rule, const config::NameUses& names) {
  const std::uint32_t line = line_in(rule.source);
  const auto use = std::find_if(names.all.begin(), names.all.end(), [&](const auto& one) {
    return one.what == config::Named::Tool && one.name == rule.tool && one.place.line >= line;
  });
  if (use != names.all.end()) return use->place;
  config::Diagnostic place;
  place.file = rule.source;
  return place;
}

config::Diagnostic complaint(const permission::Rule& rule, config::Diagnostic place) {
  const bool allows = rule.behavior == permission::Behavior::Allow;
  place.severity = allows ? config::Severity::Warning : config::Severity::Error;
  place.code = "C020";
  place.message = "content in the " + std::string(permission::to_string(rule.behavior)) +
                  " rule for \"" + rule.tool + "\": this tool defines no form of content, so " +
                  (allows ? "the rule allows nothing" : "the rule applies to every call of it");
  place.help = allows ? "leave content out to allow every call of the tool"
                      : "leave content out, if the rule is for every call of the tool";
  return place;
}

// `why`: the pattern fits no path.
config::Diagnostic complaint(const permission::Rule& rule, config::Diagnostic place,
                             const std::string& why) {
  const bool allows = rule.behavior == permission::Behavior::Allow;
  place.severity = allows ? config::Severity::Warning : config::Severity::Error;
  place.code = "C020";
  place.message = "content in the " + std::string(permission::to_string(rule.behavior)) +
                  " rule for \"" + rule.tool + "\": no path can match \"" + *rule.content +
                  "\", so the rule " + (allows ? "allows nothing" : "applies to no call");
  place.help = why;
  return place;
}

// An ask rule for a tool whose calls the operator approves beforehand.
config::Diagnostic complaint_of_auto_approve(const permission::Rule& rule, config::Diagnostic place,
                                             const tool::ProviderIdentity& provider) {
  const std::string section = provider.kind == tool::ProviderIdentity::Kind::Upstream
                                  ? "[[upstream]] \"" + provider.name + "\""
                                  : "[plugin." + provider.name + "]";
  place.severity = config::Severity::Warning;
  place.code = "C021";
  place.message =
      "the ask rule for \"" + rule.tool + "\" never asks: auto_approve of " + section + " is true";
  place.help = "set auto_approve = false in " + section;
  return place;
}

}  // namespace

std::vector<config::Diagnostic> contents_without_use(Core& core, const config::Config& config) {
  const auto tools = core.catalog().snapshot();
  std::vector<config::Diagnostic> out;
  for (const permission::OwnedRule& one : permission::configured_rules(config)) {
    const tool::Entry* const entry = tools->find(one.rule.tool);
    if (entry == nullptr) continue;
    const tool::Declaration& tool = entry->tool->declared();
    if (one.rule.behavior == permission::Behavior::Ask && tool.auto_approve == true) {
      out.push_back(complaint_of_auto_approve(one.rule, place_of(one.rule, config.names),
                                              entry->provider->identity()));
    }
    if (one.rule.whole_tool()) continue;
    if (!permission::takes_content(tool)) {
      out.push_back(complaint(one.rule, place_of(one.rule, config.names)));
    } else if (permission::takes_only_paths(tool)) {
      const std::string why = permission::review_path_pattern(*one.rule.content);
      if (!why.empty()) out.push_back(complaint(one.rule, place_of(one.rule, config.names), why));
    }
  }
  return out;
}

}  // namespace host::app
