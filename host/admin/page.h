// Serves the console: its files, and the logins at /v1/login and /v1/logins. The console's files
// contain no data of the host, and the host serves these files to everybody. The console's scripts
// request the host's data with a console login (identity/page_login.h). Call the functions of this
// header on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "admin/logins.h"
#include "admin/page_files.h"
#include "identity/authenticator.h"
#include "identity/identities.h"
#include "store/audit/audit.h"
#include "transport/http/http.h"

namespace host::admin {

class Page {
 public:
  // If `identities` is null, nobody can log in. The host serves the console's files from `folder`,
  // or the built-in files if `folder` is empty.
  Page(std::shared_ptr<identity::Identities> identities, identity::Authenticator& authenticator,
       store::Audit& audit, std::chrono::milliseconds login_lasts, std::filesystem::path folder);

  // Returns true if Page serves this URL path. A request for a path that Page serves needs no
  // scope.
  static bool serves(std::string_view path);
  boost::asio::awaitable<void> handle(transport::HttpExchange& exchange);

 private:
  void answer_file(transport::HttpExchange& exchange) const;
  void show_login(transport::HttpExchange& exchange);
  boost::asio::awaitable<void> log_in(transport::HttpExchange& exchange);
  boost::asio::awaitable<void> log_out(transport::HttpExchange& exchange);

  const std::shared_ptr<identity::Identities> identities_;
  identity::Authenticator& authenticator_;
  store::Audit& audit_;
  const std::chrono::milliseconds login_lasts_;
  Logins logins_;
  const PageFiles files_;
};

}  // namespace host::admin
