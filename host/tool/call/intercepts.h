// Says which functions of the extension tp.interceptor/1 a provider has.
#pragma once

#include "tool/call/function.h"
#include "tool/definition/offer.h"

namespace host::tool {

constexpr bool has(const Intercepts& of, Function function) {
  switch (function) {
    case Function::BeforeCall:
      return of.before;
    case Function::EnterCall:
      return of.enter;
    case Function::CallMessage:
      return of.message;
    case Function::LeaveCall:
      return of.leave;
    default:
      return false;
  }
}

}  // namespace host::tool
