// Makes a transport to an upstream that is an HTTP API. The transport itself answers the messages
// of MCP: it lists the operations of an OpenAPI document as tools, and makes one HTTP request for
// each call of a tool.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <memory>
#include <string>

#include "base/job_thread.h"
#include "outbound/gate.h"
#include "upstream/connection/budget.h"
#include "upstream/connection/secrets.h"
#include "upstream/connection/transport.h"
#include "upstream/openapi/call_request.h"
#include "upstream/openapi/operation_reader.h"

namespace host::upstream::openapi {

struct ApiUpstream {
  std::string document;  // an absolute path, or a URL
  bool is_url = false;   // true: `document` is a URL
  ReadSettings read;
  Access access;
  std::size_t message_bytes = 16u << 20u;  // the limit for the document, and for one response
  std::shared_ptr<Budget> budget;
  std::shared_ptr<const Secrets> secrets;  // values that the host also hides in results
  // `jobs` is the thread that reads the document and makes results from long responses.
  std::shared_ptr<JobThread> jobs;
  // `look_every` is the pause between two checks whether the file of the document has changed.
  std::chrono::milliseconds look_every{2000};
};

std::unique_ptr<Transport> make_api_transport(boost::asio::any_io_executor io,
                                              std::shared_ptr<outbound::Gate> gate,
                                              ApiUpstream settings);

}  // namespace host::upstream::openapi
