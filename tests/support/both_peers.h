// One host, and a client of each transport. Both clients send the same requests.
#pragma once

#include <string>
#include <string_view>

#include "support/session_host.h"

namespace host::test {

// Returns the text of a request. `params`: the members of `params`, without braces.
inline std::string request_text(std::string_view method, std::string_view params = {},
                                std::string_view id = "1") {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + std::string(method) +
         R"(","params":{)" + std::string(params) + "}}";
}

// Returns the text of a request of the stateless version (2026-07-28), with the version in `_meta`.
inline std::string modern_text(std::string_view method, std::string_view params = {},
                               std::string_view meta = modern_meta(), std::string_view id = "1") {
  std::string members(params);
  members += members.empty() ? meta.substr(1) : meta;
  return request_text(method, members, id);
}

struct BothPeers {
  explicit BothPeers(std::function<void(config::Config&)> change = nullptr)
      : host(std::move(change)) {}

  // The HTTP headers that repeat parts of a request.
  static HttpPeer::Fields fields(std::string method, std::string name = {},
                                 HttpPeer::Fields more = {}) {
    HttpPeer::Fields all = {{"mcp-protocol-version", "2026-07-28"},
                            {"mcp-method", std::move(method)}};
    if (!name.empty()) all["mcp-name"] = std::move(name);
    for (auto& [key, value] : more) all[key] = value;
    return all;
  }

  struct Answers {
    int status = 0;     // the status over HTTP
    std::string http;   // the body of the answer, or the last event
    std::string lines;  // the last line over stdio
  };
  // Sends a request of the stateless version over both transports.
  Answers ask(const std::string& method, std::string_view params = {}, std::string name = {},
              std::string_view meta = modern_meta()) {
    const std::string text = modern_text(method, params, meta);
    const auto exchange = http.post(text, fields(method, std::move(name)));
    const auto lines = line.say(text);
    return {exchange->status, exchange->events ? exchange->events->events.back() : exchange->answer,
            lines.empty() ? std::string() : lines.back()};
  }

  // open() opens a session of a version over both transports. ask_in_session() sends a request in
  // it.
  void open(const std::string& version, const std::string& capabilities = "{}") {
    session = http.open(version, capabilities);
    line.say(request_text(
        "initialize", R"("protocolVersion":")" + version + R"(","capabilities":)" + capabilities));
    line.say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  }
  Answers ask_in_session(std::string_view method, std::string_view params = {}) {
    const std::string text = request_text(method, params);
    const auto exchange = http.post(text, session);
    const auto lines = line.say(text);
    return {exchange->status, exchange->events ? exchange->events->events.back() : exchange->answer,
            lines.empty() ? std::string() : lines.back()};
  }

  SessionHost host;
  HttpPeer http{host};
  LinePeer line{host};
  HttpPeer::Fields session;
};

}  // namespace host::test
