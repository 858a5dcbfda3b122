#include "router/step/interceptor_effect.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "base/text/encoding.h"
#include "json/canonical.h"
#include "router/step/arguments.h"
#include "router/step/idempotency.h"
#include "router/step/session_step.h"
#include "tool/call/end_words.h"
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

// A list of names in a note.
class NotedNames {
 public:
  void add(std::string_view name) {
    if (left_ == 0) return;
    text_ += text_.empty() ? "" : ", ";
    text_ += --left_ == 0 ? std::string_view("...") : utf8_begin(name, kMostBytesNoted);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t left_ = kMostNamesNoted;
};

std::string noted_names(const tool::Interception& from) {
  NotedNames names;
  for (const auto& [name, value] : from.values) names.add(name);
  for (const auto& [type, value] : from.entries) names.add(type);
  return names.text();
}

// The names of the presets for which `arguments` has another value. An interceptor that leaves a
// preset out changes nothing: the host has always set it.
std::string other_presets_in(const json::Document& arguments, const json::Value* presets) {
  NotedNames names;
  if (!presets) return {};
  for (const auto& preset : presets->GetObject()) {
    const json::Value* const given = json::find(arguments.root(), json::text(preset.name));
    if (given && json::canonical(*given) != json::canonical(preset.value))
      names.add(json::text(preset.name));
  }
  return names.text();
}

void set_presets(tool::Call& call, const Route& route) {
  json::Value& root = call.arguments.root();
  if (route.tool->presets() && root.IsNull()) root.SetObject();
  if (root.IsObject()) tool::set_presets(call.arguments, route.tool->presets());
}

bool has_these(const tool::Call& call, const json::Document& arguments) {
  const json::Value& own = call.arguments.root();
  const std::string text = own.IsNull() ? "{}" : json::canonical(own);
  return text == json::canonical(arguments.root());
}

// The idempotency key is the harness's: an interceptor that writes other arguments does not end it.
void keep_key(const tool::Call& call, json::Document& changed) {
  const json::Value* const key = json::find(call.arguments.root(), kKeyMember);
  if (!key || json::find(changed.root(), kKeyMember)) return;
  json::set(changed.root(), kKeyMember, json::copy(*key, changed.allocator()), changed.allocator());
}

// The host itself gives a client's tool an argument later.
bool can_judge_arguments(const Route& route) {
  return !route.provider->identity().is_session();
}

// Empty also if nobody can judge the arguments, or if checks of this principal's calls have taken
// more than their share of the time.
std::string known_faults(tool::Call& call, const Route& route, CheckTurns* turns) {
  if (!turns || turns->must_wait(call) || !can_judge_arguments(route)) return {};
  const CheckTurns::Began began = turns->began();
  std::string faults = callers_faults(call, *route.tool, faults_before(call, *route.tool));
  turns->ended(call.passport->who.principal, began);
  return faults;
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

void keep_tools_result(tool::Call& call, tool::CallResult& result) {
  if (!call.answered || call.tools_result) return;
  const auto kept = std::make_shared<tool::CallResult>();
  kept->structured = std::move(result.structured);
  kept->is_error = result.is_error;
  call.tools_result = kept;
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

std::string arguments_for_before(tool::Call& call, const Route& route) {
  set_presets(call, route);
  return call.arguments.root().IsNull() ? "{}" : json::write(call.arguments.root());
}

void change_arguments(tool::Call& call, const Route& route, const config::Interceptor& one,
                      json::Document arguments) {
  if (!route.tool->declares_argument(kKeyMember)) keep_key(call, arguments);
  set_presets(call, route);  // an interceptor that reads no arguments may write some
  const json::Value* const presets = route.tool->presets();
  const std::string others = other_presets_in(arguments, presets);
  if (!others.empty()) note(call, one, "changed preset arguments, which does not count: " + others);
  tool::set_presets(arguments, presets);
  if (has_these(call, arguments)) return;
  note(call, one, "changed the arguments");
  if (call.changed_by.empty() && can_judge_arguments(route))
    call.sent = std::make_unique<json::Document>(std::move(call.arguments));
  call.arguments = std::move(arguments);
  call.changed_by = one.plugin;
}

tool::CallResult refused_by_failure(tool::Call& call, const Route& route,
                                    const config::Interceptor& one, Failed failed,
                                    CheckTurns* turns) {
  if (failed == Failed::NotAnInterceptor) {
    call.outcome = kFailed;
    return tool::CallResult::error("\"" + call.name + "\" " + std::string(tool::did_not_run(call)) +
                                   ", because an [[interceptor]] of this host names the plugin \"" +
                                   one.plugin +
                                   "\", and this plugin is no interceptor. Do not call again until "
                                   "the operator has corrected the host's configuration.");
  }
  // `before` often reads the arguments into a type, and fails if they are not of that type.
  const std::string faults = known_faults(call, route, turns);
  if (!faults.empty()) return invalid_arguments(call, route.tool->name(), faults);
  call.outcome = kFailed;
  return tool::CallResult::error("\"" + call.name + "\" " + std::string(tool::did_not_run(call)) +
                                 ", because the interceptor \"" + one.plugin +
                                 "\" of this host failed." + reason_in(call, failed) +
                                 " Try again later.");
}

std::optional<tool::CallResult> other_fault_behind_failure(tool::Call& call, const Route& route,
                                                           const AttachmentStep& attachments) {
  if (call.outcome != kFailed || !can_judge_arguments(route)) return std::nullopt;
  if (call.sent) call.arguments = std::move(*std::exchange(call.sent, nullptr));
  auto fault = take_idempotency_key(call, *route.tool);
  if (!fault) fault = SessionStep::set_session_id(call, route);
  if (!fault) fault = attachments.take(call, route);
  return fault;
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
