// Serves PUT and GET /v1/files/ID/content?token=..., which upload and download the contents of a
// file as streams. The token in the URL is the credential (file/signed_url.h), so the HTTP requests
// need no key. The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "file/files.h"
#include "transport/http/http.h"

namespace host::rest {

class FileContent {
 public:
  // Returns true if the credential of the client that requested the signed URL is still valid.
  using StillAdmits = std::function<bool(const file::Grant&)>;
  // `files` is null if there is no store.
  FileContent(std::shared_ptr<file::Files> files, const Clock& clock, StillAdmits still_admits)
      : files_(std::move(files)), clock_(clock), still_admits_(std::move(still_admits)) {}

  static bool serves(std::string_view path);
  static bool may_stream(const transport::HttpRequest& http);
  // Checks the token, and returns the upload that receives the body.
  transport::Admission admit(const transport::HttpRequest& http);
  boost::asio::awaitable<void> handle(transport::HttpExchange& exchange);

 private:
  struct Sender;

  std::variant<file::Grant, transport::HttpRefusal> grant_of(const transport::HttpRequest& http,
                                                             file::Use use) const;
  boost::asio::awaitable<void> finish(transport::HttpExchange& exchange, const Sender& sender);
  boost::asio::awaitable<void> download(transport::HttpExchange& exchange, const Sender& sender);

  const std::shared_ptr<file::Files> files_;
  const Clock& clock_;
  const StillAdmits still_admits_;
};

}  // namespace host::rest
