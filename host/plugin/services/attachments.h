// tp.attachments/1 on the host's side: the service reads files that were sent with a call, for
// plugins that cannot open the files. The functions are called on the I/O thread, and a separate
// thread reads the files.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <optional>

#include "plugin/services/service_table.h"

namespace host::plugin {

class AttachmentService {
 public:
  explicit AttachmentService(boost::asio::any_io_executor io);
  ~AttachmentService();  // waits for the current read to end

  void offer_in(ServiceTable& table);

 private:
  void read(const std::shared_ptr<ServiceCall>& asked);

  const boost::asio::any_io_executor io_;
  std::optional<boost::asio::thread_pool> thread_;  // the first read starts it
};

}  // namespace host::plugin
