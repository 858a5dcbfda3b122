#include "session/methods.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "session/asking_client.h"
#include "session/progress.h"

namespace host::session {
namespace {

using protocol::Fault;
using protocol::Version;

constexpr std::string_view kCursorContext = "tools/list";

Reply refuse(const Fault& fault, int status = 200) {
  Reply reply;
  reply.text = protocol::error_text(fault);
  reply.status = status;
  return reply;
}

Reply invalid_params(const protocol::Id& id, std::string message) {
  return refuse({protocol::kInvalidParams, std::move(message), id, {}});
}

// What only tools/call has, read before the tree becomes the call's arguments.
struct Retry {
  std::string state;  // empty: a first call
  const json::Value* responses = nullptr;
};

std::optional<std::string> read_retry(const json::Value& params, Retry& retry) {
  const json::Value* const state = json::find(params, "requestState");
  if (state && !state->IsString()) return "\"requestState\" must be a string";
  if (state) retry.state = json::text(*state);
  retry.responses = json::find(params, "inputResponses");
  if (retry.responses && !retry.responses->IsObject()) {
    return "\"inputResponses\" must be an object";
  }
  return std::nullopt;
}

// Who asks for what with which arguments: a question's state is good for nothing else.
std::string binding_of(const Request& request, std::string_view tool, std::string_view digest,
                       const json::Value* arguments) {
  std::string bound;
  append_bound(request.principal, bound);
  append_bound(tool, bound);
  append_bound(digest, bound);
  append_bound(arguments && arguments->IsObject() ? json::write(*arguments) : "{}", bound);
  const Sha256 hash = sha256(bound);
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

bool can_be_asked(const tool::Abilities& able) {
  return able.forms || able.urls || able.sampling || able.roots;
}

}  // namespace

Methods::Methods(Services services)
    : services_(std::move(services)),
      states_(services_.clock, services_.question_lifetime),
      call_prefix_(random_id(9) + "-") {
  const config::Server& server = services_.config.server;
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    infos_[i] = protocol::server_info({server.name, server.title, services_.version},
                                      static_cast<Version>(i));
  }
}

const std::string& Methods::info(Version version) const {
  return infos_[static_cast<std::size_t>(version)];
}

std::string Methods::instructions() const {
  return services_.instructions ? services_.instructions() : std::string();
}

bool Methods::offers(std::string_view method, Version version) {
  if (method == "tools/call" || method == "tools/list") return true;
  return method == (protocol::features(version).stateless ? "server/discover" : "ping");
}

void Methods::tools_changed() {
  listens_.tell();
  legacy_sessions_.tell();
}

Reply Methods::answer_at_once(const Request& request) {
  const protocol::Id& id = request.message.id;
  const std::string_view method = request.message.method;
  if (!offers(method, request.version)) {
    return refuse({protocol::kMethodNotFound,
                   "Method not found: " + std::string(method.substr(0, 64)),
                   id,
                   {}},
                  protocol::features(request.version).stateless ? 404 : 200);
  }
  if (auto fault = protocol::meta_fault(request.envelope)) {
    return invalid_params(id, *std::move(fault));
  }
  if (method == "tools/list") return list_tools(request);
  Reply reply;
  reply.text = method == "ping"
                   ? protocol::empty_answer(id)
                   : protocol::discover_answer(id, info(request.version), instructions());
  return reply;
}

Reply Methods::list_tools(const Request& request) {
  const protocol::Id& id = request.message.id;
  const json::Value* const params = request.message.params;
  const json::Value* const cursor = params ? json::find(*params, "cursor") : nullptr;
  const ToolService::Listing listing = services_.tools.list(request.principal);
  auto at = listing.tools.begin();
  if (cursor) {
    const auto last =
        cursor->IsString() ? cursors_.open(json::text(*cursor), kCursorContext) : std::nullopt;
    if (!last) return invalid_params(id, "unknown cursor: list again from the start");
    at = std::upper_bound(
        at, listing.tools.end(), *last,
        [](const std::string& name, const tool::Tool* tool) { return name < tool->name(); });
  }
  std::string entries;
  std::uint32_t left = std::max(config().limits.page_size, 1u);
  for (; at != listing.tools.end() && left > 0; ++at, --left) {
    if (!entries.empty()) entries += ',';
    protocol::append_tool(**at, request.version, entries);
  }
  const bool more = at != listing.tools.end();
  const std::string next =
      more ? cursors_.sign((*std::prev(at))->name(), kCursorContext) : std::string();
  Reply reply;
  reply.text = protocol::list_answer(id, entries, next, request.version, info(request.version));
  return reply;
}

std::variant<Methods::Initialized, Fault> Methods::initialize(
    const protocol::Message& message) const {
  const auto invalid = [&](std::string why) {
    return Fault{protocol::kInvalidParams, std::move(why), message.id, {}};
  };
  if (!message.params) return invalid("initialize needs params");
  const json::Value* const asked = json::find(*message.params, "protocolVersion");
  if (!asked || !asked->IsString()) return invalid("initialize needs \"protocolVersion\"");
  const json::Value* const capabilities = json::find(*message.params, "capabilities");
  if (capabilities && !capabilities->IsObject())
    return invalid("\"capabilities\" must be an object");

  Initialized agreed{
      protocol::legacy_version_from(json::text(*asked)).value_or(protocol::kLatestLegacy), {}, {}};
  agreed.abilities = protocol::abilities_of(capabilities, agreed.version);
  agreed.text =
      protocol::initialize_answer(message.id, agreed.version, info(agreed.version), instructions());
  return agreed;
}

protocol::Id Methods::cancelled_request(const protocol::Message& notification) {
  if (!notification.params) return {};
  return protocol::read_id(json::find(*notification.params, "requestId"));
}

// Takes the request's tree: its arguments become the call's without a copy. Pointers into it stay
// good as long as the call keeps its arguments.
std::optional<Fault> Methods::fill(tool::Call& call, Request& request) {
  json::Value& params = *request.message.params;
  json::Value* const arguments = json::find(params, "arguments");
  if (arguments && !arguments->IsObject() && !arguments->IsNull()) {
    return Fault{
        protocol::kInvalidParams, "\"arguments\" must be an object", request.message.id, {}};
  }
  call.id = call_prefix_ + std::to_string(++last_call_);
  call.principal = request.principal;
  call.session = request.session;
  call.peer = request.peer;
  call.traceparent = request.envelope.traceparent;
  call.started = services_.clock.steady();
  if (request.cancel) call.cancel = request.cancel;

  json::Value taken(rapidjson::kObjectType);
  if (arguments && arguments->IsObject()) taken = std::move(*arguments);
  call.arguments = std::move(request.tree);
  call.arguments.root() = std::move(taken);
  return std::nullopt;
}

awaitable<Reply> Methods::call_tool(Request& request, bool http) {
  const protocol::Id& id = request.message.id;
  if (auto fault = protocol::meta_fault(request.envelope)) co_return invalid_params(id, *fault);
  const json::Value* const params = request.message.params;
  const json::Value* const name = params ? json::find(*params, "name") : nullptr;
  if (!name || !name->IsString()) {
    co_return invalid_params(id, "tools/call needs \"name\", a string");
  }

  tool::Call call;
  call.name = json::text(*name);
  const bool stateless = protocol::features(request.version).stateless;
  StatelessAsker stateless_asker(request.abilities);
  SessionAsker session_asker(request.client, request.outlet, request.version, request.abilities,
                             services_.question_lifetime);
  std::string binding;
  if (stateless) {
    Retry retry;
    if (auto fault = read_retry(*params, retry)) co_return invalid_params(id, *fault);
    if (can_be_asked(request.abilities) || !retry.state.empty()) {
      const auto tool = services_.tools.find(request.principal, call.name);
      binding = binding_of(request, call.name, tool ? tool->digest() : std::string(),
                           json::find(*params, "arguments"));
    }
    if (!retry.state.empty()) {
      const OpenRound* const open = states_.find(retry.state, binding);
      if (!open) {
        co_return invalid_params(
            id, "requestState is altered, expired, used or another call's: call again without it");
      }
      if (auto fault = stateless_asker.resume(*open, retry.responses)) {
        co_return invalid_params(id, *std::move(fault));
      }
      if (stateless_asker.heard()) states_.use(retry.state, binding);
    }
    call.asker = &stateless_asker;
  } else {
    call.asker = &session_asker;
  }

  Progress progress(request.outlet, protocol::read_id(request.envelope.progress_token),
                    request.version, services_.clock);
  if (progress.wanted()) call.observer = &progress;
  if (auto fault = fill(call, request)) co_return refuse(*fault);

  Result<tool::CallResult> result = Error{ErrorKind::Internal, "the call did not end"};
  try {
    result = co_await services_.tools.call(call);
  } catch (const std::exception& problem) {
    result = Error{ErrorKind::Internal, problem.what()};
  }
  co_return reply_to(request, call, std::move(result), stateless_asker, binding, http);
}

Reply Methods::reply_to(const Request& request, const tool::Call& call,
                        Result<tool::CallResult> result, const StatelessAsker& asker,
                        std::string_view binding, bool http) {
  const protocol::Id& id = request.message.id;
  const std::string& info = this->info(request.version);
  if (request.cancel && request.cancel->requested()) {
    Reply reply = refuse({protocol::kRequestCancelled, "the request was cancelled", id, {}});
    reply.cancelled = true;
    return reply;
  }
  if (!result) return reply_to_error(request, call, result.error(), http);
  if (!result->lacking.empty()) return reply_to_lacking(request, call, result->lacking);
  Reply reply;
  if (result->round && protocol::features(request.version).stateless) {
    OpenRound open = asker.left_open(*std::move(result->round));
    const tool::Round asked{open.round.questions, {}};
    reply.text = protocol::round_answer(id, asked, states_.issue(std::move(open), binding), info);
  } else {
    reply.text = protocol::call_answer(id, *result, request.version, info);
  }
  return reply;
}

// The tool has to ask what this client cannot be asked.
Reply Methods::reply_to_lacking(const Request& request, const tool::Call& call,
                                const std::string& lacking) {
  const std::string why = "\"" + call.name + "\" needs a client with the capabilities " + lacking;
  if (protocol::features(request.version).stateless) {
    return refuse({protocol::kMissingCapability, why, request.message.id,
                   R"({"requiredCapabilities":)" + lacking + "}"},
                  400);
  }
  Reply reply;
  reply.text = protocol::call_answer(request.message.id, tool::CallResult::error(why),
                                     request.version, info(request.version));
  return reply;
}

bool Methods::timeout_is_rpc_error(Version version) const {
  const std::string& how = config().call.timeout_error;
  if (how == "result") return false;
  return how == "rpc-error" || protocol::features(version).timeout_is_rpc_error;
}

// Three failures are kept apart: the request is wrong, the tool failed, the host is at fault.
Reply Methods::reply_to_error(const Request& request, const tool::Call& call, const Error& error,
                              bool http) {
  const protocol::Id& id = request.message.id;
  const auto as_result = [&](std::string_view text) {
    Reply reply;
    reply.text = protocol::call_answer(id, tool::CallResult::error(text), request.version,
                                       info(request.version));
    return reply;
  };
  switch (error.kind) {
    case ErrorKind::NotFound:
      return invalid_params(id, error.message);
    case ErrorKind::DeadlineExceeded: {
      if (!timeout_is_rpc_error(request.version)) return as_result(error.message);
      std::string data = R"({"reason":)";
      json::write_string(error.message, data);
      data += '}';
      return refuse({protocol::kCallTimeout, "Agent reply timeout", id, std::move(data)});
    }
    case ErrorKind::Unavailable: {
      if (!http) return as_result(error.message);
      Reply reply = refuse({protocol::kBusy, error.message, id, {}}, 429);
      reply.busy = true;
      return reply;
    }
    case ErrorKind::InvalidArgument:
    case ErrorKind::Denied:
    case ErrorKind::Cancelled:
    case ErrorKind::PluginFault:
      return as_result(error.message);
    case ErrorKind::Io:
    case ErrorKind::Internal:
      break;
  }
  log::error("session", "a call failed by the host's fault",
             {{"call", call.id}, {"tool", call.name}, {"error", error.message}});
  return refuse({protocol::kInternalError,
                 "internal error; the host's log explains it under " + call.id,
                 id,
                 {}});
}

}  // namespace host::session
