#include "json/fault.h"

#include "json/json.h"

namespace host::json {
namespace {

constexpr std::string_view kEnd = ": ";

}  // namespace

Error fault_at(std::string_view pointer, std::string_view why) {
  const std::size_t end = pointer.find(kEnd);
  if (end != std::string_view::npos) {
    // A name with the mark that ends a pointer: the pointer is that of the value around it.
    const std::size_t name = pointer.rfind('/', end);
    std::string inside = "in ";
    write_string(pointer.substr(name), inside);
    return fault_at(pointer.substr(0, name), inside + std::string(kEnd) + std::string(why));
  }
  std::string message(pointer);
  if (!pointer.empty()) message += kEnd;
  return Error{ErrorKind::InvalidArgument, message.append(why)};
}

std::string_view pointer_of(const Error& fault) {
  const std::string_view message = fault.message;
  if (fault.kind != ErrorKind::InvalidArgument || !message.starts_with('/')) return {};
  const std::size_t end = message.find(kEnd);
  return end == std::string_view::npos ? std::string_view() : message.substr(0, end);
}

std::string child_of(std::string_view pointer, std::string_view token) {
  return std::string(pointer) + "/" + escape_pointer_token(token);
}

}  // namespace host::json
