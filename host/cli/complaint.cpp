#include "cli/complaint.h"

#include <iostream>

#include "cli/exit_code.h"

namespace host::cli {

int complain(const Error& error) {
  std::cerr << "toolpost: " << error.message << '\n';
  switch (error.kind) {
    case ErrorKind::InvalidArgument:
      return kExitUsage;
    case ErrorKind::NotFound:
      return kExitNotFound;
    case ErrorKind::Denied:
      return kExitDenied;
    default:
      return kExitFailure;
  }
}

}  // namespace host::cli
