// HTTP requests that the host makes (tp.http/1): to origins in the plugin's `net` alone.
//
//   const auto answer = call.http({.url = "https://api.example/v1/rates"});
//   if (answer.status != 200) throw toolpost::Error("no rates today");
//   return answer.body;
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolpost/detail/fields.hpp"
#include "toolpost/detail/reply.hpp"
#include "toolpost/ext/http.h"

namespace toolpost {
inline namespace v1 {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// What is not given is the host's bound.
struct HttpRequest {
  std::string url = {};
  std::string method = "GET";
  HttpHeaders headers = {};
  std::string body = {};
  std::optional<std::chrono::milliseconds> timeout = {};
  std::optional<std::uint64_t> max_bytes = {};  // of the response's body
  std::optional<std::uint32_t> redirects = {};
};

struct HttpResponse {
  std::uint32_t status = 0;
  std::string url = {};  // after redirects
  HttpHeaders headers = {};
  std::string body = {};

  // The first of this name, in any case of letters; nothing where there is none.
  std::optional<std::string> header(std::string_view name) const {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    for (const auto& [have, value] : headers) {
      bool same = have.size() == name.size();
      for (std::size_t i = 0; same && i < name.size(); ++i) same = lower(have[i]) == lower(name[i]);
      if (same) return value;
    }
    return std::nullopt;
  }
};

namespace detail {

inline std::string write_request(const HttpRequest& request) {
  std::string json = R"({"url":)";
  write_string(json, request.url);
  json += R"(,"method":)";
  write_string(json, request.method);
  json += R"(,"headers":[)";
  for (const auto& [name, value] : request.headers) {
    json += json.back() == '[' ? "[" : ",[";
    write_string(json, name);
    json += ',';
    write_string(json, value);
    json += ']';
  }
  json += ']';
  if (request.timeout) json += R"(,"timeout_ms":)" + std::to_string(request.timeout->count());
  if (request.max_bytes) json += R"(,"max_bytes":)" + std::to_string(*request.max_bytes);
  if (request.redirects) json += R"(,"redirects":)" + std::to_string(*request.redirects);
  return json + '}';
}

}  // namespace detail

// The response in what a service answered with TP_OK.
inline HttpResponse read_http(ServiceAnswer answer) {
  HttpResponse response;
  response.status = static_cast<std::uint32_t>(answer.number);
  response.body = std::move(answer.bytes);
  detail::Reader in(answer.json, "response");
  in.object([&](std::string_view key) {
    if (key == "url") {
      response.url = in.string();
    } else if (key == "headers") {
      in.array([&] {
        std::vector<std::string> pair;
        detail::Codec<std::vector<std::string>>::read(in, pair);
        if (pair.size() == 2) response.headers.emplace_back(std::move(pair[0]), std::move(pair[1]));
      });
    } else {
      in.any();
    }
  });
  return response;
}

namespace detail {

inline auto asks_http(const tp_http_api* api, tp_host* host, const tp_call* call,
                      const HttpRequest& request) {
  return [=, json = write_request(request), &request](const tp_reply* reply) -> tp_status {
    if (api == nullptr) return TP_E_UNSUPPORTED;
    return api->request(host, call, {json.data(), json.size()},
                        {request.body.data(), request.body.size()}, reply);
  };
}

}  // namespace detail
}  // namespace v1
}  // namespace toolpost
