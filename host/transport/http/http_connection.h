// An HttpConnection is one HTTP connection of a client. The connection reads a request, lets the
// handler answer it, writes the response, and reads the next request.
//
// A connection has these phases: Idle (no byte of a request yet) -> Head -> Body -> Handling ->
// Idle; Lingering after a refusal, so that the client can read the response before the connection
// is reset; Closed. If a handler answers without suspending, the connection needs no new coroutine
// and no further iteration of the event loop. Each connection has one suspended coroutine (run()),
// which is resumed directly.
//
// The connection table of the HttpContext owns an open connection. Reads, writes and run() keep a
// shared_ptr to the connection until they have ended. The functions of HttpConnection are called on
// the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "transport/byte_buffer.h"
#include "transport/http/http_context.h"
#include "transport/http/http_stream.h"
#include "transport/http/request_parser.h"

namespace host::transport {

class HttpConnection final : public std::enable_shared_from_this<HttpConnection>,
                             private HttpExchange,
                             private HttpRequest {
 public:
  using Socket = boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol,
                                                  boost::asio::io_context::executor_type>;

  HttpConnection(std::shared_ptr<HttpContext> context, Socket socket, std::string address);

  void start();
  void close();  // immediately
  // drain() waits for this connection's current response, because the server stops. If a stream's
  // handler has returned, the stream ends after its queued events, unless bring_answer() was called
  // for the stream. Call drain() once.
  void drain();
  void sweep();  // checks the timers against the context's clock
  // If the handler has set a callback for a disconnect, the connection watches for a disconnect
  // while the handler works.
  void watch_if_waiting();

  const std::string& address() const { return address_; }
  ConnectionTable::Place& place() { return place_; }
  const ConnectionTable::Place& place() const { return place_; }

 private:
  enum class Phase { Idle, Head, Body, Handling, Lingering, Closed };
  using Resume = boost::asio::async_result<boost::asio::use_awaitable_t<>, void()>::handler_type;

  // These functions implement HttpRequest.
  std::string_view method() const override { return parser_.method(in_.data()); }
  std::string_view path() const override { return parser_.path(in_.data()); }
  std::string_view query() const override { return parser_.query(in_.data()); }
  std::string_view header(std::string_view name) const override {
    return parser_.header(in_.data(), name);
  }
  std::string_view contradicting_field() const override {
    return parser_.contradicting_field(in_.data());
  }
  std::string_view body() const override;
  std::string_view remote() const override { return address_; }
  const std::shared_ptr<const AdmittedSender>& sender() const override { return sender_; }

  // These functions implement HttpExchange.
  const HttpRequest& request() const override { return *this; }
  void respond(int status, std::string body, std::string_view content_type,
               Headers headers) override;
  void send_from(int status, std::shared_ptr<BodySource> body, std::string_view content_type,
                 Headers headers) override;
  std::shared_ptr<EventStream> stream(Headers headers) override;
  void replace_headers(Headers headers) override { admitted_headers_ = std::move(headers); }
  void close_after_stream() override { keep_alive_ = false; }
  void gathers(std::size_t bytes) override {
    gathered_ = bytes;
    count_unread();
  }
  void on_disconnect(std::function<void()> callback) override;

  // The functions below read a request.
  void proceed();
  bool step();
  bool take_head();
  bool take_body();
  bool take_chunks();
  bool stream_body();
  void piece_taken(const std::optional<HttpRefusal>& refusal);
  bool invite_body();
  void wait_for_body();
  void read();
  void on_read(const boost::system::error_code& error, std::size_t bytes);
  std::uint64_t room_for_body(std::uint64_t arrived) const;
  bool take_room(std::uint64_t bytes);
  void refuse(Refusal refusal);
  void refuse_for(std::string_view limit);
  void turn_away(const HttpRefusal& refusal);
  void answer_preflight(const Headers& headers);
  void end_unread();
  void answer_error(Problem problem, std::string_view message, const Headers& headers = {});
  ErrorForm error_form() const;

  // The functions below run the handler.
  static boost::asio::awaitable<void> run(std::shared_ptr<HttpConnection> self);
  void park(Resume resume);
  bool handle();
  void handler_returned(const std::string* fault);
  void fail(const std::string& fault);
  bool exchange_is_over() const;
  bool end_exchange();
  void wait_for_turn();
  void linger();

  // The functions below watch for a disconnect while a request is handled or a stream is open.
  void watch_later();
  void watch();
  void on_readable();
  void lose_peer();

  // The functions below write the response.
  void begin_answer(const AnswerHead& head, const Headers& headers, std::string body);
  void write();
  static void write_all(HttpContext& context);
  void write_some();
  void on_written();
  void count_unread();
  void send_next_piece();
  void stream_changed();
  void pump_stream();
  void write_head_for(const AnswerHead& head, const Headers& headers);
  std::string_view connection_field() const;
  void set_deadline(HttpOptions::Duration timeout) { deadline_ = context_->now + timeout; }
  void count_refusal(std::string_view limit) const;

  std::shared_ptr<HttpContext> context_;
  Socket socket_;
  const std::string address_;
  ConnectionTable::Place place_;
  Phase phase_ = Phase::Idle;
  SteadyTime deadline_;
  SteadyTime request_deadline_;  // the deadline of the request that is being read
  bool proceeding_ = false;      // inside proceed()
  bool awaited_ = false;         // true: the stopping server waits for this connection
  bool waits_for_turn_ = false;  // true: the next request waits in PipelineTurns

  // `in_` contains the received bytes of the request: its head, its body if the body has a length,
  // and any bytes sent after the body.
  ByteBuffer in_;
  RequestParser parser_;
  std::size_t head_bytes_ = 0;
  std::size_t request_bytes_ = 0;  // size of the request in in_, known when the request is complete
  std::size_t lingered_bytes_ = 0;
  std::shared_ptr<const AdmittedSender> sender_;  // null: nothing is known
  Headers admitted_headers_;                      // Admission::headers of the current request
  bool reading_ = false;
  std::shared_ptr<BodySink> sink_;  // null: the body is kept in in_
  bool sink_busy_ = false;
  std::uint64_t streamed_bytes_ = 0;  // bytes of the body that the sink has received
  std::size_t piece_bytes_ = 0;       // maximum size of the next piece for the sink

  // The members below belong to the exchange of the current request and its response.
  std::optional<Resume> parked_;
  bool runner_started_ = false;
  bool request_ready_ = false;  // true: a request is ready, but run() is not suspended yet
  bool handler_done_ = false;
  bool answered_ = false;
  bool keep_alive_ = true;
  bool linger_after_ = false;
  std::shared_ptr<HttpStream> stream_;
  bool stream_finished_ = false;
  std::size_t gathered_ = 0;  // number of bytes of the answer that the handler still keeps
  bool chunked_stream_ = true;
  bool stream_posted_ = false;
  SteadyTime last_event_;
  std::function<void()> disconnected_;
  bool peer_gone_ = false;
  bool watching_ = false;
  bool watch_queued_ = false;
  std::string ahead_;  // bytes that the client sent while a request was handled

  std::shared_ptr<BodySource> source_;  // source of the current answer; null: out_body_ has all
  std::uint64_t source_bytes_ = 0;      // bytes that source_ will still return

  // The members below belong to the current write.
  std::string out_head_;
  std::string out_body_;
  std::size_t written_ = 0;
  bool writing_ = false;
  SteadyTime write_deadline_;
};

}  // namespace host::transport
