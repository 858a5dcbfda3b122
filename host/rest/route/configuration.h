// The configuration of the host, as operators may read it again. app/ implements it.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <string>

#include "config/change/reload_report.h"

namespace host::rest {

class Configuration {
 public:
  virtual ~Configuration() = default;

  virtual const config::ReloadReport& report() const = 0;
  // Reads the file again, and applies what does not need a restart. `by`: who asks, for the audit.
  virtual boost::asio::awaitable<config::ReloadReport> reload(std::string by) = 0;
};

}  // namespace host::rest
