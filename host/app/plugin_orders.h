// What the operator's command line asks of this host about its plugins, through the store that both
// have open: a report, to load one again, to release one from quarantine. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <string>

#include "base/result.h"
#include "store/desk.h"
#include "store/host_store.h"

namespace host::app {

class Core;

class PluginOrders : public std::enable_shared_from_this<PluginOrders> {
 public:
  // `core` has a store, and outlives this until stop().
  explicit PluginOrders(Core& core);

  // Makes this host known, as the one that is served at `address`, and takes orders from then on.
  boost::asio::awaitable<void> serve(std::string address);
  // Takes no more orders, and this host is known no more.
  void stop();

 private:
  boost::asio::awaitable<void> take_orders();
  boost::asio::awaitable<void> carry_out(store::PluginOrder order);
  boost::asio::awaitable<Result<std::string>> answer_to(store::PluginOrder order);
  void answer(const store::PluginOrder& order, const Result<std::string>& answer);
  void note(const store::PluginOrder& order, const Result<std::string>& answer);

  Core& core_;
  const std::shared_ptr<store::Desk> desk_;
  const std::string id_;
  store::HostRecord self_;                                           // after serve()
  const std::shared_ptr<bool> look_ = std::make_shared<bool>(true);  // on the store's thread alone
  boost::asio::steady_timer pause_;
  bool stopped_ = false;
};

}  // namespace host::app
