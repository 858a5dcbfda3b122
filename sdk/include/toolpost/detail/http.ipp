// The bodies of http.hpp.
#pragma once

#include "toolpost/detail/http.hpp"

namespace toolpost {
inline namespace v1 {

TOOLPOST_INLINE std::optional<std::string> HttpResponse::header(std::string_view name) const {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  for (const auto& [have, value] : headers) {
    bool same = have.size() == name.size();
    for (std::size_t i = 0; same && i < name.size(); ++i) same = lower(have[i]) == lower(name[i]);
    if (same) return value;
  }
  return std::nullopt;
}

namespace detail {

TOOLPOST_INLINE std::string write_request(const HttpRequest& request) {
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

TOOLPOST_INLINE HttpResponse read_http(ServiceAnswer answer) {
  answer = detail::good(std::move(answer));
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

}  // namespace v1
}  // namespace toolpost
