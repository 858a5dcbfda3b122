// One peer on a channel of lines: standard input and output, or a socket of lines.
//
// Both eras are served on one connection. A request that claims a version in `_meta` is served by
// itself; `initialize` agrees on a legacy version for all that claim nothing. Once a claim was
// served, a later claim-less initialize is refused with what may be claimed, as nothing would tell
// that client which era its own notifications follow.
//
// States: serving; draining (the peer closed its side: what runs may end within the configured
// grace, then it is cancelled); over. I/O thread only. Held by its owner and by the calls under
// way; the connection lives until `on_over` was called.
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
  // `on_over` runs once, after the last answer was handed to the connection and it was told to
  // close.
  static std::shared_ptr<StdioSession> create(Methods& methods, transport::Connection& connection,
                                              std::function<void()> on_over, tool::Peer who = {});

  void on_line(std::string_view line) override;
  void on_overlong_line(std::string_view piece, bool ends) override;
  void on_end() override;

  // The host stops: listeners are told, requests from here on are refused, and it is over once
  // those before have their answers. When they end is for whoever stops it to say.
  void stop();

  bool send(std::string_view message) override;

 private:
  StdioSession(Methods& methods, transport::Connection& connection, std::function<void()> on_over,
               tool::Peer who);

  using BatchPtr = std::shared_ptr<Batch>;
  void serve(json::Document tree, protocol::Message message, const BatchPtr& batch);
  void serve_batch(const json::Document& tree);
  void serve_request(json::Document tree, protocol::Message message, const BatchPtr& batch);
  void serve_modern(Request request);
  void serve_legacy(Request request, const BatchPtr& batch);
  void serve_notification(const protocol::Message& message);
  void initialize(const protocol::Message& message);
  void listen(const Request& request);
  void run(Request request, const BatchPtr& batch);
  void start(Request request, const BatchPtr& batch);
  static awaitable<void> call(std::shared_ptr<StdioSession> self, Request request, BatchPtr batch);

  void answer(std::string_view text, const BatchPtr& batch);
  void refuse(const protocol::Fault& fault, const BatchPtr& batch = nullptr);
  void cancel(const protocol::Id& id);
  void cancel_all();
  // An exception ended what would have answered this request.
  void broke_off(const protocol::Id& id, const Error& why, const BatchPtr& batch);
  void finish_if_idle();

  Methods& methods_;
  transport::Connection& connection_;
  std::function<void()> on_over_;
  const tool::Peer who_;
  std::string peer_;
  ClientRequests client_;

  bool claims_seen_ = false;                 // a request of the stateless era was served
  std::optional<protocol::Version> agreed_;  // by initialize
  tool::Abilities abilities_;
  PeerSettings settings_;
  std::optional<json::MemberScan> overlong_;  // the id of the line whose pieces come now
  bool draining_ = false;                     // the peer has closed its side
  bool stopping_ = false;                     // the host stops
  bool over_ = false;

  std::unordered_map<protocol::Id, std::shared_ptr<Cancel>> in_flight_;
  std::map<protocol::Id, Subscriptions::Registration> listens_;
  Subscriptions::Registration news_;
};

}  // namespace host::mcp
