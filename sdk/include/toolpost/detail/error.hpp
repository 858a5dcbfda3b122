// A tool throws one of the exceptions below to end a call early. The SDK catches every exception
// before it leaves the plugin.
#pragma once

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

#include "toolpost/detail/linkage.hpp"

namespace toolpost {
inline namespace v1 {

// Error is thrown if the tool failed. The model reads the message of the Error and can correct
// itself, so the message should name the object and the remedy.
class Error : public std::runtime_error {
 public:
  // The plugin chooses `code`, which the host writes to logs. `data` is one JSON value, or empty.
  explicit Error(const std::string& message, std::int32_t code = 0, std::string data = {});
  Error(const Error&);
  Error& operator=(const Error&);
  ~Error() override;

  std::int32_t code() const noexcept { return code_; }
  const std::string& data() const noexcept { return data_; }

 private:
  std::int32_t code_;
  std::string data_;
};

// ArgumentError is thrown if an argument is wrong in a way that the schema cannot express. The
// error is reported like a violation of the schema, with the JSON pointer of the argument in the
// message and as data.
//   throw toolpost::ArgumentError("/rows/2/amount", "is more than the account holds");
class ArgumentError : public Error {
 public:
  ArgumentError(const std::string& pointer, const std::string& what, std::int32_t code = 0);
};

// Fault is thrown for a fault of the plugin that the model cannot correct. The message of a Fault
// is written to the log, and the caller gets a protocol error instead of a result.
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Cancelled is thrown if the call was cancelled, or if no caller waits for its result. Cancelled
// does not derive from Error, because nobody needs a message about it.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "the call was cancelled"; }
};

}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/error.ipp"
#endif
