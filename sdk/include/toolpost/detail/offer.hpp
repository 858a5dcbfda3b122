// offer.hpp defines the contents of resources, the messages of prompts, and completions.
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

// OfferOptions are properties of a resource, template or prompt in addition to its name; see MCP's
// Resource.
struct OfferOptions {
  std::string title = {};
  std::optional<std::uint64_t> size = {};  // the size in bytes, only for resources
  Json icons = {""};
  Json annotations = {""};
  Json meta = {""};
};

// Contents are the contents of a resource: one item or several items. If an item has no media type,
// it has the media type of its resource.
class Contents {
 public:
  Contents& text(std::string text, std::string mime = {});
  Contents& blob(std::string bytes, std::string mime = {});
  // Adds a whole ResourceContents object of MCP, with its own URI.
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

// The class Messages collects the messages of a prompt.
class Messages {
 public:
  Messages& description(std::string text);
  Messages& text(Role role, std::string_view text);
  Messages& image(Role role, std::string_view mime, std::string_view bytes);
  Messages& audio(Role role, std::string_view mime, std::string_view bytes);
  Messages& resource(Role role, std::string_view uri, std::string_view mime, std::string_view text);
  // Adds a message with one whole MCP content block.
  Messages& block(Role role, const Json& block);

  std::string json() const;

 private:
  Messages& add(Role role, std::string_view block);

  std::string description_;
  std::string messages_;
};

// Typed is the text that a user has typed so far for one argument or variable, and the values of
// the other arguments.
struct Typed {
  std::string value = {};
  std::map<std::string, std::string> others = {};
};

// The suggested values. If there are more than 100 completions, the client sees the first 100.
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
