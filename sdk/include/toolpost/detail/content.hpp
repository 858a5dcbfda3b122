// content.hpp defines the types that a tool may return, and the results that they become.
//
// void becomes the text "done", because a call without a result fails. A text becomes one text
// block. A struct, a map, or a variant of structs and maps becomes structured content, and the
// tool's description gets an output schema. Any other field type becomes the structured content
// {"result": ...}, and the value's JSON as text. A Content contains blocks of any kind, in order. A
// Json becomes one text block. For all other types, the author overloads to_result(value) in the
// type's namespace.
//
// To convert the result of only one tool in another way, see converted.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "toolpost/detail/base64.hpp"
#include "toolpost/detail/context.hpp"

namespace toolpost {
inline namespace v1 {

enum class Role { user, assistant };
TOOLPOST_ENUM(Role, TOOLPOST_VALUE(user), TOOLPOST_VALUE(assistant))

// Annotations are the audience of a content block, and the block's priority.
struct Annotations {
  std::optional<std::vector<Role>> audience = {};
  std::optional<double> priority = {};            // 0 to 1
  std::optional<std::string> last_modified = {};  // ISO 8601
  TOOLPOST_FIELDS(Annotations, TOOLPOST_FIELD(audience), TOOLPOST_FIELD(priority),
                  TOOLPOST_FIELD_AS(last_modified, "lastModified"))
};

// LinkOptions are properties of a link in addition to its URI and name.
struct LinkOptions {
  std::optional<std::string> title = {};
  std::optional<std::string> description = {};
  std::optional<std::string> mime = {};
  std::optional<std::uint64_t> size = {};  // bytes
  TOOLPOST_FIELDS(LinkOptions, TOOLPOST_FIELD(title), TOOLPOST_FIELD(description),
                  TOOLPOST_FIELD_AS(mime, "mimeType"), TOOLPOST_FIELD(size))
};

namespace detail {

// If `member` is "text", `value` is a text. If `member` is "blob", `value` is base64 text.
std::string resource_block(std::string_view uri, std::string_view mime, std::string_view member,
                           std::string_view value);
std::string text_block(std::string_view text);
// `type` is "image" or "audio".
std::string media_block(std::string_view type, std::string_view mime, std::string_view bytes);

// Reports that the call failed. If the host refuses the message or the data, report_error() reports
// a second time: with a shorter message in valid UTF-8, and without the data.
void report_error(const Context& context, std::int32_t code, std::string_view message,
                  std::string_view data) noexcept;

}  // namespace detail

class Content {
 public:
  Content& text(std::string text);
  // Adds an image. `bytes` are the raw bytes, not base64.
  Content& image(std::string_view mime, std::string_view bytes);
  Content& audio(std::string_view mime, std::string_view bytes);
  // Adds raw bytes as an image or audio block if the media type is an image or audio type, and
  // otherwise as an embedded resource.
  Content& blob(std::string mime, std::string bytes);
  // Adds a link to a resource that the client can read by its URI.
  Content& link(std::string_view uri, std::string_view name, const LinkOptions& more = {});
  // Adds a link that is given as one JSON object {"uri", "name", ...}.
  Content& link(Json resource_link);
  // Adds a whole resource. The contents of the resource are a text, or raw bytes.
  Content& resource(std::string_view uri, std::string_view mime, std::string_view text);
  Content& resource_blob(std::string_view uri, std::string_view mime, std::string_view bytes);
  // Adds one whole MCP content block.
  Content& block(Json block);
  // Sets the structured content. Call structured() at most once.
  template <Described T>
  Content& structured(const T& value) {
    return add(TP_JSON, {}, detail::json_of(value));
  }
  // Annotates the block that was added last: a text, image, audio, link or resource. Call
  // annotate() at most once for each block.
  Content& annotate(const Annotations& annotations);

  void push_to(const Context& context) const;

 private:
  struct Block {
    std::uint32_t kind;
    std::string mime;
    std::string bytes;
  };

  Content& add(std::uint32_t kind, std::string mime, std::string bytes);

  std::vector<Block> blocks_;
};

namespace detail {

template <class T>
concept MadeByAuthor = requires(const T& value) {
  to_result(value);
};
template <class T>
concept IsText = std::convertible_to<const T&, std::string_view> && !is_literal<T>;
// is_object is true if the JSON of T is an object, as structured content must be.
template <class T>
inline constexpr bool is_object = json_kind<T> == 'o';

// Pushes a value that is not a JSON object. The structured content becomes {"result": ...}, and the
// value's JSON is also pushed as text.
void push_value(const Context& context, const std::string& json);

template <class T>
void push_result(const Context& context, const T& value) {
  if constexpr (MadeByAuthor<T>) {
    push_result(context, to_result(value));
  } else if constexpr (std::same_as<T, Content>) {
    value.push_to(context);
  } else if constexpr (IsText<T>) {
    context.push(TP_TEXT, {}, value);
  } else if constexpr (is_object<T>) {
    context.push(TP_JSON, {}, json_of(value));
  } else if constexpr (std::same_as<T, Json>) {
    context.push(TP_TEXT, {}, value.text);
  } else {
    push_value(context, json_of(value));
  }
}

// object_schema() returns the schema of an object. The function value_schema() returns the schema
// of {"result": ...}, in which the value has the given schema.
std::string object_schema(void (*schema)(std::string& out, SchemaScope at));
std::string value_schema(void (*schema)(std::string& out, SchemaScope at));

template <class T>
std::string output_schema_of() {
  if constexpr (std::is_void_v<T>) {
    return {};
  } else if constexpr (MadeByAuthor<T>) {
    return output_schema_of<std::remove_cvref_t<decltype(to_result(std::declval<const T&>()))>>();
  } else if constexpr (std::same_as<T, Content> || IsText<T> || std::same_as<T, Json>) {
    return {};
  } else if constexpr (is_object<T>) {
    return object_schema(&Codec<T>::schema);
  } else {
    return value_schema(&element_schema<T>);
  }
}

}  // namespace detail

// A Pending is a call that ends later, on any thread. A tool whose last parameter is a Pending
// stores the Pending and returns void immediately. The function finish() or fail() ends the call.
// If a Pending is destroyed before finish() or fail() was called, its call ends with an error.
class Pending {
 public:
  explicit Pending(Context context);
  Pending(Pending&& other) noexcept;
  Pending& operator=(Pending&&) = delete;
  ~Pending();

  // Returns the Context of the call. The Context of a Pending is valid until finish(), fail() or
  // cancel().
  const Context& context() const { return context_; }

  // finish() ends the call with this result. The function never throws. If the result cannot be
  // pushed, finish() ends the call with the matching error.
  template <class T>
  void finish(const T& result) noexcept {
    end_after([&] { detail::push_result(context_, result); });
  }

  void fail(std::string_view message, std::int32_t code = 0) noexcept;

  void cancel() noexcept;

 private:
  void end_after(detail::FunctionRef<void()> push) noexcept;
  void end(tp_status status) noexcept;

  Context context_;
  bool open_;
};

}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/content.ipp"
#endif
