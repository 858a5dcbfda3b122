#include "plugin/services/http.h"

#include <algorithm>
#include <utility>

#include "json/json.h"
#include "plugin/services/status.h"

namespace host::plugin {
namespace {

constexpr std::uint32_t kLeastOfOne = 4;

Error bad(const char* why) {
  return Error{ErrorKind::InvalidArgument, why};
}

// A number that is given must be a whole one; nothing: it is not given.
Result<std::optional<std::uint64_t>> bounded_number(const json::Value& object,
                                                    std::string_view key) {
  const json::Value* const value = json::find(object, key);
  if (!value) return std::optional<std::uint64_t>();
  if (!value->IsUint64()) return bad("timeout_ms, max_bytes and redirects are whole numbers");
  return std::optional(value->GetUint64());
}

Result<outbound::Headers> headers_of(const json::Value& object) {
  outbound::Headers headers;
  const json::Value* const list = json::find(object, "headers");
  if (!list) return headers;
  if (!list->IsArray()) return bad("headers are a list of pairs");
  for (const json::Value& pair : list->GetArray()) {
    if (!pair.IsArray() || pair.Size() != 2 || !pair[0].IsString() || !pair[1].IsString()) {
      return bad("headers are a list of pairs of texts");
    }
    headers.emplace_back(json::text(pair[0]), json::text(pair[1]));
  }
  return headers;
}

Result<outbound::Request> read(const ServiceCall& asked) {
  BodyReader body(asked.bytes);
  const std::string_view text = body.text();
  outbound::Request request;
  request.body = body.rest();
  if (!body.ok()) return bad("a malformed request");
  const auto tree = json::parse(text);
  if (!tree || !tree->root().IsObject()) return bad("the request is not one JSON object");
  const json::Value& root = tree->root();
  request.url = json::find_text(root, "url");
  if (json::find(root, "method")) request.method = json::find_text(root, "method");
  HOST_TRY_ASSIGN(request.headers, headers_of(root));
  HOST_TRY_ASSIGN(const auto timeout, bounded_number(root, "timeout_ms"));
  HOST_TRY_ASSIGN(const auto max_bytes, bounded_number(root, "max_bytes"));
  HOST_TRY_ASSIGN(const auto redirects, bounded_number(root, "redirects"));
  if (asked.call) request.deadline = asked.call->deadline;
  if (timeout) {
    const std::chrono::milliseconds most = std::chrono::hours(24);
    const auto wanted = std::min<std::uint64_t>(*timeout, most.count());
    const SteadyTime until = std::chrono::steady_clock::now() + std::chrono::milliseconds(wanted);
    const bool bound = request.deadline != SteadyTime{};
    request.deadline = bound ? std::min(request.deadline, until) : until;
  }
  request.max_bytes = max_bytes.value_or(0);
  if (redirects)
    request.redirects = static_cast<std::uint32_t>(std::min<std::uint64_t>(*redirects, ~0u));
  return request;
}

// A server may send any bytes in a header; JSON is UTF-8: what is above ASCII is read as Latin-1,
// as HTTP once meant it.
std::string as_utf8(std::string_view latin) {
  std::string text;
  for (const char c : latin) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0u | byte >> 6u);
      text += static_cast<char>(0x80u | (byte & 0x3fu));
    }
  }
  return text;
}

HostAnswer answer_to(Result<outbound::Response> response) {
  if (!response) {
    const Error& error = response.error();
    const bool too_large = error.kind == ErrorKind::Internal;  // as the gate tells it
    return {too_large ? TP_E_NOMEM : status_of(error.kind), 0, {}, error.message};
  }
  std::string json = "{\"url\":";
  json::write_string(as_utf8(response->url), json);
  json += ",\"headers\":[";
  for (const auto& [name, value] : response->headers) {
    if (json.back() != '[') json += ',';
    json += '[';
    json::write_string(as_utf8(name), json);
    json += ',';
    json::write_string(as_utf8(value), json);
    json += ']';
  }
  return {TP_OK, static_cast<std::uint64_t>(response->status), json + "]}",
          std::move(response->body)};
}

}  // namespace

HttpService::HttpService(outbound::Gate& gate, const config::Plugins& plugins,
                         std::uint32_t concurrent)
    : gate_(gate), most_of_one_(std::max(kLeastOfOne, concurrent / 4)) {
  for (const auto& [name, settings] : plugins.by_name) {
    if (!settings.net.empty()) allowed_.emplace(name, outbound::AllowList(settings.net));
  }
}

void HttpService::offer_in(ServiceTable& table) {
  table.add(ServiceId::HttpRequest,
            [this](const std::shared_ptr<ServiceCall>& asked) { send(asked); });
}

void HttpService::send(const std::shared_ptr<ServiceCall>& asked) {
  auto request = read(*asked);
  if (!request) return asked->answer(answer_to(request.error()));
  const auto allowed = allowed_.find(asked->plugin);
  if (asked->settings) {
    request->allowed = outbound::AllowList(asked->settings->net);
  } else if (allowed != allowed_.end()) {
    request->allowed = allowed->second;
  }
  if (request->allowed.empty()) {
    return asked->fail(TP_E_DENIED,
                       "[plugin." + asked->plugin + "] has no `net`: it reaches nothing");
  }
  Count& open = open_[asked->plugin];
  if (!open) open = std::make_shared<std::uint32_t>(0);
  if (*open >= most_of_one_) {
    return asked->fail(TP_E_BUSY, "the plugin has " + std::to_string(*open) +
                                      " requests on their way: try again later");
  }
  ++*open;
  request->cancel = asked->cancel;
  request->owner = asked->plugin;
  gate_.send(std::move(*request), [asked, open](Result<outbound::Response> response) {
    --*open;
    asked->answer(answer_to(std::move(response)));
  });
}

}  // namespace host::plugin
