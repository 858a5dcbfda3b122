// What a plugin gives beside tool results: the contents of resources, the messages of prompts,
// completions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolpost/detail/content.hpp"

namespace toolpost {
inline namespace v1 {

// What a client is shown of a resource, template or prompt beside its name; see MCP's Resource.
struct OfferOptions {
  std::string title = {};
  std::optional<std::uint64_t> size = {};  // bytes; of resources
  Json icons = {""};
  Json annotations = {""};
  Json meta = {""};
};

// What reading a resource gives: one item or several. Without a media type an item has that of its
// resource.
class Contents {
 public:
  Contents& text(std::string text, std::string mime = {}) {
    return add(TP_TEXT, std::move(mime), std::move(text));
  }
  Contents& blob(std::string bytes, std::string mime = {}) {
    return add(TP_BLOB, std::move(mime), std::move(bytes));
  }
  // A whole ResourceContents of MCP, with a URI of its own.
  Contents& item(Json item) { return add(TP_CONTENT, {}, std::move(item.text)); }

  void push_to(const Context& context, std::string_view mime) const {
    for (const Item& item : items_) {
      context.push(item.kind, item.mime.empty() ? mime : std::string_view(item.mime), item.bytes);
    }
  }

 private:
  struct Item {
    std::uint32_t kind;
    std::string mime;
    std::string bytes;
  };
  Contents& add(std::uint32_t kind, std::string mime, std::string bytes) {
    items_.push_back({kind, std::move(mime), std::move(bytes)});
    return *this;
  }

  std::vector<Item> items_;
};

// What a prompt becomes.
class Messages {
 public:
  Messages& description(std::string text) {
    description_ = std::move(text);
    return *this;
  }
  Messages& text(Role role, std::string_view text) { return add(role, detail::text_block(text)); }
  Messages& image(Role role, std::string_view mime, std::string_view bytes) {
    return add(role, detail::media_block("image", mime, bytes));
  }
  Messages& audio(Role role, std::string_view mime, std::string_view bytes) {
    return add(role, detail::media_block("audio", mime, bytes));
  }
  Messages& resource(Role role, std::string_view uri, std::string_view mime,
                     std::string_view text) {
    return add(role, detail::resource_block(uri, mime, "text", text));
  }
  // One whole MCP content block.
  Messages& block(Role role, const Json& block) { return add(role, block.text); }

  std::string json() const {
    std::string out = "{";
    if (!description_.empty()) {
      out += R"("description":)";
      detail::write_string(out, description_);
      out += ',';
    }
    return out.append(R"("messages":[)").append(messages_).append("]}");
  }

 private:
  Messages& add(Role role, std::string_view block) {
    if (!messages_.empty()) messages_ += ',';
    messages_ += R"({"role":)";
    detail::Codec<Role>::write(messages_, role);
    messages_.append(R"(,"content":)").append(block).append("}");
    return *this;
  }

  std::string description_;
  std::string messages_;
};

// What a person has typed so far of one argument or variable, and what was chosen for the others.
struct Typed {
  std::string value = {};
  std::map<std::string, std::string> others = {};
};

// The values to choose from; of more than 100 the client sees the first 100.
struct Completions {
  std::vector<std::string> values = {};
  std::optional<std::uint64_t> total = {};
  bool has_more = false;
};

}  // namespace v1
}  // namespace toolpost
