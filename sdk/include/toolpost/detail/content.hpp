// What a tool returns, and how it becomes a result.
//
//   void                     the text "done": to the host, a call without a result has failed
//   text                     one text block
//   a struct with fields     structured content, with an output schema in the tool's description
//   Content                  blocks of any kind, in order
//   Json, bool, a number, a vector, a map    its JSON as text
//   anything else            what to_result(value), found beside its type, makes of it
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "toolpost/detail/context.hpp"

namespace toolpost {
inline namespace v1 {

namespace detail {

// member: "text" with a text, or "blob" with base64.
inline std::string resource_block(std::string_view uri, std::string_view mime,
                                  std::string_view member, std::string_view value) {
  std::string out = R"({"type":"resource","resource":{"uri":)";
  write_string(out, uri);
  out += R"(,"mimeType":)";
  write_string(out, mime);
  out += ',';
  write_string(out, member);
  out += ':';
  write_string(out, value);
  return out + "}}";
}

}  // namespace detail

class Content {
 public:
  Content& text(std::string text) { return add(TP_TEXT, {}, std::move(text)); }
  // Raw bytes: image and audio types make such blocks, others an embedded resource.
  Content& blob(std::string mime, std::string bytes) {
    return add(TP_BLOB, std::move(mime), std::move(bytes));
  }
  // One JSON object {"uri", "name", ...}.
  Content& link(Json resource_link) {
    return add(TP_RESOURCE_LINK, {}, std::move(resource_link.text));
  }
  // A resource, whole, by its text.
  Content& resource(std::string_view uri, std::string_view mime, std::string_view text) {
    return block({detail::resource_block(uri, mime, "text", text)});
  }
  // One whole MCP content block.
  Content& block(Json block) { return add(TP_CONTENT, {}, std::move(block.text)); }
  // The structured content: at most once.
  template <Described T>
  Content& structured(const T& value) {
    return add(TP_JSON, {}, detail::to_json(value));
  }

  void push_to(const Context& context) const {
    for (const Block& block : blocks_) context.push(block.kind, block.mime, block.bytes);
  }

 private:
  struct Block {
    std::uint32_t kind;
    std::string mime;
    std::string bytes;
  };

  Content& add(std::uint32_t kind, std::string mime, std::string bytes) {
    blocks_.push_back({kind, std::move(mime), std::move(bytes)});
    return *this;
  }

  std::vector<Block> blocks_;
};

namespace detail {

template <class T>
void push_result(const Context& context, const T& value) {
  if constexpr (requires { to_result(value); }) {
    push_result(context, to_result(value));
  } else if constexpr (std::same_as<T, Content>) {
    value.push_to(context);
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    context.push(TP_TEXT, {}, value);
  } else if constexpr (Described<T>) {
    context.push(TP_JSON, {}, to_json(value));
  } else {
    context.push(TP_TEXT, {}, to_json(value));
  }
}

template <class T>
std::string output_schema_of() {
  if constexpr (std::is_void_v<T>) {
    return {};
  } else if constexpr (requires(const T& value) { to_result(value); }) {
    return output_schema_of<std::remove_cvref_t<decltype(to_result(std::declval<const T&>()))>>();
  } else if constexpr (Described<T>) {
    return schema_of<T>();
  } else {
    return {};
  }
}

}  // namespace detail

// A call that ends later, on any thread. A tool whose last parameter is a Pending returns void at
// once and keeps it; finish() or fail() ends the call. Dropped without either, the call ends as an
// error.
class Pending {
 public:
  explicit Pending(Context context) : context_(context), open_(true) {}
  Pending(Pending&& other) noexcept
      : context_(other.context_), open_(std::exchange(other.open_, false)) {}
  Pending& operator=(Pending&&) = delete;
  ~Pending() { fail("the tool gave up without an answer"); }

  // Valid until finish(), fail() or cancel().
  const Context& context() const { return context_; }

  // Never throws: a result that cannot be pushed ends the call with the matching error.
  template <class T>
  void finish(const T& result) noexcept {
    if (!open_) return;
    tp_status status = TP_OK;
    try {
      detail::push_result(context_, result);
    } catch (const Cancelled&) {
      status = TP_E_CANCELLED;
    } catch (const std::exception& error) {
      return fail(error.what());
    } catch (...) {
      status = TP_E_INTERNAL;
    }
    end(status);
  }

  void fail(std::string_view message, std::int32_t code = 0) noexcept {
    if (!open_) return;
    context_.host().api()->error(context_.id(), code, detail::str(message), tp_str{nullptr, 0});
    end(TP_OK);
  }

  void cancel() noexcept {
    if (open_) end(TP_E_CANCELLED);
  }

 private:
  void end(tp_status status) noexcept {
    open_ = false;
    context_.host().api()->complete(context_.id(), status);
  }

  Context context_;
  bool open_;
};

}  // namespace v1
}  // namespace toolpost
