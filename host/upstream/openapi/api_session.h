// An ApiSession is one connection of the transport in api_transport.h. An ApiSession has the
// operations that were read last, and the calls in progress.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "upstream/http/exchange.h"
#include "upstream/openapi/api_transport.h"
#include "upstream/openapi/call_answer.h"
#include "upstream/openapi/document_file.h"

namespace host::upstream::openapi {

// The functions of ApiSession are called on the I/O thread.
class ApiSession : public std::enable_shared_from_this<ApiSession> {
 public:
  ApiSession(boost::asio::any_io_executor io, std::shared_ptr<outbound::Gate> gate,
             ApiUpstream settings);

  void open(TransportListener& listener) { listener_ = &listener; }
  void send(Outgoing message);
  void cancel(const protocol::Id& request);
  void negotiated();
  std::vector<tool::Refusal> tools_were_read();
  void close();
  void drop();
  std::string describe() const;

 private:
  using Loaded = std::function<void(const Result<void>&)>;
  struct Reading;
  struct Call {
    std::shared_ptr<Exchange> exchange;
    CallAnswer answer;
    bool is_read_only = false;
    bool has_body = false;
    bool is_too_long = false;
  };

  // the document
  void load(const protocol::Id& asked_by, Loaded done);
  void forget_reading();
  void fetch(Loaded done);
  void read(std::optional<std::string> text, Loaded done);
  Result<void> take(Reading& reading);
  void look();
  void looked(const FileStamp& stamp);
  Result<void> check_credentials(const std::vector<std::string>& schemes) const;

  // messages
  void initialize(const Outgoing& message);
  void list(const Outgoing& message);
  void list_page(const protocol::Id& id, std::size_t first);
  void call(const Outgoing& message);
  void begin(const protocol::Id& id, const Operation& operation, CallRequest request);
  void finish(const protocol::Id& id, const Exchange::Outcome& outcome);
  void fail(const protocol::Id& id, const Call& call, const Exchange::Outcome& outcome);
  void add_event(const protocol::Id& id, const std::string& data);
  void give_result(const protocol::Id& id, CallAnswer answer);
  void answer(const protocol::Id& id, const std::string& result);
  void refuse(const protocol::Id& id, int code, const std::string& why);
  void tell(std::string text, const protocol::Id& id);
  void later(std::function<void()> act);
  void end(const Error& why);

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<outbound::Gate> gate_;
  const ApiUpstream settings_;
  TransportListener* listener_ = nullptr;  // null: the session has ended
  std::optional<Operations> next_;         // operations that were read but are not served yet
  std::string version_;                    // version of OpenAPI; empty: no document was read yet
  std::map<std::string, Operation, std::less<>> served_;  // operations that can be called
  bool is_fresh_ = false;                                 // next_ is newer than the listed tools
  std::vector<tool::Refusal> refusals_;                   // operations that are not in served_
  std::size_t servers_ = 0;                               // how many different origins served_ has
  FileStamp seen_;           // stamp of the file when it was last read or reported as changed
  bool was_absent_ = false;  // at the last check, the file did not exist
  boost::asio::steady_timer look_timer_;
  std::shared_ptr<Exchange> fetch_;
  std::shared_ptr<Reading> reading_;  // the last read of the document; null: none, or cancelled
  protocol::Id loading_;              // id of the request that last caused a read; or empty
  std::map<protocol::Id, Call> calls_;
};

}  // namespace host::upstream::openapi
