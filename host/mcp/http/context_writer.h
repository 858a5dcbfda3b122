// Writes changes of MCP sessions to the store. Changes that come at the same time are stored
// together (store/batch_writer.h), in the order in which they came. The functions of this header
// are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/batch_writer.h"
#include "store/desk.h"
#include "store/part/client_context_store.h"

namespace host::mcp {

class ContextWriter {
 public:
  // `desk` must not be null.
  ContextWriter(const boost::asio::any_io_executor& io, std::shared_ptr<store::Desk> desk);

  // Returns when the client context is stored. An Error means that the client context is not
  // stored.
  boost::asio::awaitable<Result<void>> put(store::ClientContextRecord context);
  // Removes a context later. If the store fails, the function logs a warning.
  void remove(std::string id);

 private:
  struct Change {
    std::string id;
    std::optional<store::ClientContextRecord> context;  // nullopt: the change removes the context
  };
  using Writer = store::BatchWriter<Change>;

  static Result<void> apply(const Change& change, store::ClientContextStore& contexts);
  static store::BatchOutcomes apply_all(store::Store& store, const std::vector<Change>& changes);

  const std::shared_ptr<Writer> writer_;
};

}  // namespace host::mcp
