// Configuration is the interface through which operators see whether the configuration file is in
// effect, and let the host read the file again. The code in app/ implements the interface
// Configuration.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <string>

#include "config/change/reload_report.h"

namespace host::rest {

class Configuration {
 public:
  virtual ~Configuration() = default;

  virtual const config::ReloadReport& report() const = 0;
  // Reads the configuration file again, and applies the changes that do not need a restart. `by`
  // says who asks for the reload, for the audit.
  virtual boost::asio::awaitable<config::ReloadReport> reload(std::string by) = 0;
};

}  // namespace host::rest
