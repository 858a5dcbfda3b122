#include "upstream/connection/arrival.h"

#include <utility>

#include "json/foreign.h"
#include "json/member_scan.h"

namespace host::upstream {

Result<Arrival> arrival_of(std::string_view text, double most) {
  auto tree = json::parse_foreign(text);
  if (!tree) return std::move(tree).error();
  Arrival arrival;
  arrival.is_batch = tree->root().IsArray();
  if (!arrival.is_batch) {
    arrival.messages.push_back(*std::move(tree));
    return arrival;
  }
  for (const json::Value& one : tree->root().GetArray()) {
    arrival.is_cut = most < static_cast<double>(arrival.messages.size() + 1);
    if (arrival.is_cut) break;
    json::Document& message = arrival.messages.emplace_back();
    if (one.IsObject()) message.root() = json::copy(one, message.allocator());
  }
  return arrival;
}

protocol::Id answered_by(std::string_view text) {
  json::MemberScan scan("id");
  scan.take(text);
  return scan.has("method") ? protocol::Id() : protocol::Id(scan.kept());
}

}  // namespace host::upstream
