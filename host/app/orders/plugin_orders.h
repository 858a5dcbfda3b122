// Executes orders of `toolpost` commands: report the plugins, reload a plugin, end a quarantine and
// other orders. An order is a request that a command stores for a running host. The command and the
// host are two processes that have the same store open. Call the functions of this header on the
// I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <string>

#include "base/result.h"
#include "store/desk.h"
#include "store/part/host_store.h"

namespace host::app {

class ConfigReload;
class Core;

class PluginOrders : public std::enable_shared_from_this<PluginOrders> {
 public:
  // `core` must have a store. `core` and `configuration` must exist until stop().
  PluginOrders(Core& core, ConfigReload& configuration);

  // Adds this host to the store, and then carries out the requests of commands (PluginOrder) until
  // stop(). `address` is where the host serves: an address of HTTP, or stdio:PID. Commands show it.
  boost::asio::awaitable<void> serve(std::string address);
  // Gives an order to all other running hosts with this store. Nobody reads their answers.
  void tell_others(const std::string& action, const std::string& about, std::string given_by);
  // After stop(), the host takes no more orders. The function stop() also removes this host from
  // the store.
  void stop();

 private:
  boost::asio::awaitable<void> take_orders();
  boost::asio::awaitable<void> carry_out(store::PluginOrder order);
  boost::asio::awaitable<Result<std::string>> answer_to(store::PluginOrder order);
  void answer(const store::PluginOrder& order, const Result<std::string>& answer);
  void note(const store::PluginOrder& order, const Result<std::string>& answer);

  boost::asio::awaitable<std::string> answer_to_config_order(const store::PluginOrder& order);

  Core& core_;
  ConfigReload& configuration_;
  const std::shared_ptr<store::Desk> desk_;
  const std::string id_;
  store::HostRecord self_;  // set by serve()
  // Only the thread of the store uses the variable `look_`.
  const std::shared_ptr<bool> look_ = std::make_shared<bool>(true);
  boost::asio::steady_timer pause_;
  bool stopped_ = false;
  // True: the host is in the store. Only the thread of the store uses the variable `is_listed_`.
  const std::shared_ptr<bool> is_listed_ = std::make_shared<bool>(false);
};

}  // namespace host::app
