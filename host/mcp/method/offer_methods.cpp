#include "mcp/method/offer_methods.h"

#include <numeric>
#include <utility>

#include "mcp/method/listen.h"
#include "protocol/mcp.h"
#include "protocol/offers.h"

namespace host::mcp {
namespace {

using tool::Function;

// Answers to a question may outlive a reload: what is offered is known by its name alone.
constexpr std::string_view kNoDefinition;

// A member of params that has to be a text; the reply where it is none.
std::optional<Reply> text_param(const Request& request, std::string_view name, std::string& out) {
  const json::Value* const given = request.param(name);
  if (!given || !given->IsString()) {
    return invalid_params(request.message.id, std::string(request.message.method) + " needs \"" +
                                                  std::string(name) + "\", a string");
  }
  out = json::text(*given);
  return std::nullopt;
}

json::Document object() {
  json::Document made;
  made.root().SetObject();
  return made;
}

void put(json::Document& into, std::string_view name, const json::Value& value) {
  json::set(into.root(), name, json::copy(value, into.allocator()), into.allocator());
}

// What is wrong with completion/complete's params, told by their places.
std::string_view completion_fault(const json::Value* ref, const json::Value* argument,
                                  const json::Value* context) {
  if (!ref || !ref->IsObject()) return "\"ref\" must be an object";
  const std::string_view type = json::find_text(*ref, "type");
  if (type != "ref/prompt" && type != "ref/resource") {
    return "\"ref\" must have the type ref/prompt or ref/resource";
  }
  const json::Value* const named = json::find(*ref, type == "ref/prompt" ? "name" : "uri");
  if (!named || !named->IsString()) return "\"ref\" must name a prompt, or have a resource's URI";
  if (!argument || !argument->IsObject()) return "\"argument\" must be an object";
  for (const auto* name : {"name", "value"}) {
    const json::Value* const text = json::find(*argument, name);
    if (!text || !text->IsString())
      return "\"argument\" must have a name and a value, both strings";
  }
  if (context && !context->IsObject()) return "\"context\" must be an object";
  return {};
}

}  // namespace

Reply OfferMethods::list_resources(const Request& request) const {
  const auto offers = services_.offers.list(request.who);
  const auto page = pages_.cut(
      request, offers->resources(), [](const auto& each) -> auto& { return each.resource->uri; },
      [&](const auto& each, std::string& out) {
        protocol::append_resource(*each.resource, request.version, out);
      });
  if (!page) return unknown_cursor(request.message.id);
  Reply reply;
  reply.text = protocol::list_answer(request.message.id, "resources", page->entries, page->next,
                                     request.version, infos_.of(request.version));
  return reply;
}

Reply OfferMethods::list_templates(const Request& request) const {
  const auto offers = services_.offers.list(request.who);
  const auto page = pages_.cut(
      request, offers->templates(), [](const auto& each) -> auto& { return each.resource->uri; },
      [&](const auto& each, std::string& out) {
        protocol::append_template(*each.resource, request.version, out);
      });
  if (!page) return unknown_cursor(request.message.id);
  Reply reply;
  reply.text = protocol::list_answer(request.message.id, "resourceTemplates", page->entries,
                                     page->next, request.version, infos_.of(request.version));
  return reply;
}

Reply OfferMethods::list_prompts(const Request& request) const {
  const auto offers = services_.offers.list(request.who);
  const auto page = pages_.cut(
      request, offers->prompts(), [](const auto& each) -> auto& { return each.prompt->name; },
      [&](const auto& each, std::string& out) {
        protocol::append_prompt(*each.prompt, request.version, out);
      });
  if (!page) return unknown_cursor(request.message.id);
  Reply reply;
  reply.text = protocol::list_answer(request.message.id, "prompts", page->entries, page->next,
                                     request.version, infos_.of(request.version));
  return reply;
}

awaitable<Reply> OfferMethods::read_resource(Request& request) {
  tool::Call call;
  call.function = Function::ReadResource;
  if (auto bad = text_param(request, "uri", call.name)) co_return *std::move(bad);
  call.arguments = object();
  put(call.arguments, "uri", *request.param("uri"));
  Reply reply = co_await runner_.run(request, call, kNoDefinition, *this);
  co_return reply;
}

awaitable<Reply> OfferMethods::get_prompt(Request& request) {
  tool::Call call;
  call.function = Function::GetPrompt;
  if (auto bad = text_param(request, "name", call.name)) co_return *std::move(bad);
  const json::Value* const arguments = request.param("arguments");
  const bool absent = !arguments || arguments->IsNull();
  if (!absent && !arguments->IsObject()) {
    co_return invalid_params(request.message.id, "\"arguments\" must be an object");
  }
  call.arguments = object();
  put(call.arguments, "name", *request.param("name"));
  const json::Value none(rapidjson::kObjectType);
  put(call.arguments, "arguments", absent ? none : *arguments);
  Reply reply = co_await runner_.run(request, call, kNoDefinition, *this);
  co_return reply;
}

awaitable<Reply> OfferMethods::complete(Request& request) {
  const json::Value* const ref = request.param("ref");
  const json::Value* const argument = request.param("argument");
  const json::Value* const context = request.param("context");
  const std::string_view fault = completion_fault(ref, argument, context);
  if (!fault.empty()) co_return invalid_params(request.message.id, std::string(fault));
  tool::Call call;
  call.function = Function::Complete;
  const bool prompt = json::find_text(*ref, "type") == "ref/prompt";
  call.name = json::find_text(*ref, prompt ? "name" : "uri");
  call.arguments = object();
  put(call.arguments, "ref", *ref);
  put(call.arguments, "argument", *argument);
  if (context) put(call.arguments, "context", *context);
  Reply reply = co_await runner_.run(request, call, kNoDefinition, *this);
  co_return reply;
}

Reply OfferMethods::subscribe(const Request& request) const {
  const protocol::Id& id = request.message.id;
  std::string uri;
  if (auto bad = text_param(request, "uri", uri)) return *std::move(bad);
  if (!request.settings) {
    return refuse({protocol::kInvalidRequest, "initialize first: a session follows", id, {}});
  }
  if (!is_offered(*services_.offers.list(request.who), uri)) {
    return no_such_resource(request, uri, "unknown resource: resources/list names what there is");
  }
  Uris& followed = request.settings->followed;
  const auto of_uris = [](std::size_t sum, const std::string& one) { return sum + one.size(); };
  const std::size_t bytes = std::accumulate(followed.begin(), followed.end(), uri.size(), of_uris);
  if (bytes > kMostUriBytes && !followed.contains(uri)) {
    return refuse({protocol::kBusy,
                   "the URIs that this session follows may have " + std::to_string(kMostUriBytes) +
                       " bytes together: unsubscribe first",
                   id,
                   {}});
  }
  const std::size_t most = services_.config.limits.resource_subscriptions;
  if (followed.size() >= most && !followed.contains(uri)) {
    return refuse({protocol::kBusy,
                   "this session follows " + std::to_string(most) +
                       " resources already (limits.resource_subscriptions): unsubscribe first",
                   id,
                   {}});
  }
  followed.insert(std::move(uri));
  announcer_.follows_changed();
  Reply reply;
  reply.text = protocol::empty_answer(id);
  return reply;
}

Reply OfferMethods::unsubscribe(const Request& request) const {
  std::string uri;
  if (auto bad = text_param(request, "uri", uri)) return *std::move(bad);
  if (request.settings) request.settings->followed.erase(uri);
  announcer_.follows_changed();
  Reply reply;
  reply.text = protocol::empty_answer(request.message.id);
  return reply;
}

awaitable<Result<tool::CallResult>> OfferMethods::run(tool::Call& call) {
  return services_.offers.call(call);
}

std::string OfferMethods::answer(const Request& request, const tool::Call& call,
                                 const tool::CallResult& result) const {
  const protocol::Id& id = request.message.id;
  const std::string& info = infos_.of(request.version);
  switch (call.function) {
    case Function::ReadResource:
      return protocol::read_answer(id, result, request.version, info);
    case Function::GetPrompt:
      return protocol::prompt_answer(id, result, request.version, info);
    default:
      return protocol::completion_answer(id, result, request.version, info);
  }
}

Reply OfferMethods::no_such_resource(const Request& request, std::string_view uri,
                                     std::string message) const {
  std::string data = R"({"uri":)";
  json::write_string(uri, data);
  data += '}';
  return refuse({protocol::features(request.version).no_such_resource, std::move(message),
                 request.message.id, std::move(data)});
}

// There are no results that say so: what failed is an error of the protocol.
Reply OfferMethods::failure(const Request& request, const tool::Call& call,
                            const Error& error) const {
  const protocol::Id& id = request.message.id;
  switch (error.kind) {
    case ErrorKind::NotFound:
      if (call.function == Function::ReadResource) {
        return no_such_resource(request, call.name, error.message);
      }
      return refuse({protocol::kInvalidParams, error.message, id, call.refusal_data});
    case ErrorKind::InvalidArgument:
      return refuse({protocol::kInvalidParams, error.message, id, call.refusal_data});
    case ErrorKind::Denied:
      return refuse({protocol::kInvalidRequest, error.message, id, {}});
    case ErrorKind::Unavailable:
      return refuse({protocol::kBusy, error.message, id, {}});
    default:
      return refuse({protocol::kInternalError, error.message, id, call.refusal_data});
  }
}

}  // namespace host::mcp
