// An AtOnceCall is a call of an interceptor's function that runs on the calling thread, without an
// Invocation. Only functions that never wait (Intercepts::nonblocking) run on the calling thread. A
// call without an Invocation costs little more than the function itself.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "tool/call/function.h"
#include "tool/call/intercepted.h"
#include "tool/call/passport.h"

namespace host::tool {

class Invocation;

// AtOnce says what a provider did with an AtOnceCall.
enum class AtOnce {
  No,      // the function did not run: call start()
  Ended,   // the function ran: see `answer`
  Pending  // the function began, and its answer comes later: call `adopt`
};

struct AtOnceCall {
  Function function = Function::BeforeCall;
  Intercepted of;          // the intercepted call
  std::string_view input;  // JSON text; empty: the function reads no arguments
  const PassportPtr& passport;
  SteadyTime deadline{};

  // `answer` is the JSON text that the function pushed. `answer` is empty if the function pushed
  // nothing.
  Result<std::string> answer = std::string();
  // `adopt` is set only after AtOnce::Pending. The caller must pass an Invocation to `adopt` once,
  // before the I/O thread does other work. The provider later finishes the Invocation that `adopt`
  // got.
  using Adopt = std::function<void(std::shared_ptr<Invocation>)>;
  Adopt adopt = nullptr;
};

}  // namespace host::tool
