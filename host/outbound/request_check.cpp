#include "outbound/request_check.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text/letters.h"

namespace host::outbound {
namespace {

constexpr std::size_t kMostUrlBytes = 8192;
constexpr std::size_t kMostHeaders = 64;
constexpr std::size_t kMostHeaderBytes = 8192;
constexpr std::array<std::string_view, 7> kMethods = {"GET",   "HEAD",   "POST",   "PUT",
                                                      "PATCH", "DELETE", "OPTIONS"};
// Whose connection it is and where the body ends is the gate's own affair.
constexpr std::array<std::string_view, 12> kOwn = {
    "host",   "content-length", "transfer-encoding",   "connection",       "keep-alive",
    "te",     "trailer",        "proxy-authorization", "proxy-connection", "upgrade",
    "expect", "accept-encoding"};
constexpr std::array<std::string_view, 4> kHarmless = {"accept", "accept-language", "content-type",
                                                       "user-agent"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_token(std::string_view text) {
  constexpr std::string_view kAlso = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kAlso.find(c) != std::string_view::npos;
  });
}

bool is_field_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

Error bad(const std::string& why) {
  return Error{ErrorKind::InvalidArgument, why};
}

void drop(Headers& headers, bool (*goes)(std::string_view name)) {
  std::erase_if(headers, [goes](const auto& header) { return goes(lower(header.first)); });
}

}  // namespace

Result<void> check_request(const Request& request) {
  if (!is_one_of(kMethods, request.method)) return bad("no such method: " + request.method);
  if (request.url.size() > kMostUrlBytes) return bad("a URL of more than 8 KiB");
  if (request.headers.size() > kMostHeaders) return bad("more than 64 headers");
  if (!request.body.empty() && (request.method == "GET" || request.method == "HEAD")) {
    return bad(request.method + " has no body");
  }
  std::size_t bytes = 0;
  for (const auto& [name, value] : request.headers) {
    bytes += name.size() + value.size();
    if (!is_token(name) || !is_field_text(value)) return bad("a malformed header");
    if (is_one_of(kOwn, lower(name))) return bad("the header " + name + " is the host's own");
  }
  if (bytes > kMostHeaderBytes) return bad("headers of more than 8 KiB");
  return {};
}

std::vector<std::string> lines_of(const Headers& headers) {
  std::vector<std::string> lines;
  // curl sends a header without a value only where it ends in a semicolon.
  for (const auto& [name, value] : headers) {
    lines.push_back(value.empty() ? name + ";" : name + ": " + value);
  }
  return lines;
}

void redirect(Request& request, int status, std::string location, bool same_origin) {
  const bool becomes_get = (status == 303 && request.method != "HEAD") ||
                           ((status == 301 || status == 302) && request.method == "POST");
  if (becomes_get) {
    request.method = "GET";
    request.body.clear();
    drop(request.headers, [](std::string_view name) { return name.starts_with("content-"); });
  }
  if (!same_origin) {
    drop(request.headers, [](std::string_view name) { return !is_one_of(kHarmless, name); });
  }
  request.url = std::move(location);
}

}  // namespace host::outbound
