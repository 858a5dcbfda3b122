// Passes the messages that a running tool sends to its client (progress, partial results, log
// lines) through the call's interceptors, in order. While the filter exists, the filter is the
// call's observer. The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>

#include "router/step/interceptors.h"
#include "tool/call/call.h"

namespace host::router {

class MessageFilter {
 public:
  // The constructor's arguments must outlive finish(). The filter does nothing if the call has no
  // observer or no interceptor reads messages.
  MessageFilter(Interceptors& interceptors, tool::Call& call, const Route& route,
                Interceptors::Layers& layers, boost::asio::any_io_executor io);
  ~MessageFilter();
  MessageFilter(const MessageFilter&) = delete;
  MessageFilter& operator=(const MessageFilter&) = delete;

  // Waits until every message was passed to the client. Await finish() when the tool has ended.
  boost::asio::awaitable<void> finish();

 private:
  class Filtered;

  tool::Call& call_;
  tool::Observer* const client_;
  std::unique_ptr<Filtered> filtered_;  // null: messages go to the client directly
};

}  // namespace host::router
