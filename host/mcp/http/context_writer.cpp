#include "mcp/http/context_writer.h"

#include <utility>

#include "base/log.h"

namespace host::mcp {

using store::ClientContextRecord;
using store::ClientContextStore;

ContextWriter::ContextWriter(const boost::asio::any_io_executor& io,
                             std::shared_ptr<store::Desk> desk)
    : writer_(std::make_shared<Writer>(io, std::move(desk), apply_all, Writer::Most{200})) {}

Result<void> ContextWriter::apply(const Change& change, ClientContextStore& contexts) {
  if (change.context) return contexts.put(*change.context);
  HOST_TRY(contexts.remove(change.id));
  return {};
}

store::BatchOutcomes ContextWriter::apply_all(store::Store& store,
                                              const std::vector<Change>& changes) {
  const Result<void> done = store.together([&]() -> Result<void> {
    for (const Change& change : changes) HOST_TRY(apply(change, store.client_contexts()));
    return {};
  });
  return store::BatchOutcomes(changes.size(), done);
}

boost::asio::awaitable<Result<void>> ContextWriter::put(ClientContextRecord context) {
  std::string id = context.id;
  return writer_->put({std::move(id), std::move(context)});
}

void ContextWriter::remove(std::string id) {
  writer_->add({std::move(id), std::nullopt}, 0, [](const Result<void>& done) {
    if (done) return;
    log::warning("session", "a session that ended stays stored",
                 {{"reason", done.error().message}});
  });
}

}  // namespace host::mcp
