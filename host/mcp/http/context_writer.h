// Writes changes of MCP sessions to the store. Changes that come while a write is in progress wait,
// and the next write stores them together: in one transaction, with one sync of the disk. The
// changes are stored in the order in which they came. The functions are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/desk.h"
#include "store/part/client_context_store.h"

namespace host::mcp {

class ContextWriter : public std::enable_shared_from_this<ContextWriter> {
 public:
  // `desk` must not be null.
  ContextWriter(boost::asio::any_io_executor io, std::shared_ptr<store::Desk> desk);

  // Returns when the context is stored. An Error means that it is not stored.
  boost::asio::awaitable<Result<void>> put(store::ClientContextRecord context);
  // Removes a context later. If the store fails, the function logs a warning.
  void remove(std::string id);

 private:
  struct Change;
  using Changes = std::vector<std::shared_ptr<Change>>;

  void add(std::shared_ptr<Change> change);
  void write();
  bool write_some();

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<store::Desk> desk_;
  bool writes_ = false;  // true: a write is in progress
  std::deque<std::shared_ptr<Change>> waiting_;
};

}  // namespace host::mcp
