#include "upstream/http/http_requests.h"

#include "json/member_scan.h"

namespace host::upstream {
namespace {

constexpr std::uint32_t kMostRedirects = 3;

}  // namespace

outbound::Request request_to(const HttpUpstream& upstream, std::string_view method,
                             const std::string& url) {
  outbound::Request request;
  request.method = method;
  request.url = url;
  request.headers = upstream.headers;
  if (const auto origin = outbound::origin_of(upstream.url)) {
    request.allowed = outbound::AllowList({origin->text()});
  }
  request.allowed_by = "is not the origin of the upstream's `url`";
  request.redirects = kMostRedirects;
  request.keeps_method = true;
  return request;
}

bool answers(std::string_view text, const protocol::Id& request) {
  if (request.empty()) return false;
  json::MemberScan scan("id");
  scan.take(text);
  return scan.kept() == request && (scan.has("result") || scan.has("error"));
}

Error refusal_of(int status) {
  const std::string what = "it answered with HTTP status " + std::to_string(status);
  if (status == 401 || status == 403) {
    return Error{ErrorKind::Denied, what + ": check the upstream's `headers`"};
  }
  const bool is_unknown = status == 400 || status == 404 || status == 405;
  return Error{is_unknown ? ErrorKind::InvalidArgument : ErrorKind::Io, what};
}

bool was_refused(int status) {
  return status >= 400 && status < 500;
}

}  // namespace host::upstream
