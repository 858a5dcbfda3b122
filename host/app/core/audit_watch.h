// If the host could not write the audit file, AuditWatch tries again every second until a write
// succeeds. So the host notices that the audit file is writable again even if no call arrives. Call
// the functions of this header on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "store/audit/audit.h"

namespace host::app {

class AuditWatch {
 public:
  AuditWatch(boost::asio::any_io_executor io, store::Audit& audit);
  AuditWatch(const AuditWatch&) = delete;
  AuditWatch& operator=(const AuditWatch&) = delete;

  void stop();

 private:
  void try_again();
  boost::asio::awaitable<void> recover();

  store::Audit& audit_;
  boost::asio::steady_timer pause_;
  bool stopping_ = false;
};

}  // namespace host::app
