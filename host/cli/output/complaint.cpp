#include "cli/output/complaint.h"

#include <iostream>

#include "cli/output/exit_code.h"
#include "cli/output/line.h"
#include "json/object_text.h"

namespace host::cli {
namespace {

// One process runs one verb, and every function of it may end with a complaint.
bool in_json = false;

std::string members_of(std::string_view kind, const std::string& message) {
  std::string out = "{";
  json::add_text(out, "kind", kind);
  json::add_text(out, "message", message);
  return out;
}

}  // namespace

int exit_code_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::InvalidArgument:
      return kExitUsage;
    case ErrorKind::NotFound:
      return kExitNotFound;
    case ErrorKind::Denied:
      return kExitDenied;
    case ErrorKind::DeadlineExceeded:
      return kExitTimeout;
    default:
      return kExitFailure;
  }
}

void complain_in_json(bool json) {
  in_json = json;
}

int complain(const Error& error) {
  return complain(error, exit_code_for(error.kind));
}

int complain(const Error& error, int exit_code) {
  Line(std::cerr) << "toolpost: " << error.message;
  if (in_json) std::cout << "{\"error\":" << error_json(error) << "}\n";
  return exit_code;
}

std::string error_json(const Error& error) {
  return members_of(to_string(error.kind), error.message) + "}";
}

int complain_of_configuration(const std::string& diagnostics) {
  if (!in_json) return kExitConfig;
  std::string error = members_of("configuration", "the configuration is not valid");
  json::add_member(error, "diagnostics", diagnostics);
  std::cout << "{\"error\":" << error << "}}\n";
  return kExitConfig;
}

}  // namespace host::cli
