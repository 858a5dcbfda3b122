#include "upstream/call/call_form.h"

#include <utility>

#include "json/own_text.h"
#include "protocol/client_requests.h"
#include "protocol/foreign_questions.h"
#include "protocol/mcp.h"
#include "protocol/mirrored_headers.h"
#include "tool/definition/declared_text.h"
#include "tool/definition/unbegun.h"

namespace host::upstream {
namespace {

using tool::Function;

constexpr int kResourceNotFound = -32002;  // before 2026-07-28

std::string quoted(const std::string& upstream) {
  return "The upstream \"" + upstream + "\"";
}

// Of what is offered in addition to tools there are no results that say so: it is an error.
Error offer_refusal_of(const protocol::ForeignError& refusal, Function function,
                       const std::string& upstream, const Secrets& secrets) {
  const bool is_missing =
      refusal.code == kResourceNotFound || refusal.code == protocol::kInvalidParams;
  ErrorKind kind = ErrorKind::PluginFault;
  if (is_missing)
    kind = function == Function::ReadResource ? ErrorKind::NotFound : ErrorKind::InvalidArgument;
  return {kind, quoted(upstream) + " refused: " + secrets.hide_in_words(refusal.message)};
}

}  // namespace

bool may_be_repeated(const tool::Invocation& call) {
  if (call.function != Function::Call) return true;  // they only read
  return tool::only_reads(call) || call.tool->declared().idempotent;
}

bool has_begun(const tool::Invocation& call) {
  const tool::Continuation& resumed = call.continuation;
  const bool has_asked = !resumed.state.empty() || !resumed.answers.empty();
  return has_asked && !tool::is_unbegun(resumed);
}

Request request_of(const tool::Invocation& call, const std::string& target,
                   const tool::Continuation& resumed) {
  Request request;
  request.name = target;
  request.trace = call.passport->trace;
  if (call.function == Function::Call) {
    request.method = "tools/call";
    request.members = protocol::call_members(target, call.arguments, resumed);
    request.mirrored = protocol::param_headers(*call.tool, call.arguments);
  } else if (call.function == Function::ReadResource) {
    request.method = "resources/read";
    request.members = protocol::read_members(target, resumed);
  } else {
    const auto arguments = json::parse_own(call.arguments);  // the host's own text
    if (call.function == Function::GetPrompt) {
      request.method = "prompts/get";
      request.members =
          protocol::prompt_members(target, *json::find(arguments->root(), "arguments"), resumed);
    } else {
      request.method = "completion/complete";
      request.name.clear();
      request.members = protocol::completion_members(target, arguments->root());
    }
  }
  return request;
}

Result<tool::CallResult> refusal_of(const protocol::ForeignError& refusal, Function function,
                                    const std::string& upstream, const Secrets& secrets) {
  if (function != Function::Call) return offer_refusal_of(refusal, function, upstream, secrets);
  return tool::CallResult::error(quoted(upstream) +
                                 " refused the call: " + secrets.hide_in_words(refusal.message) +
                                 " (error " + std::to_string(refusal.code) + ")");
}

Result<tool::CallResult> read_result(const json::Value& result, Function function) {
  return function == Function::Call ? protocol::read_call_result(result)
                                    : protocol::read_offer_result(function, result);
}

Result<tool::CallResult> malformed(const Error& why, Function function, const std::string& upstream,
                                   const Secrets& secrets) {
  const std::string words = quoted(upstream) + " is faulty: " + secrets.hide_in_words(why.message);
  if (function != Function::Call) return Error{ErrorKind::PluginFault, words};
  return tool::CallResult::error(words);
}

Error missing_of(Function function, const std::string& upstream) {
  const bool is_read = function == Function::ReadResource;
  const std::string what =
      is_read ? "resource" : (function == Function::GetPrompt ? "prompt" : "prompt or template");
  return {is_read ? ErrorKind::NotFound : ErrorKind::InvalidArgument,
          quoted(upstream) + " no longer has this " + what + ": list what it has again"};
}

Result<tool::CallResult> failure_of(const tool::Invocation& call, const std::string& upstream,
                                    const std::string& why, const Secrets& secrets) {
  const std::string words =
      quoted(upstream) + " did not answer: " + tool::shown_text(secrets.hide_in_words(why)) + ".";
  if (call.function != Function::Call) return Error{ErrorKind::PluginFault, words};
  return tool::CallResult::error(words);
}

std::string cannot_continue(const tool::Invocation& call, const std::string& why) {
  const std::string ended = "the call that asked has ended, because " + why;
  if (!has_begun(call)) return ended + ": call again without a requestState";
  return ended + (may_be_repeated(call)
                      ? ": call again"
                      : ". It may have carried out the call: find out before you call again");
}

std::string can_continue(const std::string& why) {
  return why + ". If you called with a requestState, call again with the same requestState";
}

tool::Question shown_question(tool::Question question, const std::string& upstream,
                              const Secrets& secrets) {
  if (const auto message = protocol::message_of(question))
    protocol::set_message(question, quoted(upstream) + " asks: " + secrets.hide(*message));
  return question;
}

}  // namespace host::upstream
