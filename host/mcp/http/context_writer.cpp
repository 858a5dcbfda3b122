#include "mcp/http/context_writer.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "base/log.h"
#include "mcp/peer/one_shot.h"

namespace host::mcp {
namespace {

namespace asio = boost::asio;
using store::ClientContextRecord;
using store::ClientContextStore;

// So that other users of the store do not wait long.
constexpr std::size_t kMostTogether = 200;

// What the store's thread gets of a change. Without a context, the change removes.
struct Write {
  std::string id;
  std::optional<ClientContextRecord> context;
};

Result<void> apply(const Write& write, ClientContextStore& contexts) {
  if (write.context) return contexts.put(*write.context);
  HOST_TRY(contexts.remove(write.id));
  return {};
}

Result<void> apply_all(const std::vector<Write>& writes, ClientContextStore& contexts) {
  for (const Write& write : writes) HOST_TRY(apply(write, contexts));
  return {};
}

}  // namespace

struct ContextWriter::Change {
  Change(const asio::any_io_executor& io, Write what) : write(std::move(what)), over(io) {}

  void end(const Result<void>& with) {
    if (!with && !write.context) {
      log::warning("session", "a session that ended stays stored",
                   {{"reason", with.error().message}});
    }
    outcome = with;
    over.set();
  }

  Write write;
  Result<void> outcome;
  OneShot over;
};

ContextWriter::ContextWriter(asio::any_io_executor io, std::shared_ptr<store::Desk> desk)
    : io_(std::move(io)), desk_(std::move(desk)) {}

asio::awaitable<Result<void>> ContextWriter::put(ClientContextRecord context) {
  const auto self = shared_from_this();
  std::string id = context.id;
  const auto change = std::make_shared<Change>(io_, Write{std::move(id), std::move(context)});
  add(change);
  co_await change->over.wait();
  co_return std::move(change->outcome);
}

void ContextWriter::remove(std::string id) {
  add(std::make_shared<Change>(io_, Write{std::move(id), std::nullopt}));
}

void ContextWriter::add(std::shared_ptr<Change> change) {
  waiting_.push_back(std::move(change));
  if (!writes_) write();
}

// Each write begins the next one at its end. A failure, for example for want of memory, is one of
// those that wait.
void ContextWriter::write() {
  try {
    writes_ = true;
    writes_ = write_some();
  } catch (const std::exception& fault) {
    writes_ = false;
    const Error why{ErrorKind::Internal, fault.what()};
    for (const auto& one : std::exchange(waiting_, {})) one->end(why);
  }
}

// False: nothing waits.
bool ContextWriter::write_some() {
  if (waiting_.empty()) return false;
  const auto end =
      waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kMostTogether));
  Changes now(waiting_.begin(), end);
  std::vector<Write> writes;
  writes.reserve(now.size());
  for (const auto& one : now) writes.push_back(one->write);
  store::Desk::Act<bool> act = [writes = std::move(writes)](store::Store& store) -> Result<bool> {
    HOST_TRY(store.together([&] { return apply_all(writes, store.client_contexts()); }));
    return true;
  };
  desk_->ask<bool>(std::move(act),
                   [self = shared_from_this(), now = std::move(now)](const Result<bool>& done) {
                     const Result<void> outcome = done ? Result<void>() : done.error();
                     for (const auto& one : now) one->end(outcome);
                     self->write();
                   });
  waiting_.erase(waiting_.begin(), end);
  return true;
}

}  // namespace host::mcp
