// An OpenAPI document of version 3.0 or 3.1, as JSON, and its local references. The text is
// untrusted.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json.h"

namespace host::upstream::openapi {

// The most CPU time for all work on one document, and for one operation of it. A usual document of
// a thousand operations needs a tenth of a second.
inline constexpr std::chrono::milliseconds kMostTime{5000};
inline constexpr std::chrono::milliseconds kMostTurnTime{250};

// One thread at a time.
class ApiDocument {
 public:
  // Reads JSON or YAML. Errors (InvalidArgument) say in one sentence what the text is instead: no
  // JSON, YAML that is not valid, no OpenAPI document, another version.
  static Result<ApiDocument> read(std::string_view text);

  const json::Value& root() const { return tree_.root(); }
  // As the document writes it: "3.0.3".
  const std::string& version() const { return version_; }
  bool is_3_0() const { return version_.starts_with("3.0."); }

  // Work on the document has a limit of CPU time: for each turn, and for all turns together.
  void begin_turn();
  void end_turn();
  Result<void> check_time() const;  // refuses more work in this turn
  bool is_used_up() const { return spent_ >= most_time_; }
  void set_most_time(std::chrono::milliseconds most) { most_time_ = most; }

  // Returns the value that a reference names. References to other documents are refused.
  Result<const json::Value*> find(std::string_view reference);
  // Returns `value`, or the value at the end of its chain of references.
  Result<const json::Value*> resolve(const json::Value& value);

 private:
  explicit ApiDocument(json::Document tree) : tree_(std::move(tree)) {}

  json::Document tree_;
  std::string version_;
  std::chrono::milliseconds most_time_ = kMostTime;
  std::chrono::nanoseconds spent_{0};  // in earlier turns
  std::chrono::nanoseconds turn_began_{0};
  // By reference. A large document has one schema in thousands of places.
  std::map<std::string, const json::Value*, std::less<>> found_;
};

}  // namespace host::upstream::openapi
