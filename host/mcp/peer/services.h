// The services of lower layers that MCP sessions need. The code in app/ makes the struct Services.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/config.h"
#include "skill/catalog.h"
#include "tool/call/call.h"
#include "tool/call/peer.h"
#include "tool/call/result.h"
#include "tool/definition/tool.h"
#include "tool/provider/offers.h"

namespace host::session {
class Sessions;
}
namespace host::task {
class Tasks;
}

namespace host::mcp {

template <class T>
using awaitable = boost::asio::awaitable<T>;

// Lists and calls tools for clients. app/serve/tool_service.h implements this interface. The
// function find() finds only tools that list() returns. A ToolService is used on the I/O thread.
class ToolService {
 public:
  struct Listing {
    std::shared_ptr<const void> keeps;     // keeps the tools in `tools` alive
    std::vector<const tool::Tool*> tools;  // ordered by name
  };

  virtual ~ToolService() = default;
  virtual Listing list(const tool::Peer& peer) const = 0;
  // Returns the route for a call of the tool. The route is empty if the client cannot see a tool
  // with this name.
  virtual tool::Route find(const tool::Peer& peer, const std::string& name) const = 0;
  // router::Dispatcher::call() describes the Errors of this function.
  virtual awaitable<Result<tool::CallResult>> call(tool::Call& call) = 0;
};

// Lists resources and prompts for clients, reads resources, gets prompts, and completes arguments.
// An OfferService is used on the I/O thread.
class OfferService {
 public:
  virtual ~OfferService() = default;
  virtual std::shared_ptr<const tool::Offers> list(const tool::Peer& peer) const = 0;
  // router::OfferDispatcher::call() describes the Errors of this function.
  virtual awaitable<Result<tool::CallResult>> call(tool::Call& call) = 0;
};

// The referenced objects must outlive every session.
struct Services {
  void refused(std::string_view limit) const {
    if (on_refusal) on_refusal(limit);
  }

  ToolService& tools;
  OfferService& offers;
  std::function<std::shared_ptr<skill::Catalog>(const tool::Peer& who)> skills;
  task::Tasks& tasks;
  const config::Config& config;
  boost::asio::any_io_executor executor;  // the executor of the I/O thread
  const Clock& clock = system_clock();
  std::function<std::string(const tool::Peer& who)> instructions;  // null: no instructions
  std::string version;                                             // version in serverInfo
  // The host calls on_refusal() when a limit is reached, with the limit's key in config.toml.
  // `on_refusal` can be null.
  std::function<void(std::string_view limit)> on_refusal;
  std::chrono::milliseconds question_lifetime{std::chrono::seconds(300)};
  std::shared_ptr<session::Sessions> sessions = nullptr;  // null: no sessions
};

}  // namespace host::mcp
