// tp.attachments/1 on the host's side: files that came along with a call, read for a plugin that
// has no grant to do so. I/O thread only; files are read on a thread of its own.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <optional>

#include "plugin/services/service_table.h"

namespace host::plugin {

class AttachmentService {
 public:
  explicit AttachmentService(boost::asio::any_io_executor io);
  ~AttachmentService();  // waits for a read under way

  void offer_in(ServiceTable& table);

 private:
  void read(const std::shared_ptr<ServiceCall>& asked);

  const boost::asio::any_io_executor io_;
  std::optional<boost::asio::thread_pool> thread_;  // from the first read on
};

}  // namespace host::plugin
