// Serves /v1/sessions, which makes, lists, changes and ends the sessions of the sender's principal.
// Administrators can list and end all sessions.
#pragma once

#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <memory>
#include <optional>

#include "rest/route/route.h"
#include "rest/session/session_body.h"
#include "session/session.h"

namespace host::rest {

class SessionRoutes {
 public:
  explicit SessionRoutes(const Services& services) : services_(services) {}

  static constexpr auto routes() {
    return std::array{
        Route{"/v1/sessions", "GET", Scope::Call, &SessionRoutes::list, Scope::Admin, Takes::Query},
        Route{"/v1/sessions", "POST", Scope::Call, &SessionRoutes::create, {}, Takes::Body},
        Route{"/v1/sessions/*", "GET", Scope::Call, &SessionRoutes::show, Scope::Admin},
        Route{"/v1/sessions/*", "PATCH", Scope::Call, &SessionRoutes::change, {}, Takes::Body},
        Route{"/v1/sessions/*", "DELETE", Scope::Call, &SessionRoutes::end, Scope::Admin},
    };
  }

 private:
  awaitable<void> list(const Asked& asked);
  awaitable<void> create(const Asked& asked);
  awaitable<void> show(const Asked& asked);
  awaitable<void> change(const Asked& asked);
  awaitable<void> end(const Asked& asked);

  // Reads the body of a request on a separate thread, because it can take long to compile the JSON
  // Schemas of the tools in the body.
  using ReadBody = std::function<Result<SessionBody>(const SessionLimits& limits)>;
  awaitable<Result<SessionBody>> read(const Asked& asked, ReadBody body);
  // Reads the body of a PATCH, and merges it with the settings of the session `own`. If the client
  // expects a later version of the session than `own`, the function first sets `own` to the session
  // in the store.
  awaitable<Result<SessionBody>> read_change(const Asked& asked, session::SessionPtr& own);
  void note(const Asked& asked, const session::Session& session, std::string_view outcome);

  const Services& services_;
  std::optional<boost::asio::thread_pool> reader_;  // the first body starts the thread
  // The reader thread handles only one body of each principal at a time, so that many bodies of one
  // principal do not delay other principals.
  class Turns;
  std::shared_ptr<Turns> turns_;  // made when the first body arrives
};

}  // namespace host::rest
