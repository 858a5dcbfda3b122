#include "router/step/result_step.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <vector>

#include "base/log.h"
#include "json/json.h"
#include "json/own_text.h"
#include "router/step/edited_call.h"
#include "router/step/interceptor_effect.h"
#include "tool/call/fault_text.h"

namespace host::router {
namespace {

using boost::asio::awaitable;

// Bytes of structured content that are checked on the I/O thread, with most schemas within a
// millisecond or so.
constexpr std::size_t kMostCheckedHere = 64u << 10u;

std::uint64_t bytes_of(const tool::CallResult& result) {
  return result.content.size() + result.structured.size();
}

bool is_valid_without_schema(const tool::CallResult& result, const tool::Tool& tool,
                             std::uint64_t max_bytes) {
  if (result.round || !result.lacking.empty()) return true;  // not a result yet
  return bytes_of(result) <= max_bytes && (result.is_error || !tool.output());
}

bool is_checked_here(const tool::CallResult& result, const tool::Tool& tool,
                     std::uint64_t max_bytes) {
  const bool is_refused = bytes_of(result) > max_bytes;
  return is_refused || result.is_error || !tool.output() ||
         result.structured.size() <= kMostCheckedHere;
}

// {tool, arguments, result, call_id}, only the members that the post_ tool's schema declares.
Result<json::Document> arguments_for(const tool::Tool& post, const tool::Call& action,
                                     const tool::CallResult& result) {
  json::Document arguments;
  arguments.root().SetObject();
  auto& pool = arguments.allocator();
  const auto offer = [&](std::string_view name, json::Value value) {
    if (post.declares_argument(name)) json::set(arguments.root(), name, std::move(value), pool);
  };
  offer("tool", json::string(action.name, pool));
  offer("call_id", json::string(action.passport->call, pool));
  if (post.declares_argument("arguments")) {
    offer("arguments", json::Value(action.arguments.root(), pool));
  }
  if (post.declares_argument("result")) {
    std::string text = "{\"content\":[" + result.content + "]";
    if (!result.structured.empty()) text += ",\"structuredContent\":" + result.structured;
    HOST_TRY_ASSIGN(const json::Document parsed, json::parse_own(text + "}"));
    offer("result", json::Value(parsed.root(), pool));
  }
  return arguments;
}

std::string report(const std::string& name, const Result<tool::CallResult>& outcome) {
  std::string out = "{\"tool\":";
  json::write_string(name, out);
  if (!outcome) {
    out += ",\"isError\":true,\"content\":[";
    out += tool::CallResult::text(outcome.error().message).content + "]}";
    return out;
  }
  if (outcome->is_error) out += ",\"isError\":true";
  out += ",\"content\":[" + outcome->content + "]";
  if (!outcome->structured.empty()) out += ",\"structuredContent\":" + outcome->structured;
  return out + "}";
}

// An error for the model, and below it what the tool returned: it may be all that the caller learns
// of what the tool did.
tool::CallResult broken_promise(tool::CallResult result, const tool::Tool& tool,
                                std::uint64_t max_bytes, const std::string& writer,
                                const std::string& why) {
  const std::string who = writer.empty() ? "\"" + tool.name() + "\" is faulty: "
                                         : "Interceptor \"" + writer +
                                               "\" of this host wrote the result of \"" +
                                               tool.name() + "\", and is faulty: ";
  tool::CallResult out = tool::CallResult::error(who + why);
  // As text, each of its quotes has a backslash.
  const bool fits = 2 * result.structured.size() <= max_bytes;
  if (result.content.empty() && !result.structured.empty() && fits)
    result.add_text(result.structured);
  if (!result.content.empty()) {
    out.add_text("What it returned follows.");
    out.content += "," + result.content;
  }
  out.meta = std::move(result.meta);
  return out;
}

// A result after its check. `faulty` is the interceptor that wrote a result that is not valid, for
// the reason `why`. Empty: none.
struct Checked {
  tool::CallResult result;
  std::string faulty;
  std::string why;
};

// Why the structured content is not valid for the tool, as the end of a sentence about the tool, or
// about an interceptor's result. Empty: it is valid.
std::string fault_of(const std::string& text, const tool::Tool& tool, bool is_tools_own) {
  if (text.empty()) {
    return is_tools_own
               ? "it has an output schema and gave no structured content."
               : "the tool has an output schema, and the result has no structured content.";
  }
  const auto structured = json::parse(text);
  std::vector<json::schema::Violation> violations;
  if (structured && tool.output()->validate(structured->root(), violations)) return {};
  return (is_tools_own ? "its result breaks its output schema:\n"
                       : "the result breaks the tool's output schema:\n") +
         (structured ? json::schema::describe(violations) : structured.error().message);
}

Checked checked(tool::CallResult result, const tool::Tool& tool, std::uint64_t max_bytes,
                const WriterOfResult& writer) {
  if (is_valid_without_schema(result, tool, max_bytes)) return {std::move(result), {}, {}};
  const std::uint64_t bytes = bytes_of(result);
  if (bytes > max_bytes) {
    const std::string why = "The result of \"" + tool.name() + "\" has " + std::to_string(bytes) +
                            " bytes, more than the " + std::to_string(max_bytes) +
                            " allowed here (limits.result_bytes): ask for less.";
    return {tool::CallResult::error(why), writer.interceptor, why};
  }
  std::string why = fault_of(result.structured, tool, writer.interceptor.empty());
  if (why.empty()) return {std::move(result), {}, {}};
  std::string faulty = writer.interceptor;
  if (!faulty.empty() && writer.tools_own && !writer.tools_own->is_error) {
    std::string tools_fault = fault_of(writer.tools_own->structured, tool, true);
    if (!tools_fault.empty()) {
      faulty.clear();
      why = std::move(tools_fault);
    }
  }
  tool::CallResult out = broken_promise(std::move(result), tool, max_bytes, faulty, why);
  return {std::move(out), std::move(faulty), std::move(why)};
}

void log_fault_in(const Checked& done, const tool::Call& call) {
  if (done.faulty.empty()) return;
  log::warning("router", "the result that an interceptor wrote is not valid for the tool",
               {{"interceptor", done.faulty},
                {"call", call.passport->call},
                {"tool", call.name},
                {"why", done.why}});
}

}  // namespace

tool::CallResult check_result(tool::CallResult result, const tool::Tool& tool,
                              std::uint64_t max_bytes, const WriterOfResult& writer) {
  return checked(std::move(result), tool, max_bytes, writer).result;
}

bool ResultCheck::is_met_by(const tool::CallResult& result, const tool::Tool& tool) const {
  return is_valid_without_schema(result, tool, max_bytes_);
}

awaitable<tool::CallResult> ResultCheck::check(const tool::Call& call, tool::CallResult result,
                                               std::shared_ptr<const tool::Tool> tool) {
  const WriterOfResult writer{writer_of_result(call), call.tools_result};
  const bool is_short =
      !writer.tools_own || writer.tools_own->structured.size() <= kMostCheckedHere;
  if (is_short && is_checked_here(result, *tool, max_bytes_)) {
    const CheckTurns::Began began = turns_.began();
    Checked done = checked(std::move(result), *tool, max_bytes_, writer);
    turns_.ended(call.passport->who.principal, began);
    log_fault_in(done, call);
    co_return std::move(done.result);
  }
  const auto io = co_await boost::asio::this_coro::executor;
  if (!jobs_) jobs_.emplace(io);
  struct Over {
    bool is_reached = false;
    boost::asio::steady_timer timer;
  };
  const auto over =
      std::make_shared<Over>(Over{false, {io, boost::asio::steady_timer::time_point::max()}});
  const auto done = std::make_shared<Checked>(Checked{std::move(result), {}, {}});
  jobs_->run(
      [done, tool, writer, most = max_bytes_] {
        *done = checked(std::move(done->result), *tool, most, writer);
        return false;
      },
      [over] {
        over->is_reached = true;
        over->timer.cancel();
      });
  while (!over->is_reached)
    co_await over->timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  log_fault_in(*done, call);
  co_return std::move(done->result);
}

std::string build_of(const Route& route) {
  std::string build = route.provider->identity().build;
  for (const tool::Entry* post : route.snapshot->after(route.tool->name())) {
    build += ", then " + post->tool->name() + " (" + post->tool->digest() + ") of " +
             post->provider->identity().build;
  }
  return build;
}

std::vector<std::string> names_after(const Route& route) {
  std::vector<std::string> names;
  for (const tool::Entry* post : route.snapshot->after(route.tool->name()))
    names.push_back(post->tool->name());
  return names;
}

bool PostTools::follow(const tool::Call& action, const Route& route,
                       const tool::CallResult& result) {
  return !result.is_error && !result.round && result.lacking.empty() &&
         route.tool->tool_class() != tool::Class::Post &&
         !route.snapshot->after(action.name).empty();
}

awaitable<tool::CallResult> PostTools::finish(const tool::Call& action, const Route& route,
                                              tool::CallResult result) {
  if (!follow(action, route, result)) co_return result;
  const auto& followers = route.snapshot->after(action.name);
  std::string reports;
  for (const tool::Entry* post : followers) {
    tool::Call call;
    call.passport = tool::passport_of_post(*action.passport, post->tool->name());
    call.name = post->tool->name();
    call.cancel = action.cancel;
    call.approved = action.approved;  // the same approval covers it
    call.outlives = action.outlives;
    keep_edits(call, kept_edits(action));  // its errors show no arguments of a reviewer
    Result<tool::CallResult> outcome = Error{};
    auto arguments = arguments_for(*post->tool, action, result);
    if (arguments) {
      call.arguments = std::move(*arguments);
      const Route own{post->tool, post->provider, route.snapshot};
      outcome = tool::without_fault_text(call, co_await run_one_(call, own));
    } else {
      outcome = std::move(arguments).error();
    }
    if (!reports.empty()) reports += ',';
    reports += report(call.name, outcome);
  }
  if (!result.meta.empty()) result.meta += ',';
  result.meta += "\"io.toolpost/post\":[" + reports + "]";
  co_return result;
}

}  // namespace host::router
