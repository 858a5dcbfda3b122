// What a peer's session needs from the floors below, in one place. app/ fills it.
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
#include "tool/call.h"
#include "tool/offers.h"
#include "tool/peer.h"
#include "tool/result.h"
#include "tool/tool.h"

namespace host::session {
class Sessions;
}
namespace host::task {
class Tasks;
}

namespace host::mcp {

template <class T>
using awaitable = boost::asio::awaitable<T>;

// The tools as peers meet them: the dispatcher and the router, behind one face. What list() does
// not show find() does not give. I/O thread only.
class ToolService {
 public:
  struct Listing {
    std::shared_ptr<const void> keeps;     // what the pointers live in
    std::vector<const tool::Tool*> tools;  // in name order
  };

  virtual ~ToolService() = default;
  virtual Listing list(const tool::Peer& peer) const = 0;
  // Empty: there is none that this peer can see. A call of the tool takes the route along.
  virtual tool::Route find(const tool::Peer& peer, const std::string& name) const = 0;
  // See router::Dispatcher::call() for what its errors mean.
  virtual awaitable<Result<tool::CallResult>> call(tool::Call& call) = 0;
};

// What is offered beside tools, in the same way. I/O thread only.
class OfferService {
 public:
  virtual ~OfferService() = default;
  virtual std::shared_ptr<const tool::Offers> list(const tool::Peer& peer) const = 0;
  // See router::OfferDispatcher::call() for what its errors mean.
  virtual awaitable<Result<tool::CallResult>> call(tool::Call& call) = 0;
};

// References outlive every session.
struct Services {
  void refused(std::string_view limit) const {
    if (on_refusal) on_refusal(limit);
  }

  ToolService& tools;
  OfferService& offers;
  std::function<skill::Catalog&(const std::string& agent)> skills;
  task::Tasks& tasks;
  const config::Config& config;
  boost::asio::any_io_executor executor;  // the I/O thread's
  const Clock& clock = system_clock();
  std::function<std::string(const std::string& agent)> instructions;  // null: none
  std::string version;                                                // of the host, for serverInfo
  // A limit was reached: its key in config.toml. May be empty.
  std::function<void(std::string_view limit)> on_refusal;
  std::chrono::milliseconds question_lifetime{std::chrono::seconds(300)};
  std::shared_ptr<session::Sessions> sessions = nullptr;  // null: there are none
};

}  // namespace host::mcp
