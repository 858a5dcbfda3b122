// The bodies of content.hpp.
#pragma once

#include <new>
#include <stdexcept>

#include "toolpost/detail/content.hpp"
#include "toolpost/detail/utf8.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

TOOLPOST_INLINE std::string resource_block(std::string_view uri, std::string_view mime,
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

TOOLPOST_INLINE std::string text_block(std::string_view text) {
  std::string out = R"({"type":"text","text":)";
  write_string(out, text);
  return out + "}";
}

TOOLPOST_INLINE std::string media_block(std::string_view type, std::string_view mime,
                                        std::string_view bytes) {
  std::string out = R"({"type":)";
  write_string(out, type);
  out += R"(,"mimeType":)";
  write_string(out, mime);
  return out.append(R"(,"data":")").append(base64(bytes)).append("\"}");
}

TOOLPOST_INLINE void report_error(const Context& context, std::int32_t code,
                                  std::string_view message, std::string_view data) noexcept {
  constexpr std::size_t kMostBytes = 4096;
  const tp_host_api& api = *context.host().api();
  const tp_status status = api.error(context.id(), code, str(message), str(data));
  if (status >= 0 || status == TP_E_CANCELLED) return;
  try {
    const std::string mended = mend_utf8(cut(message, kMostBytes));
    api.error(context.id(), code, str(mended), tp_str{nullptr, 0});
  } catch (const std::bad_alloc&) {  // the host reports by itself that it refused the message
  }
}

TOOLPOST_INLINE void push_value(const Context& context, const std::string& json) {
  context.push(TP_TEXT, {}, json);
  context.push(TP_JSON, {}, R"({"result":)" + json + "}");
}

TOOLPOST_INLINE std::string object_schema(void (*schema)(std::string& out, SchemaScope at)) {
  std::string out = "{";
  schema(out, {});
  return out + "}";
}

TOOLPOST_INLINE std::string value_schema(void (*schema)(std::string& out, SchemaScope at)) {
  std::string out = R"({"type":"object","properties":{"result":{)";
  schema(out, {});
  return out + R"(}},"required":["result"]})";
}

}  // namespace detail

TOOLPOST_INLINE Content& Content::text(std::string text) {
  return add(TP_TEXT, {}, std::move(text));
}

TOOLPOST_INLINE Content& Content::image(std::string_view mime, std::string_view bytes) {
  return block({detail::media_block("image", mime, bytes)});
}

TOOLPOST_INLINE Content& Content::audio(std::string_view mime, std::string_view bytes) {
  return block({detail::media_block("audio", mime, bytes)});
}

TOOLPOST_INLINE Content& Content::blob(std::string mime, std::string bytes) {
  return add(TP_BLOB, std::move(mime), std::move(bytes));
}

TOOLPOST_INLINE Content& Content::link(std::string_view uri, std::string_view name,
                                       const LinkOptions& more) {
  std::string out = R"({"uri":)";
  detail::write_string(out, uri);
  out += R"(,"name":)";
  detail::write_string(out, name);
  const std::string rest = detail::json_of(more);
  if (rest != "{}") out.append(1, ',').append(rest, 1, rest.size() - 2);
  return add(TP_RESOURCE_LINK, {}, out + "}");
}

TOOLPOST_INLINE Content& Content::link(Json resource_link) {
  return add(TP_RESOURCE_LINK, {}, std::move(resource_link.text));
}

TOOLPOST_INLINE Content& Content::resource(std::string_view uri, std::string_view mime,
                                           std::string_view text) {
  return block({detail::resource_block(uri, mime, "text", text)});
}

TOOLPOST_INLINE Content& Content::resource_blob(std::string_view uri, std::string_view mime,
                                                std::string_view bytes) {
  return block({detail::resource_block(uri, mime, "blob", detail::base64(bytes))});
}

TOOLPOST_INLINE Content& Content::block(Json block) {
  return add(TP_CONTENT, {}, std::move(block.text));
}

TOOLPOST_INLINE Content& Content::annotate(const Annotations& annotations) {
  if (blocks_.empty() || blocks_.back().kind == TP_JSON || blocks_.back().kind == TP_BLOB)
    throw std::logic_error("annotate() follows a text, image, audio, link or resource");
  Block& last = blocks_.back();
  if (last.kind == TP_TEXT) last.bytes = detail::text_block(last.bytes);
  if (last.kind == TP_RESOURCE_LINK) last.bytes.insert(1, R"("type":"resource_link",)");
  last.kind = TP_CONTENT;
  last.bytes.insert(last.bytes.size() - 1, R"(,"annotations":)" + detail::json_of(annotations));
  return *this;
}

TOOLPOST_INLINE void Content::push_to(const Context& context) const {
  for (const Block& block : blocks_) context.push(block.kind, block.mime, block.bytes);
}

TOOLPOST_INLINE Content& Content::add(std::uint32_t kind, std::string mime, std::string bytes) {
  blocks_.push_back({kind, std::move(mime), std::move(bytes)});
  return *this;
}

TOOLPOST_INLINE Pending::Pending(Context context) : context_(context), open_(true) {}
TOOLPOST_INLINE Pending::Pending(Pending&& other) noexcept
    : context_(other.context_), open_(std::exchange(other.open_, false)) {}
TOOLPOST_INLINE Pending::~Pending() {
  fail("the tool gave up without an answer");
}

TOOLPOST_INLINE void Pending::end_after(detail::FunctionRef<void()> push) noexcept {
  if (!open_) return;
  tp_status status = TP_OK;
  try {
    push();
  } catch (const Cancelled&) {
    status = TP_E_CANCELLED;
  } catch (const std::exception& error) {
    return fail(error.what());
  } catch (...) {
    status = TP_E_INTERNAL;
  }
  end(status);
}

TOOLPOST_INLINE void Pending::fail(std::string_view message, std::int32_t code) noexcept {
  if (!open_) return;
  detail::report_error(context_, code, message, {});
  end(TP_OK);
}

TOOLPOST_INLINE void Pending::cancel() noexcept {
  if (open_) end(TP_E_CANCELLED);
}

TOOLPOST_INLINE void Pending::end(tp_status status) noexcept {
  open_ = false;
  context_.host().api()->complete(context_.id(), status);
}

}  // namespace v1
}  // namespace toolpost
