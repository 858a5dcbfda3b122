// An ApiDocument is an OpenAPI document of version 3.0 or 3.1, as JSON, with its local references.
// The text is untrusted.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json.h"

namespace host::upstream::openapi {

// kMostTime limits the CPU time for all work on one document, and kMostTurnTime limits the CPU time
// for the work on one operation of the document. A usual document of a thousand operations needs a
// tenth of a second.
inline constexpr std::chrono::milliseconds kMostTime{5000};
inline constexpr std::chrono::milliseconds kMostTurnTime{250};

// Any thread can call the functions of ApiDocument, but only one thread at a time.
class ApiDocument {
 public:
  // Reads JSON or YAML. The Error InvalidArgument says in one sentence what is wrong with the text.
  // Possible faults are: the text is neither JSON nor valid YAML, is not an OpenAPI document, or
  // has a version other than 3.0 and 3.1.
  static Result<ApiDocument> read(std::string_view text);

  const json::Value& root() const { return tree_.root(); }
  // Returns the version of OpenAPI as the document gives it, for example "3.0.3".
  const std::string& version() const { return version_; }
  bool is_3_0() const { return version_.starts_with("3.0."); }

  // The reader calls begin_turn() and end_turn() around each slice of work on the document. The CPU
  // time of each slice (kMostTurnTime) and of all slices together (set_most_time()) is limited.
  void begin_turn();
  void end_turn();
  Result<void> check_time() const;  // returns an Error if a limit of CPU time is reached
  bool is_used_up() const { return spent_ >= most_time_; }
  void set_most_time(std::chrono::milliseconds most) { most_time_ = most; }

  // Returns the value to which a `$ref` refers. Returns an Error if the `$ref` refers to a
  // different document.
  Result<const json::Value*> find(std::string_view reference);
  // If `value` is a reference, resolve() returns the value at the end of its chain of references;
  // otherwise `value` itself.
  Result<const json::Value*> resolve(const json::Value& value);

 private:
  explicit ApiDocument(json::Document tree) : tree_(std::move(tree)) {}

  json::Document tree_;
  std::string version_;
  std::chrono::milliseconds most_time_ = kMostTime;
  std::chrono::nanoseconds spent_{0};  // CPU time of all earlier slices
  std::chrono::nanoseconds turn_began_{0};
  // `found_` caches the values that find() has found, by the text of their `$ref`. The cache helps
  // because a large document can refer to one schema in thousands of places.
  std::map<std::string, const json::Value*, std::less<>> found_;
};

}  // namespace host::upstream::openapi
