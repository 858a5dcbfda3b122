// Where every HTTP request comes in: who sent it and whether they may is decided here, before any
// of its body is read; then it goes to MCP, REST, the page, or what watches the host. I/O thread
// only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "admin/page.h"
#include "identity/authenticator.h"
#include "rest/api.h"
#include "transport/http.h"

namespace host::app {

class FrontDoor final : public transport::HttpHandler {
 public:
  // References outlive it. `behind` serves all that is neither REST nor the page.
  FrontDoor(identity::Authenticator& authenticator, admin::Page& page, rest::Api& api,
            transport::HttpHandler& behind)
      : authenticator_(authenticator), page_(page), api_(api), behind_(behind) {}

  std::optional<transport::HttpRefusal> admit(const transport::HttpRequest& http) override;
  boost::asio::awaitable<void> handle(transport::HttpExchange& exchange) override;

 private:
  std::optional<identity::Scope> needed_for(std::string_view path) const;

  identity::Authenticator& authenticator_;
  admin::Page& page_;
  rest::Api& api_;
  transport::HttpHandler& behind_;
};

}  // namespace host::app
