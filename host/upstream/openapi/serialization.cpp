#include "upstream/openapi/serialization.h"

#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text/letters.h"
#include "tool/definition/declared_text.h"
#include "upstream/openapi/overrides.h"

namespace host::upstream::openapi {
namespace {

constexpr std::size_t kMostHeaderValue = 4096;

using Encode = std::string (*)(std::string_view);
using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string unchanged(std::string_view text) {
  return std::string(text);
}

Error cannot_send(const Parameter& parameter, std::string_view why) {
  return Error{ErrorKind::InvalidArgument,
               "the argument " + tool::quoted_name(parameter.argument) + " " + std::string(why)};
}

// nullopt: null, an array or an object.
std::optional<std::string> scalar_text(const json::Value& value) {
  if (value.IsString()) return std::string(json::text(value));
  if (value.IsBool() || value.IsNumber()) return json::write(value);
  return std::nullopt;
}

Result<std::vector<std::string>> items_of(const Parameter& parameter, const json::Value& array,
                                          Encode encode) {
  std::vector<std::string> out;
  for (const json::Value& one : array.GetArray()) {
    const auto text = scalar_text(one);
    if (!text) return cannot_send(parameter, "may have only texts, numbers and booleans in it");
    out.push_back(encode(*text));
  }
  return out;
}

Result<Pairs> members_of(const Parameter& parameter, const json::Value& object, Encode encode) {
  Pairs out;
  for (const auto& member : object.GetObject()) {
    if (member.value.IsNull()) continue;
    const auto text = scalar_text(member.value);
    if (!text) return cannot_send(parameter, "may have only texts, numbers and booleans in it");
    out.emplace_back(encode(json::text(member.name)), encode(*text));
  }
  return out;
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += between;
    out += parts[i];
  }
  return out;
}

// "a=1,b=2", or without `explode` "a,1,b,2".
std::string joined_members(const Pairs& members, std::string_view equals,
                           std::string_view between) {
  std::vector<std::string> parts;
  for (const auto& [key, text] : members) parts.push_back(key + std::string(equals) + text);
  return joined(parts, between);
}

// The style `simple`.
Result<std::string> simple_text(const Parameter& parameter, const json::Value& value,
                                Encode encode) {
  if (parameter.style == Style::Json) return encode(json::write(value));
  if (value.IsArray()) {
    HOST_TRY_ASSIGN(const auto items, items_of(parameter, value, encode));
    return joined(items, ",");
  }
  if (value.IsObject()) {
    HOST_TRY_ASSIGN(const auto members, members_of(parameter, value, encode));
    return joined_members(members, parameter.explode ? "=" : ",", ",");
  }
  const auto text = scalar_text(value);
  if (!text) return cannot_send(parameter, "may not be null");
  return encode(*text);
}

std::string_view separator_of(Style style) {
  if (style == Style::SpaceDelimited) return "%20";
  return style == Style::PipeDelimited ? "%7C" : ",";
}

Result<std::string> query_array(const Parameter& parameter, const json::Value& value) {
  HOST_TRY_ASSIGN(const auto items, items_of(parameter, value, encoded));
  if (items.empty()) return std::string();
  const std::string name = encoded(parameter.name) + "=";
  if (!parameter.explode) return name + joined(items, separator_of(parameter.style));
  return name + joined(items, "&" + name);
}

Result<std::string> query_object(const Parameter& parameter, const json::Value& value,
                                 const std::set<std::string>& taken) {
  HOST_TRY_ASSIGN(const Pairs members, members_of(parameter, value, encoded));
  if (members.empty()) return std::string();
  const std::string name = encoded(parameter.name);
  if (parameter.style == Style::DeepObject) {
    Pairs named;
    for (const auto& [key, text] : members) named.emplace_back(name + "%5B" + key + "%5D", text);
    return joined_members(named, "=", "&");
  }
  if (!parameter.explode) {
    const std::string_view between = separator_of(parameter.style);
    return name + "=" + joined_members(members, between, between);
  }
  for (const auto& member : value.GetObject()) {
    const std::string_view name_of_member = json::text(member.name);
    if (is_override_query(name_of_member))
      return cannot_send(parameter, "has a member that could change the method of the request");
    if (taken.contains(std::string(name_of_member)))
      return cannot_send(parameter, "has a member with the name of another parameter");
  }
  return joined_members(members, "=", "&");
}

}  // namespace

std::string encoded(std::string_view text) {
  return boost::urls::encode(text, boost::urls::unreserved_chars);
}

bool has_dot_segment(std::string_view path) {
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find_first_of("/\\", at), path.size());
    std::string segment = lower(path.substr(at, end - at));
    for (std::size_t dot = 0; (dot = segment.find("%2e")) != std::string::npos;)
      segment.replace(dot, 3, ".");
    if (segment == "." || segment == "..") return true;
    at = end + 1;
  }
  return false;
}

// A server may decode a value before it looks at the path, so that no part of it may lead upward.
Result<std::string> path_text(const Parameter& parameter, const json::Value& value) {
  HOST_TRY_ASSIGN(const std::string plain, simple_text(parameter, value, unchanged));
  if (plain.empty()) return cannot_send(parameter, "is a part of the path and may not be empty");
  if (has_dot_segment(plain))
    return cannot_send(parameter, "is a part of the path and may have no segment . or ..");
  return simple_text(parameter, value, encoded);
}

Result<std::string> query_text(const Parameter& parameter, const json::Value& value,
                               const std::set<std::string>& taken) {
  if (parameter.style == Style::Json)
    return encoded(parameter.name) + "=" + encoded(json::write(value));
  if (value.IsArray()) return query_array(parameter, value);
  if (value.IsObject()) return query_object(parameter, value, taken);
  const auto text = scalar_text(value);
  if (!text) return cannot_send(parameter, "may not be null");
  return encoded(parameter.name) + "=" + encoded(*text);
}

Result<std::string> header_text(const Parameter& parameter, const json::Value& value) {
  HOST_TRY_ASSIGN(std::string text, simple_text(parameter, value, unchanged));
  const bool is_clean = std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte != 0x7F;
  });
  if (!is_clean) return cannot_send(parameter, "is a header and may have no control characters");
  if (text.size() > kMostHeaderValue)
    return cannot_send(parameter, "is a header and may have at most 4096 bytes");
  return text;
}

}  // namespace host::upstream::openapi
