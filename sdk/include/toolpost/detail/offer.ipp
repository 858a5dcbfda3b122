// The bodies of offer.hpp.
#pragma once

#include "toolpost/detail/offer.hpp"

namespace toolpost {
inline namespace v1 {

TOOLPOST_INLINE Contents& Contents::text(std::string text, std::string mime) {
  return add(TP_TEXT, std::move(mime), std::move(text));
}

TOOLPOST_INLINE Contents& Contents::blob(std::string bytes, std::string mime) {
  return add(TP_BLOB, std::move(mime), std::move(bytes));
}

TOOLPOST_INLINE Contents& Contents::item(Json item) {
  return add(TP_CONTENT, {}, std::move(item.text));
}

TOOLPOST_INLINE void Contents::push_to(const Context& context, std::string_view mime) const {
  for (const Item& item : items_) {
    context.push(item.kind, item.mime.empty() ? mime : std::string_view(item.mime), item.bytes);
  }
}

TOOLPOST_INLINE Contents& Contents::add(std::uint32_t kind, std::string mime, std::string bytes) {
  items_.push_back({kind, std::move(mime), std::move(bytes)});
  return *this;
}

TOOLPOST_INLINE Messages& Messages::description(std::string text) {
  description_ = std::move(text);
  return *this;
}

TOOLPOST_INLINE Messages& Messages::text(Role role, std::string_view text) {
  return add(role, detail::text_block(text));
}

TOOLPOST_INLINE Messages& Messages::image(Role role, std::string_view mime,
                                          std::string_view bytes) {
  return add(role, detail::media_block("image", mime, bytes));
}

TOOLPOST_INLINE Messages& Messages::audio(Role role, std::string_view mime,
                                          std::string_view bytes) {
  return add(role, detail::media_block("audio", mime, bytes));
}

TOOLPOST_INLINE Messages& Messages::resource(Role role, std::string_view uri, std::string_view mime,
                                             std::string_view text) {
  return add(role, detail::resource_block(uri, mime, "text", text));
}

TOOLPOST_INLINE Messages& Messages::block(Role role, const Json& block) {
  return add(role, block.text);
}

TOOLPOST_INLINE std::string Messages::json() const {
  std::string out = "{";
  if (!description_.empty()) {
    out += R"("description":)";
    detail::write_string(out, description_);
    out += ',';
  }
  return out.append(R"("messages":[)").append(messages_).append("]}");
}

TOOLPOST_INLINE Messages& Messages::add(Role role, std::string_view block) {
  if (!messages_.empty()) messages_ += ',';
  messages_ += R"({"role":)";
  detail::Codec<Role>::write(messages_, role);
  messages_.append(R"(,"content":)").append(block).append("}");
  return *this;
}

}  // namespace v1
}  // namespace toolpost
