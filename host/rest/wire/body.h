// Reads the JSON body of an HTTP request. A route reads each member of the body that it knows, and
// then calls end(). end() returns the first fault: a member that is missing, has the wrong type or
// is unknown. A route does not have to check each member, because a faulty member looks absent or
// empty until end().
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "transport/http/http.h"

namespace host::rest {

struct BodyState;

// A Members object is one JSON object in the body. A Members object exists as long as its Body.
// Functions whose names do not end in `_if` report a fault if the member is absent.
class Members {
 public:
  std::string_view text(std::string_view name);
  std::optional<std::string_view> text_if(std::string_view name);
  // Returns the member's value if it is one of `words`. Returns an empty text if the member is
  // absent or has a different value.
  std::string_view word(std::string_view name, std::initializer_list<std::string_view> words);
  std::optional<std::uint64_t> number_if(std::string_view name);
  std::optional<bool> flag_if(std::string_view name);
  // Returns an array of strings.
  std::optional<std::vector<std::string>> texts_if(std::string_view name);

  // The functions below return a member as JSON, without reading its contents. The functions return
  // nullptr if the member is absent or has a different type.
  const json::Value* any_if(std::string_view name);
  const json::Value* object(std::string_view name);
  const json::Value* object_if(std::string_view name);

  // members() and members_if() return a nested object as a Members object, so that the route can
  // read its members. The functions return nullptr if the member is absent or is not an object.
  Members* members(std::string_view name);
  Members* members_if(std::string_view name);

  // Records a fault in the member `name`. A route calls fault() if the member's value fails one of
  // the route's own checks.
  void fault(std::string_view name, std::string_view why);
  std::string pointer_to(std::string_view name) const;

 private:
  friend class Body;
  Members(BodyState& body, std::string pointer, const json::Value& object)
      : body_(body), pointer_(std::move(pointer)), object_(object) {}
  const json::Value* find(std::string_view name);
  const json::Value* find_needed(std::string_view name);
  // Returns nullptr if the value does not exist. If the value has a different type, the function
  // records a fault and returns nullptr.
  template <class IsType>
  const json::Value* of_type(const json::Value* value, std::string_view name, IsType is_type,
                             std::string_view type);
  Result<void> unknown() const;

  BodyState& body_;
  const std::string pointer_;
  const json::Value& object_;
  std::vector<std::string_view> known_;
};

class Body {
 public:
  // Returns an Error if the body is not a JSON object, or is larger than `most_bytes`.
  static Result<Body> read(const transport::HttpRequest& http,
                           std::size_t most_bytes = static_cast<std::size_t>(-1));

  Body(Body&&) noexcept;
  Body& operator=(Body&&) noexcept;
  ~Body();

  Members& root() const;
  Result<void> end() const;

 private:
  explicit Body(std::unique_ptr<BodyState> state);

  std::unique_ptr<BodyState> state_;
};

}  // namespace host::rest
