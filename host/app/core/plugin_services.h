// Makes the services that the host offers to plugins, and the table in which the host looks up a
// requested service. Call the functions of this header on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <memory>

#include "config/config.h"
#include "outbound/gate.h"
#include "plugin/services/attachments.h"
#include "plugin/services/call_tool.h"
#include "plugin/services/http.h"
#include "plugin/services/kv.h"
#include "plugin/services/metrics.h"
#include "plugin/services/service_table.h"

namespace host::router {
class Dispatcher;
}

namespace host::app {

outbound::Settings gate_settings(const config::Outbound& outbound);

class SessionHistory;

class PluginServices {
 public:
  // `desk` is null if there is no store. `history` must outlive the PluginServices.
  PluginServices(boost::asio::any_io_executor io, const config::Config& config,
                 const std::shared_ptr<store::Desk>& desk, SessionHistory& history);

  std::shared_ptr<const plugin::ServiceTable> table() const { return table_; }

  // Returns the metrics that plugins report.
  const plugin::MetricsService& metrics() const { return metrics_; }

  // Sets the dispatcher that runs the calls which plugins make. Call call_tools_by() once, before
  // any plugin runs.
  void call_tools_by(router::Dispatcher& dispatcher);

 private:
  const boost::asio::any_io_executor io_;
  const std::shared_ptr<plugin::ServiceTable> table_ = std::make_shared<plugin::ServiceTable>();
  plugin::AttachmentService attachments_;
  plugin::KvService kv_;
  outbound::Gate gate_;
  plugin::HttpService http_;
  plugin::MetricsService metrics_;
};

}  // namespace host::app
