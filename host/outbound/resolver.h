// Finds the addresses of host names. The system's function blocks as long as a name server does not
// answer, so each Resolver has threads of its own: it delays no other one. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace host::outbound {

using Addresses = std::vector<boost::asio::ip::address>;

// Blocks. Any thread. Errors: Io.
using LookUp = std::function<Result<Addresses>(const std::string& host)>;
Result<Addresses> look_up_by_system(const std::string& host);

class Resolver {
 public:
  using Done = std::function<void(const Result<Addresses>&)>;

  // `threads`: how many names are looked up at once. The others wait. `io`'s context outlives this
  // object.
  Resolver(boost::asio::any_io_executor io, std::uint32_t threads,
           LookUp look_up = look_up_by_system);
  // Does not wait for names that are being looked up. No `done` is called any more.
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // `done` is called once, never before this returns. A name that is being looked up already is not
  // looked up a second time: all who want it get the same answer.
  void find(const std::string& host, Done done);
  // All who wait get this error.
  void give_up(const Error& why);

 private:
  class State;
  const std::shared_ptr<State> state_;
};

}  // namespace host::outbound
