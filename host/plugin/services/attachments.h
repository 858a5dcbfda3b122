// The host's side of tp.attachments/1. The service reads and opens files that were sent with a
// call, for plugins that cannot open the files. The functions are called on the I/O thread, and a
// separate thread reads the files.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "plugin/services/service_table.h"

namespace host::plugin {

class AttachmentService {
 public:
  explicit AttachmentService(boost::asio::any_io_executor io);
  ~AttachmentService();  // waits until the current read or open has ended

  void offer_in(ServiceTable& table);

 private:
  void read(const std::shared_ptr<ServiceCall>& asked);
  void open(const std::shared_ptr<ServiceCall>& asked);
  bool may_open_more(const std::shared_ptr<tool::Invocation>& call);
  void answer_from_thread(const std::shared_ptr<ServiceCall>& asked,
                          std::function<HostAnswer()> act);

  const boost::asio::any_io_executor io_;
  std::optional<boost::asio::thread_pool> thread_;  // started by the first read or open
  // The number of files that each running call has opened.
  std::map<std::weak_ptr<const tool::Invocation>, std::uint32_t, std::owner_less<>> opened_;
};

}  // namespace host::plugin
