#include "tool/definition/host_meta.h"

#include <algorithm>

namespace host::tool {
namespace {

constexpr std::string_view kMeta = "_meta";

bool has_members_of_host(const json::Value& meta) {
  return std::any_of(meta.MemberBegin(), meta.MemberEnd(),
                     [](const auto& member) { return is_host_meta(json::text(member.name)); });
}

bool has_host_meta(const json::Value& value) {
  if (value.IsArray()) return std::any_of(value.Begin(), value.End(), has_host_meta);
  if (!value.IsObject()) return false;
  return std::any_of(value.MemberBegin(), value.MemberEnd(), [](const auto& member) {
    const bool is_meta = json::text(member.name) == kMeta && member.value.IsObject();
    return (is_meta && has_members_of_host(member.value)) || has_host_meta(member.value);
  });
}

void drop_members_from(json::Value& meta) {
  for (auto at = meta.MemberBegin(); at != meta.MemberEnd();)
    at = is_host_meta(json::text(at->name)) ? meta.EraseMember(at) : at + 1;
}

}  // namespace

bool is_host_meta(std::string_view member) {
  return member.starts_with("io.toolpost/");
}

void drop_host_meta(json::Value& value) {
  if (value.IsArray()) {
    for (json::Value& element : value.GetArray()) drop_host_meta(element);
  } else if (value.IsObject()) {
    for (auto& member : value.GetObject()) {
      if (json::text(member.name) == kMeta && member.value.IsObject())
        drop_members_from(member.value);
      drop_host_meta(member.value);
    }
  }
}

std::string write_without_host_meta(const json::Value& value) {
  if (!has_host_meta(value)) return json::write(value);
  json::Document tree;
  tree.root() = json::copy(value, tree.allocator());
  drop_host_meta(tree.root());
  return json::write(tree.root());
}

std::string write_foreign_meta(const json::Value& meta) {
  if (!has_members_of_host(meta)) return json::write(meta);
  json::Document tree;
  tree.root() = json::copy(meta, tree.allocator());
  drop_members_from(tree.root());
  return json::write(tree.root());
}

}  // namespace host::tool
