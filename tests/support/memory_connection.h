// A connection that stores the lines that are sent in a vector.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/connection.h"

namespace host::test {

class MemoryConnection final : public transport::Connection {
 public:
  void send(std::string_view message) override { sent.emplace_back(message); }
  bool is_behind() const override { return behind; }
  void close() override { closed = true; }

  // Returns the lines that were sent since the last take().
  std::vector<std::string> take() { return std::exchange(sent, {}); }

  std::vector<std::string> sent;
  bool behind = false;  // acts as if the client read nothing
  bool closed = false;
};

}  // namespace host::test
