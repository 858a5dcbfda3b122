// http.hpp sends HTTP requests through the host (tp.http/1), only to origins in the plugin's `net`.
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

// If `timeout`, `max_bytes` or `redirects` is not set, the host's limit applies.
struct HttpRequest {
  std::string url = {};
  std::string method = "GET";
  HttpHeaders headers = {};
  std::string body = {};
  std::optional<std::chrono::milliseconds> timeout = {};
  std::optional<std::uint64_t> max_bytes = {};  // the largest body that a response may have
  std::optional<std::uint32_t> redirects = {};
};

struct HttpResponse {
  std::uint32_t status = 0;
  std::string url = {};  // the URL after redirects
  HttpHeaders headers = {};
  std::string body = {};

  // Returns the first header with this name, in any letter case. Returns nullopt if no header has
  // this name.
  std::optional<std::string> header(std::string_view name) const;
};

namespace detail {
std::string write_request(const HttpRequest& request);
}

// Reads the response in a service's answer. Throws Cancelled or ServiceError if there is no
// response.
HttpResponse read_http(ServiceAnswer answer);

}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/http.ipp"
#endif
