#include "mcp/peer/client_requests.h"

#include <optional>

#include "mcp/peer/one_shot.h"
#include "protocol/notifications.h"

namespace host::mcp {

struct ClientRequests::Pending {
  explicit Pending(const boost::asio::any_io_executor& executor) : done(executor) {}

  OneShot done;
  std::optional<Result<json::Document>> answer;
};

// Takes the entry away however the wait ends, the end of the loop included.
class ClientRequests::Waiting {
 public:
  Waiting(std::map<protocol::Id, Pending*>& all, const protocol::Id& id, Pending* pending)
      : all_(all), at_(all.emplace(id, pending).first) {}
  ~Waiting() { all_.erase(at_); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  std::map<protocol::Id, Pending*>& all_;
  std::map<protocol::Id, Pending*>::iterator at_;
};

namespace {

std::string request_text(const protocol::Id& id, std::string_view method, std::string_view params) {
  std::string out = R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":)";
  json::write_string(method, out);
  out += R"(,"params":)";
  out += params;
  out += '}';
  return out;
}

Result<json::Document> answer_of(const protocol::Message& response) {
  if (response.error) {
    return Error{ErrorKind::InvalidArgument,
                 "the client refused: " + std::string(json::find_text(*response.error, "message"))};
  }
  json::Document result;
  result.root() = json::copy(*response.result, result.allocator());
  return result;
}

}  // namespace

boost::asio::awaitable<Result<json::Document>> ClientRequests::ask(
    Outlet& outlet, std::string_view method, std::string_view params, Cancel& cancel,
    std::chrono::milliseconds timeout) {
  const Error gone{ErrorKind::Cancelled, "the client is gone"};
  if (closed_) co_return gone;
  const protocol::Id id = std::to_string(++last_id_);
  Pending pending(executor_);
  const Waiting waiting(pending_, id, &pending);
  if (!outlet.send(request_text(id, method, params))) co_return gone;
  const auto registration = cancel.on_cancel([&pending] { pending.done.set(); });

  const bool in_time = co_await pending.done.wait_for(timeout);
  if (pending.answer) co_return *std::move(pending.answer);
  if (closed_) co_return gone;
  outlet.send(protocol::cancelled_notification(
      id, in_time ? "the call needs no answer any more" : "timeout"));
  if (in_time) co_return Error{ErrorKind::Cancelled, "the call was cancelled while it waited"};
  co_return Error{ErrorKind::DeadlineExceeded, "the client did not answer in time"};
}

bool ClientRequests::on_response(const protocol::Message& response) {
  const auto at = pending_.find(response.id);
  if (at == pending_.end() || at->second->answer) return false;
  at->second->answer = answer_of(response);
  at->second->done.set();
  return true;
}

void ClientRequests::close() {
  closed_ = true;
  url_questions_.clear();
  for (const auto& [id, pending] : pending_) pending->done.set();
}

}  // namespace host::mcp
