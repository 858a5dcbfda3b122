#include "upstream/http/http_transport.h"

#include <boost/asio/post.hpp>

#include <optional>
#include <utility>

#include "upstream/http/session.h"
#include "upstream/http/sse_session.h"

namespace host::upstream {
namespace {

// A query may have a token.
std::string shown_url(const std::string& url) {
  return url.substr(0, url.find('?'));
}

class StreamableTransport final : public Transport {
 public:
  StreamableTransport(const boost::asio::any_io_executor& io, std::shared_ptr<outbound::Gate> gate,
                      const HttpUpstream& settings)
      : url_(shown_url(settings.url)),
        session_(std::make_shared<HttpSession>(io, gate, settings)) {}
  ~StreamableTransport() override { session_->drop(); }

  void open(TransportListener& listener) override { session_->open(listener); }
  void send(Outgoing message) override { session_->send(std::move(message)); }
  void cancel(const protocol::Id& request, std::string notification) override {
    session_->cancel(request, std::move(notification));
  }
  void negotiated(protocol::Version version) override { session_->negotiated(version); }
  void pause_reading(std::chrono::milliseconds pause) override { session_->pause_reading(pause); }
  void close() override { session_->close(); }
  bool silence_means_legacy() const override { return false; }
  bool keeps_tasks() const override { return true; }
  bool may_be_replaced() const override { return session_->may_be_replaced(); }
  std::string describe() const override { return url_; }

 private:
  const std::string url_;
  const std::shared_ptr<HttpSession> session_;
};

class SseTransport final : public Transport {
 public:
  SseTransport(const boost::asio::any_io_executor& io, std::shared_ptr<outbound::Gate> gate,
               const HttpUpstream& settings)
      : io_(io),
        url_(shown_url(settings.url)),
        session_(std::make_shared<SseSession>(io, gate, settings)) {}
  ~SseTransport() override { session_->drop(); }

  void open(TransportListener& listener) override {
    listener_ = &listener;
    session_->open(listener);
  }
  // server/discover is of a later protocol than any server with this transport.
  void send(Outgoing message) override {
    if (message.method != "server/discover") return session_->send(std::move(message));
    boost::asio::post(io_, [weak = std::weak_ptr(session_), listener = listener_, id = message.id] {
      if (!weak.lock()) return;
      listener->failed(id, Reached::No,
                       {ErrorKind::InvalidArgument, "HTTP with SSE has no server/discover"});
    });
  }
  void cancel(const protocol::Id& request, std::string notification) override {
    session_->cancel(request, std::move(notification));
  }
  void negotiated(protocol::Version) override {}
  void pause_reading(std::chrono::milliseconds pause) override { session_->pause_reading(pause); }
  void close() override { session_->close(); }
  bool silence_means_legacy() const override { return false; }
  bool keeps_tasks() const override { return true; }
  std::string describe() const override { return url_; }

 private:
  const boost::asio::any_io_executor io_;
  const std::string url_;
  const std::shared_ptr<SseSession> session_;
  TransportListener* listener_ = nullptr;
};

// Streamable HTTP until the upstream refuses `initialize` as a server of 2024-11-05 does.
class AutoTransport final : public Transport, private TransportListener {
 public:
  AutoTransport(boost::asio::any_io_executor io, std::shared_ptr<outbound::Gate> gate,
                HttpUpstream settings)
      : io_(std::move(io)),
        gate_(std::move(gate)),
        settings_(std::move(settings)),
        inner_(std::make_unique<StreamableTransport>(io_, gate_, settings_)) {}

  void open(TransportListener& listener) override {
    listener_ = &listener;
    inner_->open(*this);
  }
  void send(Outgoing message) override {
    if (message.method == "initialize") initialize_ = message;
    inner_->send(std::move(message));
  }
  void cancel(const protocol::Id& request, std::string notification) override {
    inner_->cancel(request, std::move(notification));
  }
  void negotiated(protocol::Version version) override { inner_->negotiated(version); }
  void pause_reading(std::chrono::milliseconds pause) override { inner_->pause_reading(pause); }
  void close() override {
    is_closing_ = true;
    inner_->close();
  }
  bool silence_means_legacy() const override { return false; }
  bool keeps_tasks() const override { return true; }
  bool may_be_replaced() const override { return inner_->may_be_replaced(); }
  std::string describe() const override { return inner_->describe(); }

 private:
  void message(std::string_view text, const protocol::Id& request) override {
    has_spoken_ = true;
    listener_->message(text, request);
  }
  void names_lost_session(const protocol::Id& request) override {
    listener_->names_lost_session(request);
  }
  void failed(const protocol::Id& request, Reached reached, const Error& why) override {
    const bool falls_back = !fell_back_ && initialize_ && initialize_->id == request &&
                            why.kind == ErrorKind::InvalidArgument;
    if (!falls_back) return listener_->failed(request, reached, why);
    fell_back_ = true;
    has_spoken_ = false;
    // From the loop: the transport that is replaced is at work here.
    boost::asio::post(io_, [this, alive = std::weak_ptr(alive_)] {
      if (alive.expired() || is_closing_) return;
      inner_ = std::make_unique<SseTransport>(io_, gate_, settings_);
      inner_->open(*this);
      inner_->send(*std::exchange(initialize_, std::nullopt));
    });
  }
  void missed() override { listener_->missed(); }
  void leaving(const Error& why) override { listener_->leaving(why); }
  void ended(const Error& why) override {
    const bool speaks_neither = fell_back_ && !has_spoken_ && !is_closing_;
    listener_->ended(speaks_neither ? why.within("it refused `initialize`, and as HTTP with SSE")
                                    : why);
  }

  const boost::asio::any_io_executor io_;
  const std::shared_ptr<outbound::Gate> gate_;
  const HttpUpstream settings_;
  TransportListener* listener_ = nullptr;
  std::optional<Outgoing> initialize_;
  bool fell_back_ = false;
  bool has_spoken_ = false;  // since it fell back
  bool is_closing_ = false;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::unique_ptr<Transport> inner_;
};

}  // namespace

Result<std::unique_ptr<Transport>> make_http_transport(boost::asio::any_io_executor io,
                                                       std::shared_ptr<outbound::Gate> gate,
                                                       HttpUpstream settings) {
  const auto origin = outbound::origin_of(settings.url);
  if (!origin) return origin.error().within("the upstream's `url`");
  std::unique_ptr<Transport> made;
  if (settings.kind == HttpKind::Streamable) {
    made = std::make_unique<StreamableTransport>(io, gate, settings);
  } else if (settings.kind == HttpKind::Sse) {
    made = std::make_unique<SseTransport>(io, gate, settings);
  } else {
    made = std::make_unique<AutoTransport>(io, gate, std::move(settings));
  }
  return made;
}

}  // namespace host::upstream
