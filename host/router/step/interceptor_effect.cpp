#include "router/step/interceptor_effect.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/text/encoding.h"
#include "router/step/arguments.h"
#include "tool/definition/definition.h"
#include "tool/definition/input_rules.h"
#include "tool/definition/tool.h"
#include "tool/provider/provider.h"

namespace host::router {
namespace {

constexpr const char* kFailed = "interceptor_failed";  // audit outcome
constexpr std::size_t kMostNotes = 32;                 // of one call
constexpr std::size_t kMostNamesNoted = 10;            // in one note
constexpr std::size_t kMostBytesNoted = 100;
constexpr std::string_view kKeyMember = "idempotency_key";

std::string noted_names(const tool::Interception& from) {
  std::string names;
  std::size_t left = kMostNamesNoted;
  const auto add = [&](const auto& members) {
    for (const auto& [name, value] : members) {
      if (left == 0) return;
      names += names.empty() ? "" : ", ";
      names += --left == 0 ? std::string_view("...") : utf8_begin(name, kMostBytesNoted);
    }
  };
  add(from.values);
  add(from.entries);
  return names;
}

// The idempotency key is the harness's: an interceptor that writes other arguments does not end it.
void keep_key(const tool::Call& call, json::Document& changed) {
  const json::Value* const key = json::find(call.arguments.root(), kKeyMember);
  if (!key || json::find(changed.root(), kKeyMember)) return;
  json::set(changed.root(), kKeyMember, json::copy(*key, changed.allocator()), changed.allocator());
}

// The faults of the call's arguments as the tool would get them, one a line. Empty: none. What the
// host itself takes out of the arguments later is no fault.
std::string faults_of(const tool::Call& call, const Route& route) {
  json::Document arguments;
  json::Value& root = arguments.root();
  root.SetObject();
  if (call.arguments.root().IsObject())
    root = json::copy(call.arguments.root(), arguments.allocator());
  for (const std::string_view own :
       {kKeyMember, std::string_view(tool::kSessionId), std::string_view("attachments")}) {
    if (!route.tool->declares_argument(own))
      root.RemoveMember(json::string(own, arguments.allocator()));
  }
  const tool::Tool& tool = *route.tool;
  return tool::fit(arguments, {tool.input_tree(), tool.input(), tool.presets()})
      .value_or(std::string());
}

bool has_line(std::string_view text, std::string_view line) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (text.substr(0, end) == line) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

bool share_line(std::string_view one, std::string_view other) {
  while (!one.empty()) {
    const std::size_t end = std::min(one.find('\n'), one.size());
    if (has_line(other, one.substr(0, end))) return true;
    one.remove_prefix(std::min(end + 1, one.size()));
  }
  return false;
}

// The host itself gives a client's tool an argument later.
bool can_judge_arguments(const Route& route) {
  return !route.provider->identity().is_session();
}

std::string reason_in(const tool::Call& call, Failed failed) {
  if (failed == Failed::FunctionAsTold) return {};
  return " The operator can read why in the host's log, call " + call.passport->call + ".";
}

}  // namespace

void note(tool::Call& call, const config::Interceptor& one, std::string_view what) {
  std::string said = one.plugin + " " + std::string(what);
  auto& notes = call.interceptions;
  if (notes.size() >= kMostNotes) return;
  if (std::find(notes.begin(), notes.end(), said) == notes.end()) notes.push_back(std::move(said));
}

void note_failure(tool::Call& call, const config::Interceptor& one) {
  note(call, one, one.fail == config::FailureMode::Open ? "failed and was skipped" : "failed");
}

std::string writer_of_result(const tool::Call& call) {
  const auto& notes = call.interceptions;
  for (auto said = notes.rbegin(); said != notes.rend(); ++said) {
    const std::size_t blank = std::min(said->find(' '), said->size());
    const std::string_view what = std::string_view(*said).substr(blank);
    if (what == " changed the result" || what == " answered the call")
      return said->substr(0, blank);
  }
  return {};
}

void add_context(tool::Call& call, const config::Interceptor& one, tool::Interception& from) {
  if (from.values.empty() && from.entries.empty()) return;
  note(call, one, "added to the context: " + noted_names(from));
  const tool::Passport& old = *call.passport;
  auto given = std::make_shared<tool::CallContext>();
  if (old.given) *given = *old.given;
  for (auto& [name, value] : from.values) given->values.insert_or_assign(name, std::move(value));
  for (auto& [type, value] : from.entries) given->entries.insert_or_assign(type, std::move(value));
  auto made = std::make_shared<tool::Passport>(old);
  made->given = std::move(given);
  call.passport = std::move(made);
}

void change_arguments(tool::Call& call, const Route& route, const config::Interceptor& one,
                      json::Document arguments) {
  note(call, one, "changed the arguments");
  const bool is_first = call.changed_by.empty() && can_judge_arguments(route);
  const std::string faults = is_first ? faults_of(call, route) : std::string();
  if (!route.tool->declares_argument(kKeyMember)) keep_key(call, arguments);
  call.arguments = std::move(arguments);
  const bool is_callers = !faults.empty() && share_line(faults, faults_of(call, route));
  if (!is_callers) call.changed_by = one.plugin;
}

tool::CallResult refused_by_failure(tool::Call& call, const Route& route,
                                    const config::Interceptor& one, Failed failed) {
  if (failed == Failed::NotAnInterceptor) {
    call.outcome = kFailed;
    return tool::CallResult::error(
        "\"" + call.name +
        "\" did not run, because an [[interceptor]] of this host names the "
        "plugin \"" +
        one.plugin +
        "\", and this plugin is no interceptor. Do not call again until "
        "the operator has corrected the host's configuration.");
  }
  // `before` often reads the arguments into a type, and fails if they are not of that type.
  const bool is_first = call.changed_by.empty() && can_judge_arguments(route);
  const std::string faults = is_first ? faults_of(call, route) : std::string();
  if (!faults.empty()) return invalid_arguments(call, route.tool->name(), faults);
  call.outcome = kFailed;
  return tool::CallResult::error("\"" + call.name + "\" did not run, because the interceptor \"" +
                                 one.plugin + "\" of this host failed." + reason_in(call, failed) +
                                 " Try again later.");
}

tool::CallResult withheld_by_failure(tool::Call& call, const config::Interceptor& one,
                                     Failed failed) {
  call.outcome = kWithheld;
  return tool::CallResult::error(
      "\"" + call.name + "\" ran, but its result is withheld, because the interceptor \"" +
      one.plugin + "\" of this host failed. Do not call again unless the tool may run twice." +
      reason_in(call, failed));
}

}  // namespace host::router
