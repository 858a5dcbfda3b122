// Makes a transport to an upstream that is a child process and speaks JSON-RPC in lines on its
// standard streams.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <memory>
#include <string>

#include "upstream/connection/budget.h"
#include "upstream/connection/secrets.h"
#include "upstream/connection/transport.h"
#include "upstream/stdio/child.h"

namespace host::upstream {

struct StdioUpstream {
  std::string name;  // for logs
  ChildSettings child;
  std::size_t message_bytes = 16u << 20u;  // the transport drops a longer line
  std::shared_ptr<const Secrets> secrets = std::make_shared<const Secrets>();
  // `budget` is the budget of the upstream. All connections to the upstream share this budget.
  std::shared_ptr<Budget> budget = std::make_shared<Budget>(0, 4 * (16u << 20u));
};

// Makes the transport. The upstream's process starts when Transport::open() is called.
std::unique_ptr<Transport> make_stdio_transport(boost::asio::any_io_executor io,
                                                StdioUpstream settings);

}  // namespace host::upstream
