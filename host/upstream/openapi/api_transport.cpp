#include "upstream/openapi/api_transport.h"

#include <utility>

#include "upstream/openapi/api_session.h"

namespace host::upstream::openapi {
namespace {

class ApiTransport final : public Transport {
 public:
  ApiTransport(boost::asio::any_io_executor io, std::shared_ptr<outbound::Gate> gate,
               ApiUpstream settings)
      : session_(
            std::make_shared<ApiSession>(std::move(io), std::move(gate), std::move(settings))) {}
  ~ApiTransport() override { session_->drop(); }

  void open(TransportListener& listener) override { session_->open(listener); }
  void send(Outgoing message) override { session_->send(std::move(message)); }
  void cancel(const protocol::Id& request, std::string) override { session_->cancel(request); }
  void negotiated(protocol::Version) override { session_->negotiated(); }
  std::vector<tool::Refusal> tools_were_read() override { return session_->tools_were_read(); }
  void close() override { session_->close(); }
  bool silence_means_legacy() const override { return false; }
  std::string describe() const override { return session_->describe(); }

 private:
  const std::shared_ptr<ApiSession> session_;
};

}  // namespace

std::unique_ptr<Transport> make_api_transport(boost::asio::any_io_executor io,
                                              std::shared_ptr<outbound::Gate> gate,
                                              ApiUpstream settings) {
  return std::make_unique<ApiTransport>(std::move(io), std::move(gate), std::move(settings));
}

}  // namespace host::upstream::openapi
