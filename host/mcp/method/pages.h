// Divides lists into pages. The cursor of a paged list is the signed key of the last entry of a
// page. A cursor is valid only for the list that it was made for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/peer/request.h"
#include "mcp/peer/signer.h"

namespace host::mcp {

inline Reply unknown_cursor(const protocol::Id& id) {
  return invalid_params(id, "unknown cursor: list again from the start");
}

class Pages {
 public:
  explicit Pages(std::size_t size) : size_(std::max<std::size_t>(size, 1)) {}

  struct Page {
    std::string entries;  // the entries as JSON texts, joined by commas
    std::string next;     // the cursor of the next page; empty: this is the last page
  };

  // `items` must be in the order of key_of(item), a string. append(item, out) writes one entry.
  // Returns nullopt if the request's cursor is not valid for this list.
  template <class Items, class KeyOf, class Append>
  std::optional<Page> cut(const Request& request, const Items& items, KeyOf key_of,
                          Append append) const {
    const std::string_view list = request.message.method;
    auto at = std::begin(items);
    if (const json::Value* const cursor = request.param("cursor")) {
      const auto last =
          cursor->IsString() ? cursors_.open(json::text(*cursor), list) : std::nullopt;
      if (!last) return std::nullopt;
      at = std::upper_bound(
          at, std::end(items), *last,
          [&](const std::string& key, const auto& item) { return key < key_of(item); });
    }
    Page page;
    std::size_t left = size_;
    for (; at != std::end(items) && left > 0; ++at, --left) {
      if (!page.entries.empty()) page.entries += ',';
      append(*at, page.entries);
    }
    if (at != std::end(items)) page.next = cursors_.sign(key_of(*std::prev(at)), list);
    return page;
  }

 private:
  std::size_t size_;
  Signer cursors_;
};

}  // namespace host::mcp
