// Executes orders of the command line about this host's plugins: report, reload, release from
// quarantine. The orders arrive through the store that both processes have open. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <string>

#include "base/result.h"
#include "store/desk.h"
#include "store/part/host_store.h"

namespace host::app {

class Core;

class PluginOrders : public std::enable_shared_from_this<PluginOrders> {
 public:
  // `core` must have a store, and must live until stop().
  explicit PluginOrders(Core& core);

  // Adds this host at `address` to the store, and takes orders from then on.
  boost::asio::awaitable<void> serve(std::string address);
  // Takes no more orders, and removes this host from the store.
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
