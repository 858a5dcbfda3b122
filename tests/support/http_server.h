// An HTTP server for tests. The test itself writes the answers on each connection, on the test's
// own event loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <utility>

namespace host::test {

class HttpServer {
 public:
  struct Peer {
    explicit Peer(boost::asio::io_context& io) : socket(io) {}
    boost::asio::ip::tcp::socket socket;
    std::string in;
    bool is_closed = false;
  };

  explicit HttpServer(boost::asio::io_context& io)
      : io_(io),
        acceptor_(io, boost::asio::ip::tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)) {
    accept();
  }

  std::string origin() const {
    return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }
  void write(std::size_t peer, std::string text) {
    auto kept = std::make_shared<std::string>(std::move(text));
    boost::asio::async_write(
        peers.at(peer)->socket, boost::asio::buffer(*kept),
        [this, kept](boost::system::error_code, std::size_t n) { written += n; });
  }

  // Accepts no further connection. Accepted connections continue.
  void accept_no_more() { acceptor_.close(); }

  std::deque<std::shared_ptr<Peer>> peers;
  std::size_t written = 0;

 private:
  void accept() {
    auto peer = std::make_shared<Peer>(io_);
    acceptor_.async_accept(peer->socket, [this, peer](boost::system::error_code error) {
      if (error) return;
      peers.push_back(peer);
      read(peer);
      accept();
    });
  }
  void read(const std::shared_ptr<Peer>& peer) {
    auto buffer = std::make_shared<std::array<char, 4096>>();
    peer->socket.async_read_some(
        boost::asio::buffer(*buffer),
        [this, peer, buffer](boost::system::error_code error, std::size_t n) {
          peer->in.append(buffer->data(), n);
          if (error) {
            peer->is_closed = true;
            return;
          }
          read(peer);
        });
  }

  boost::asio::io_context& io_;
  boost::asio::ip::tcp::acceptor acceptor_;
};

}  // namespace host::test
