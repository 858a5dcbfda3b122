#include "rest/file/file_content.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/text/encoding.h"
#include "rest/route/route_table.h"
#include "rest/wire/file_json.h"
#include "rest/wire/parameters.h"
#include "transport/ascii.h"
#include "transport/http/json_answer.h"

namespace host::rest {
namespace {

using boost::asio::awaitable;
using transport::HttpRefusal;
using transport::HttpRequest;

constexpr std::string_view kPattern = "/v1/files/*/content";

bool reads(const HttpRequest& http) {
  return http.method() == "GET" || http.method() == "HEAD";
}

HttpRefusal denied(std::string_view why) {
  return {transport::Problem::Denied, std::string(why), {}};
}

// RFC 8187. A browser saves the file and does not show it: its type is the sender's word.
std::string disposition_of(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out = "attachment; filename*=UTF-8''";
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    const auto byte = static_cast<unsigned char>(c);
    if (plain) {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4u], kDigits[byte & 15u]};
    }
  }
  return out;
}

std::uint64_t length_of(const HttpRequest& http) {
  const std::string_view length = http.header("Content-Length");
  std::uint64_t bytes = 0;
  std::from_chars(length.data(), length.data() + length.size(), bytes);  // the parser checked it
  return bytes;
}

// An upload is a whole file as it is.
std::optional<HttpRefusal> refusal_of_body(const HttpRequest& http) {
  const std::string_view coding = http.header("Content-Encoding");
  if (http.header("Content-Range").data()) {  // RFC 9110, 14.5
    return HttpRefusal{transport::Problem::BadRequest,
                       "the host takes no parts of a file: send the whole file in one PUT, without "
                       "Content-Range",
                       {}};
  }
  if (!coding.empty() && !transport::equal_ignoring_case(coding, "identity")) {
    return HttpRefusal{transport::Problem::WrongContentType,
                       "the host does not decode uploads: send the file without Content-Encoding",
                       {{"Accept-Encoding", "identity"}}};  // RFC 9110, 12.5.3
  }
  if (!http.header("Content-Length").data()) {
    return HttpRefusal{transport::Problem::LengthRequired, "an upload needs a Content-Length", {}};
  }
  return std::nullopt;
}

}  // namespace

struct FileContent::Sender final : transport::AdmittedSender {
  file::Grant grant;
  std::shared_ptr<file::Upload> upload;  // null: a download
};

bool FileContent::serves(std::string_view path) {
  return matches(kPattern, without_alias(path));
}

bool FileContent::may_stream(const HttpRequest& http) {
  return http.method() == "PUT" && serves(http.path());
}

std::variant<file::Grant, HttpRefusal> FileContent::grant_of(const HttpRequest& http,
                                                             file::Use use) const {
  if (!files_) return HttpRefusal{transport::Problem::NotFound, "this host keeps no files", {}};
  const auto parameters = read_parameters(http.query(), {"token"});
  if (!parameters)
    return HttpRefusal{transport::Problem::InvalidArgument, parameters.error().message, {}};
  const auto token = parameters->find("token");
  if (token == parameters->end()) return denied("this URL has no token: ask for a signed URL");
  const std::string id = ids_in(kPattern, without_alias(http.path())).front();
  auto grant = files_->read(use, id, token->second);
  if (!grant) return denied("this URL was not made by this host, or not for this method and file");
  if (grant->expires <= clock_.wall()) return denied("this URL has expired: ask for a new one");
  if (!still_admits_(*grant)) {
    return denied("the key, token or login that this URL was made with is not valid any more");
  }
  return *std::move(grant);
}

transport::Admission FileContent::admit(const HttpRequest& http) {
  transport::Admission admission;
  if (!reads(http) && http.method() != "PUT") {
    admission.refusal = HttpRefusal{transport::Problem::MethodNotAllowed,
                                    "this path has other methods",
                                    {{"Allow", "GET, HEAD, PUT"}}};
    return admission;
  }
  auto found = grant_of(http, reads(http) ? file::Use::Download : file::Use::Upload);
  if (auto* const refusal = std::get_if<HttpRefusal>(&found)) {
    admission.refusal = std::move(*refusal);
    return admission;
  }
  auto sender = std::make_shared<Sender>();
  sender->grant = std::get<file::Grant>(std::move(found));
  if (!reads(http)) {
    admission.refusal = refusal_of_body(http);
    if (admission.refusal) return admission;
    auto begun = files_->begin(sender->grant, length_of(http));
    if (auto* const refusal = std::get_if<HttpRefusal>(&begun)) {
      admission.refusal = std::move(*refusal);
      return admission;
    }
    sender->upload = std::get<std::shared_ptr<file::Upload>>(std::move(begun));
    admission.sink = sender->upload;
  }
  const file::Grant& grant = sender->grant;
  if (grant.keyed || grant.until || !grant.login.empty()) admission.principal = grant.principal;
  admission.sender = std::move(sender);
  return admission;
}

awaitable<void> FileContent::handle(transport::HttpExchange& exchange) {
  const auto sender = std::dynamic_pointer_cast<const Sender>(exchange.request().sender());
  // Again: the body may have taken long.
  if (!sender || !still_admits_(sender->grant)) {
    co_return transport::answer_error(exchange, transport::Problem::Denied,
                                      "this URL is not valid any more");
  }
  if (sender->upload) {
    co_await finish(exchange, *sender);
  } else {
    co_await download(exchange, *sender);
  }
}

awaitable<void> FileContent::finish(transport::HttpExchange& exchange, const Sender& sender) {
  auto finished = co_await sender.upload->finish();
  if (auto* const refusal = std::get_if<HttpRefusal>(&finished)) {
    co_return transport::answer_error(exchange, refusal->problem, refusal->message,
                                      std::move(refusal->headers));
  }
  if (const auto* const failed = std::get_if<Error>(&finished))
    co_return transport::answer_error(exchange, *failed);
  transport::answer_json(exchange, 201, as_json(std::get<store::FileRecord>(finished)));
}

awaitable<void> FileContent::download(transport::HttpExchange& exchange, const Sender& sender) {
  const auto found = co_await files_->find(sender.grant.principal, sender.grant.id);
  if (!found) co_return transport::answer_error(exchange, found.error());
  if (!*found) {
    co_return transport::answer_error(exchange, transport::Problem::NotFound,
                                      "there is no such file any more");
  }
  auto body = co_await files_->open(**found);
  if (!body) co_return transport::answer_error(exchange, body.error());
  const auto& digest = (*found)->digest;
  exchange.send_from(
      200, *std::move(body), "application/octet-stream",
      {{"Content-Disposition", disposition_of((*found)->name)},
       {"Repr-Digest",
        "sha-256=:" + base64({reinterpret_cast<const char*>(digest.data()), digest.size()}) + ":"},
       {"Content-Security-Policy", "sandbox; default-src 'none'"},
       {"Cache-Control", "private, no-store"}});
}

}  // namespace host::rest
