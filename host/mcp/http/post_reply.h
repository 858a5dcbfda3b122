// Writes the response to one POST request, usually as one JSON body. If the host must send a
// message before the answer, the response becomes a stream of events that ends with the answer.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mcp/method/methods.h"
#include "mcp/peer/outlet.h"
#include "transport/http/http.h"

namespace host::mcp {

class PostReply : public Outlet {
 public:
  // Describes which content types the client's Accept header allows. If the client sends no Accept
  // header, all content types are allowed.
  struct Accepts {
    bool json = true;
    bool events = true;
    bool anything() const { return json || events; }
  };
  static Accepts accepts(std::string_view accept_field);

  PostReply(transport::HttpExchange& exchange, Accepts accepts)
      : exchange_(exchange), accepts_(accepts) {}

  void add_header(std::string name, std::string value) {
    headers_.emplace_back(std::move(name), std::move(value));
  }

  bool send(std::string_view message) override;
  // A client that has cancelled its request gets no answer: the stream ends, or the HTTP status is
  // 202 if the client accepts no stream.
  void finish(const Reply& reply);

 private:
  void finish_without_answer();

  transport::HttpExchange& exchange_;
  Accepts accepts_;
  transport::Headers headers_;
  std::shared_ptr<transport::EventStream> stream_;
};

}  // namespace host::mcp
