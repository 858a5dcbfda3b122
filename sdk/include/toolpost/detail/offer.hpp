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
  Contents& text(std::string text, std::string mime = {});
  Contents& blob(std::string bytes, std::string mime = {});
  // A whole ResourceContents of MCP, with a URI of its own.
  Contents& item(Json item);

  void push_to(const Context& context, std::string_view mime) const;

 private:
  struct Item {
    std::uint32_t kind;
    std::string mime;
    std::string bytes;
  };
  Contents& add(std::uint32_t kind, std::string mime, std::string bytes);

  std::vector<Item> items_;
};

// What a prompt becomes.
class Messages {
 public:
  Messages& description(std::string text);
  Messages& text(Role role, std::string_view text);
  Messages& image(Role role, std::string_view mime, std::string_view bytes);
  Messages& audio(Role role, std::string_view mime, std::string_view bytes);
  Messages& resource(Role role, std::string_view uri, std::string_view mime, std::string_view text);
  // One whole MCP content block.
  Messages& block(Role role, const Json& block);

  std::string json() const;

 private:
  Messages& add(Role role, std::string_view block);

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

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/offer.ipp"
#endif
