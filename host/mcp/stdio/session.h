// Serves one client on a channel of lines: standard input and output, or a socket.
//
// The same stdio connection serves all protocol versions. A request with a protocol version in
// `_meta` (2026-07-28) is independent of other requests. `initialize` negotiates the protocol
// version of requests that have no version in `_meta`. After a request with a protocol version in
// `_meta`, the host refuses `initialize`, because the protocol version of the client's
// notifications would be unclear.
//
// A session is in one of three states: serving, draining or over (ended). A session is draining
// after the client has closed its side. In a draining session, running calls can continue for the
// configured grace time, and are then cancelled. The functions of this header are called on the I/O
// thread. The code that made the session, and each call in progress, keep a shared_ptr to the
// session. The connection must live until `on_over` is called.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "mcp/method/methods.h"
#include "mcp/peer/batch.h"
#include "mcp/peer/client_requests.h"
#include "mcp/peer/outlet.h"
#include "transport/connection.h"

namespace host::mcp {

class StdioSession final : public transport::LineHandler,
                           public Outlet,
                           public std::enable_shared_from_this<StdioSession> {
 public:
  // The session calls `on_over` once, after it has passed its last answer to the connection and
  // asked the connection to close.
  static std::shared_ptr<StdioSession> create(Methods& methods, transport::Connection& connection,
                                              std::function<void()> on_over, tool::Peer who = {});

  void on_line(std::string_view line) override;
  void on_overlong_line(std::string_view piece, bool ends) override;
  void on_end() override;
  void on_drained() override;

  // Reports that the host stops. stop() notifies listeners and refuses new requests. The session
  // ends when all requests that arrived before stop() are answered. The caller of stop() must end
  // the requests in progress.
  void stop();

  bool send(std::string_view message) override;
  bool is_behind() const override { return connection_.is_behind(); }

 private:
  StdioSession(Methods& methods, transport::Connection& connection, std::function<void()> on_over,
               tool::Peer who);

  using BatchPtr = std::shared_ptr<Batch>;
  void serve(json::Document tree, protocol::Message message, const BatchPtr& batch);
  void serve_batch(const json::Document& tree);
  void serve_request(json::Document tree, protocol::Message message, const BatchPtr& batch);
  void serve_modern(Request&& request);
  void serve_legacy(Request&& request, const BatchPtr& batch);
  void serve_notification(const protocol::Message& message);
  void initialize(const protocol::Message& message);
  void listen(const Request& request);
  void run(Request&& request, const BatchPtr& batch);
  void start(Request&& request, const BatchPtr& batch);
  static awaitable<void> call(std::shared_ptr<StdioSession> self, Request request, BatchPtr batch);

  void answer(std::string_view text, const protocol::Id& id, const BatchPtr& batch);
  // Sends the changes, or stores them while the client does not read. `listen` is the id of the
  // listen request. If `listen` is empty, the changes are for the whole session.
  void tell(News news, const protocol::Id& listen);
  void refuse(const protocol::Fault& fault, const BatchPtr& batch = nullptr);
  void cancel(const protocol::Id& id);
  void cancel_all();
  // Answers the request with an internal error, because an exception ended the code that should
  // have answered it.
  void broke_off(const protocol::Id& id, const Error& why, const BatchPtr& batch);
  void finish_if_idle();

  Methods& methods_;
  transport::Connection& connection_;
  std::function<void()> on_over_;
  const tool::Peer who_;
  std::string peer_;
  ClientRequests client_;

  bool claims_seen_ = false;                 // true: a request with a version in `_meta` was served
  std::optional<protocol::Version> agreed_;  // the version that initialize negotiated
  tool::Abilities abilities_;
  PeerSettings settings_;
  // Finds the id in a line that is too long and has not arrived completely.
  std::optional<json::MemberScan> overlong_;
  bool draining_ = false;  // true: the client has closed its side
  bool stopping_ = false;  // true: the host stops
  bool over_ = false;

  std::unordered_map<protocol::Id, std::shared_ptr<Cancel>> in_flight_;
  std::map<protocol::Id, Subscriptions::Registration> listens_;
  Subscriptions::Registration news_;
  std::map<protocol::Id, News> missed_;  // news that tell() keeps, by listen request
};

}  // namespace host::mcp
