// A CurlTransfer is one HTTP exchange of libcurl: its handle, and the functions that libcurl calls
// for it. The functions that libcurl calls only collect data, because such functions must not call
// libcurl.
#pragma once

#include <curl/curl.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "outbound/curl_client.h"
#include "outbound/curl_handles.h"
#include "outbound/curl_library.h"
#include "outbound/curl_sockets.h"

namespace host::outbound {

class CurlTransfer {
 public:
  // The transfer adds its `id` to `arrived` when it has data to deliver.
  // `handles` and `sockets` must outlive the transfer and the connections that it opens.
  CurlTransfer(const CurlLibrary& curl, CurlHandles& handles, CurlSockets& sockets,
               std::uint64_t id, std::vector<std::uint64_t>& arrived, Hop hop,
               CurlClient::Done done);
  ~CurlTransfer();  // first remove the transfer from its multi handle
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  CURL* easy() const { return easy_; }

  // Makes the transfer use only connections that were opened at or after `begin`. Call
  // use_connections_since() before the transfer starts.
  void use_connections_since(SteadyTime begin);

  // Returns the result that libcurl reported at the end.
  Result<HopAnswer> outcome(CURLcode code);
  void done(Result<HopAnswer> result) { done_(std::move(result)); }

  // The next functions deliver the response in pieces.
  // Calls the functions of Pieces with the data that has arrived.
  void hand_on();
  // Returns true if data waits because the delivery is paused.
  bool is_waiting() const { return !waiting_.empty(); }
  bool held = false;
  bool stalled = false;           // too much data waits, so libcurl is paused
  std::optional<CURLcode> ended;  // set if the transfer has ended, but data waits

 private:
  template <class T>
  void set(CURLoption option, T value) {
    curl_.easy_setopt(easy_, option, value);
  }
  void set_up();
  void set_up_request();
  void set_up_body();
  void set_up_connection();

  static curl_socket_t on_open(void* self, curlsocktype, curl_sockaddr* to);
  static int on_close(void* sockets, curl_socket_t socket);
  static std::size_t on_header(char* bytes, std::size_t, std::size_t count, void* self);
  static std::size_t on_body(char* bytes, std::size_t, std::size_t count, void* self);
  static std::size_t on_send(char* to, std::size_t, std::size_t space, void* self);
  bool read_header(std::string_view line);
  std::size_t keep(std::string_view bytes);
  std::size_t hold_or_keep(std::string_view bytes);

  const CurlLibrary& curl_;
  CurlHandles& handles_;
  CurlSockets& sockets_;
  const std::uint64_t id_;
  std::vector<std::uint64_t>& arrived_;
  const Hop hop_;
  const CurlClient::Done done_;
  CURL* easy_;
  curl_slist* headers_ = nullptr;
  curl_slist* connect_to_ = nullptr;
  HopAnswer answer_;
  std::string waiting_;  // pieces of the body to be delivered
  std::uint64_t body_bytes_ = 0;
  std::size_t header_bytes_ = 0;
  std::size_t body_sent_ = 0;
  bool head_complete_ = false;
  bool head_is_new_ = false;
  bool too_large_ = false;
  bool strayed_ = false;  // libcurl tried to connect to a different address
  bool encoded_ = false;  // true: the body has an encoding that was not requested
};

}  // namespace host::outbound
