// What a tool returns, and how it becomes a result.
//
//   void                     the text "done": to the host, a call without a result has failed
//   text                     one text block
//   a struct with fields,    structured content, with an output schema in the tool's description
//   a map, a variant of such
//   any other field type     the same as {"result": ...}, and its JSON as text
//   Content                  blocks of any kind, in order
//   Json                     its text
//   anything else            what to_result(value), found beside its type, makes of it
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
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

// Whom a block is for, and how much it matters.
struct Annotations {
  std::optional<std::vector<Role>> audience = {};
  std::optional<double> priority = {};            // 0 to 1
  std::optional<std::string> last_modified = {};  // ISO 8601
  TOOLPOST_FIELDS(Annotations, TOOLPOST_FIELD(audience), TOOLPOST_FIELD(priority),
                  TOOLPOST_FIELD_AS(last_modified, "lastModified"))
};

// What a client is told of a link beside its URI and name.
struct LinkOptions {
  std::optional<std::string> title = {};
  std::optional<std::string> description = {};
  std::optional<std::string> mime = {};
  std::optional<std::uint64_t> size = {};  // bytes
  TOOLPOST_FIELDS(LinkOptions, TOOLPOST_FIELD(title), TOOLPOST_FIELD(description),
                  TOOLPOST_FIELD_AS(mime, "mimeType"), TOOLPOST_FIELD(size))
};

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

inline std::string text_block(std::string_view text) {
  std::string out = R"({"type":"text","text":)";
  write_string(out, text);
  return out + "}";
}

// type: "image" or "audio".
inline std::string media_block(std::string_view type, std::string_view mime,
                               std::string_view bytes) {
  std::string out = R"({"type":)";
  write_string(out, type);
  out += R"(,"mimeType":)";
  write_string(out, mime);
  return out.append(R"(,"data":")").append(base64(bytes)).append("\"}");
}

}  // namespace detail

class Content {
 public:
  Content& text(std::string text) { return add(TP_TEXT, {}, std::move(text)); }
  // Raw bytes, not base64.
  Content& image(std::string_view mime, std::string_view bytes) {
    return block({detail::media_block("image", mime, bytes)});
  }
  Content& audio(std::string_view mime, std::string_view bytes) {
    return block({detail::media_block("audio", mime, bytes)});
  }
  // Raw bytes: image and audio types make such blocks, others an embedded resource.
  Content& blob(std::string mime, std::string bytes) {
    return add(TP_BLOB, std::move(mime), std::move(bytes));
  }
  // Something that the client may read by its URI.
  Content& link(std::string_view uri, std::string_view name, const LinkOptions& more = {}) {
    std::string out = R"({"uri":)";
    detail::write_string(out, uri);
    out += R"(,"name":)";
    detail::write_string(out, name);
    const std::string rest = detail::to_json(more);
    if (rest != "{}") out.append(1, ',').append(rest, 1, rest.size() - 2);
    return add(TP_RESOURCE_LINK, {}, out + "}");
  }
  // One JSON object {"uri", "name", ...}.
  Content& link(Json resource_link) {
    return add(TP_RESOURCE_LINK, {}, std::move(resource_link.text));
  }
  // A resource, whole, by its text or by its raw bytes.
  Content& resource(std::string_view uri, std::string_view mime, std::string_view text) {
    return block({detail::resource_block(uri, mime, "text", text)});
  }
  Content& resource_blob(std::string_view uri, std::string_view mime, std::string_view bytes) {
    return block({detail::resource_block(uri, mime, "blob", detail::base64(bytes))});
  }
  // One whole MCP content block.
  Content& block(Json block) { return add(TP_CONTENT, {}, std::move(block.text)); }
  // The structured content: at most once.
  template <Described T>
  Content& structured(const T& value) {
    return add(TP_JSON, {}, detail::to_json(value));
  }
  // Of the block added last, which is a text, image, audio, link or resource; once for each.
  Content& annotate(const Annotations& annotations) {
    if (blocks_.empty() || blocks_.back().kind == TP_JSON || blocks_.back().kind == TP_BLOB)
      throw std::logic_error("annotate() follows a text, image, audio, link or resource");
    Block& last = blocks_.back();
    if (last.kind == TP_TEXT) last.bytes = detail::text_block(last.bytes);
    if (last.kind == TP_RESOURCE_LINK) last.bytes.insert(1, R"("type":"resource_link",)");
    last.kind = TP_CONTENT;
    last.bytes.insert(last.bytes.size() - 1, R"(,"annotations":)" + detail::to_json(annotations));
    return *this;
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
concept MadeByAuthor = requires(const T& value) {
  to_result(value);
};
template <class T>
concept IsText = std::convertible_to<const T&, std::string_view> && !is_literal<T>;
// Its JSON is an object, which is what structured content has to be.
template <class T>
inline constexpr bool is_object = json_kind<T> == 'o';

template <class T>
void push_result(const Context& context, const T& value) {
  if constexpr (MadeByAuthor<T>) {
    push_result(context, to_result(value));
  } else if constexpr (std::same_as<T, Content>) {
    value.push_to(context);
  } else if constexpr (IsText<T>) {
    context.push(TP_TEXT, {}, value);
  } else if constexpr (is_object<T>) {
    context.push(TP_JSON, {}, to_json(value));
  } else if constexpr (std::same_as<T, Json>) {
    context.push(TP_TEXT, {}, value.text);
  } else {
    const std::string json = to_json(value);
    context.push(TP_TEXT, {}, json);
    context.push(TP_JSON, {}, R"({"result":)" + json + "}");
  }
}

template <class T>
std::string output_schema_of() {
  if constexpr (std::is_void_v<T>) {
    return {};
  } else if constexpr (MadeByAuthor<T>) {
    return output_schema_of<std::remove_cvref_t<decltype(to_result(std::declval<const T&>()))>>();
  } else if constexpr (std::same_as<T, Content> || IsText<T> || std::same_as<T, Json>) {
    return {};
  } else if constexpr (is_object<T>) {
    std::string out = "{";
    Codec<T>::schema(out, 0);
    return out + "}";
  } else {
    std::string out = R"({"type":"object","properties":{"result":{)";
    element_schema<T>(out, 0);
    return out + R"(}},"required":["result"]})";
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
