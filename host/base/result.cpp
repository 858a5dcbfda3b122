#include "base/result.h"

namespace host {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::InvalidArgument:
      return "invalid_argument";
    case ErrorKind::NotFound:
      return "not_found";
    case ErrorKind::Denied:
      return "denied";
    case ErrorKind::Cancelled:
      return "cancelled";
    case ErrorKind::DeadlineExceeded:
      return "deadline_exceeded";
    case ErrorKind::Unavailable:
      return "unavailable";
    case ErrorKind::PluginFault:
      return "plugin_fault";
    case ErrorKind::Io:
      return "io";
    case ErrorKind::Internal:
      return "internal";
  }
  return "unknown";
}

}  // namespace host
