#include "tool/call/fault_text.h"

#include <string>
#include <utility>

#include "base/log.h"
#include "json/excerpt.h"

namespace host::tool {
namespace {

constexpr std::size_t kMostLoggedBytes = 4096;

}  // namespace

Result<CallResult> without_fault_text(const Call& call, Result<CallResult> result) {
  if (result) return result;
  const Error& fault = result.error();
  if (fault.kind != ErrorKind::Internal && fault.kind != ErrorKind::Io) return result;
  std::string told = "internal error; the host's log explains it under " + call.passport->call;
  if (fault.message == told) return result;
  log::error("tool", "a call failed with an internal error",
             {{"call", call.passport->call},
              {"name", call.name},
              {"error", json::excerpt(fault.message, kMostLoggedBytes)}});
  return Error{fault.kind, std::move(told)};
}

}  // namespace host::tool
