// Finds the addresses of host names. The system's function for name look-ups blocks as long as a
// name server does not answer. Each Resolver has separate threads, so that no Resolver delays
// another Resolver. The functions of this header are called on the I/O thread.
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

// Looks a name up with the system's function. The function blocks. Any thread can call the
// function. The function returns the Error Io if it finds no address.
using LookUp = std::function<Result<Addresses>(const std::string& host)>;
Result<Addresses> look_up_by_system(const std::string& host);

class Resolver {
 public:
  using Done = std::function<void(const Result<Addresses>&)>;

  // `threads` is the number of names that are looked up at the same time. Further host names wait
  // in a queue until they are looked up. A quarter of the threads is reserved for owners without a
  // name look-up in progress, so that one owner with slow name servers cannot delay the others. The
  // context of `io` must outlive the Resolver.
  Resolver(boost::asio::any_io_executor io, std::uint32_t threads,
           LookUp look_up = look_up_by_system);
  // The destructor does not wait for names that are being looked up. After the destructor of the
  // Resolver, no `done` is called.
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Finds the addresses of a name. The request is made for `owner`, for example a principal. The
  // Resolver calls `done` once, and never before find() returns. If the name is
  // already being looked up for the same owner, the Resolver does not look it up a second time, and
  // both callers get the same result.
  void find(const std::string& host, const std::string& owner, Done done);
  // Ends all searches: each `done` that was not called yet gets the Error `why`.
  void give_up(const Error& why);

 private:
  class State;
  const std::shared_ptr<State> state_;
};

}  // namespace host::outbound
