// Answers of the host's services: waited for, or handed to a function later (ext/reply.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "toolpost/detail/callable.hpp"
#include "toolpost/detail/error.hpp"
#include "toolpost/ext/reply.h"

namespace toolpost {
inline namespace v1 {

struct ServiceAnswer {
  tp_status status = TP_OK;
  std::uint64_t number = 0;
  std::string json = {};
  std::string bytes = {};  // where it failed: why
};

// Takes an answer on the instance's own thread; must be quick and not wait for another.
using OnAnswer = std::function<void(ServiceAnswer)>;

// A service of the host did not do what was asked; the model reads why.
class ServiceError : public Error {
 public:
  ServiceError(tp_status status, const std::string& why);
  tp_status status() const noexcept { return status_; }

 private:
  tp_status status_;
};

namespace detail {

using Ask = FunctionRef<tp_status(const tp_reply* reply)>;

// Waits for the answer, which is always one.
ServiceAnswer wait_for(Ask ask);
// The same, or throws: Cancelled, ServiceError.
ServiceAnswer wait_for_good(Ask ask);
// The answer where it is TP_OK, or throws: Cancelled, ServiceError.
ServiceAnswer good(ServiceAnswer answer);
// Calls `then` exactly once: later, or at once where the host did not take the request.
void answer_later(Ask ask, OnAnswer then);

}  // namespace detail
}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/reply.ipp"
#endif
