// Returns the status of the C ABI for the failure of a service.
#pragma once

#include <toolpost/plugin.h>

#include "base/result.h"

namespace host::plugin {

constexpr tp_status status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::NotFound:
      return TP_E_UNSUPPORTED;
    case ErrorKind::InvalidArgument:
      return TP_E_INVALID;
    case ErrorKind::Denied:
      return TP_E_DENIED;
    case ErrorKind::Cancelled:
      return TP_E_CANCELLED;
    case ErrorKind::DeadlineExceeded:
      return TP_E_DEADLINE;
    case ErrorKind::Unavailable:
      return TP_E_BUSY;
    default:
      return TP_E_INTERNAL;
  }
}

}  // namespace host::plugin
