// The objects that a host needs with either transport (HTTP or stdio): the core, and the methods of
// MCP. Call the functions of this header on the I/O thread.
#pragma once

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>

#include "app/core/core.h"
#include "app/serve/offer_service.h"
#include "app/serve/tool_service.h"
#include "base/result.h"
#include "config/config.h"
#include "mcp/method/methods.h"
#include "store/audit/filler.h"

namespace host::app {

class ServedHost {
 public:
  static Result<std::unique_ptr<ServedHost>> create(config::Config config);
  explicit ServedHost(std::unique_ptr<Core> made);

  // Returns true if the host may start. Returns false if check_names() finds an error, for example
  // a deny rule for an unknown tool. The log gives the reasons why the host cannot start.
  bool fits_what_is_installed();
  // Stops the host's periodic work. Call end() when the host serves no client any more.
  void end();
  // Returns a function that the transport must call before each write to a client. The returned
  // function writes the buffered audit lines. With this function, the host writes the audit line of
  // a call before the client gets the response.
  std::function<void()> flush_audit();

  const std::unique_ptr<store::AuditFiller> filler;  // null: the host writes no audit
  const std::unique_ptr<Core> core;
  ToolService tools;
  OfferService offers;
  mcp::Methods methods;

 private:
  void give_back_from_time_to_time();

  boost::asio::steady_timer rest_;  // after this time, free memory is returned to the system
  bool finished_ = false;
};

// Logs each error in the list that refused_webhooks() returns. Returns true if the list is empty.
bool starts_with(const config::Config& config);

// Logs the error, and returns the exit code which says that the host could not start.
int failed(const Error& error);

}  // namespace host::app
