// The bodies of interceptor.hpp.
#pragma once

#include "toolpost/detail/interceptor.hpp"
#include "toolpost/detail/utf8.hpp"

namespace toolpost {
inline namespace v1 {

namespace detail {

TOOLPOST_INLINE std::string json_quoted(std::string_view text) {
  std::string out;
  write_string(out, text);
  return out;
}

// Returns {"name": json, ...}.
TOOLPOST_INLINE std::string json_object_of(const std::map<std::string, std::string>& members) {
  std::string out = "{";
  for (const auto& [name, json] : members) {
    if (out.size() > 1) out += ',';
    write_string(out, name);
    out.append(":").append(json);
  }
  return out + "}";
}

TOOLPOST_INLINE void copy_replaced(
    Reader& in, std::string_view key,
    FunctionRef<std::optional<std::string>(const JsonString&)> replace, std::string& out) {
  const auto add_string = [&](const JsonString& one) {
    const auto replaced = replace(one);
    write_string(out, replaced ? std::string_view(*replaced) : one.text);
  };
  const char first = in.peek();
  bool begun = false;
  if (first == '"') {
    const std::string text = in.string();
    add_string({key, text, false});
  } else if (first == '{') {
    out += '{';
    in.object([&](std::string_view member) {
      const std::string name(member);
      if (std::exchange(begun, true)) out += ',';
      add_string({{}, name, true});
      out += ':';
      copy_replaced(in, name, replace, out);
    });
    out += '}';
  } else if (first == '[') {
    out += '[';
    in.array([&] {
      if (std::exchange(begun, true)) out += ',';
      copy_replaced(in, key, replace, out);
    });
    out += ']';
  } else {
    out += in.any();
  }
}

}  // namespace detail

TOOLPOST_INLINE Verdict Verdict::arguments(Json object) {
  Verdict made;
  made.members_["arguments"] = std::move(object.text);
  return made;
}
TOOLPOST_INLINE Verdict Verdict::result(Json call_tool_result) {
  Verdict made;
  made.members_["result"] = std::move(call_tool_result.text);
  return made;
}
TOOLPOST_INLINE Verdict Verdict::text_result(std::string_view text) {
  return result({R"({"content":[{"type":"text","text":)" + detail::json_quoted(text) + "}]}"});
}
TOOLPOST_INLINE Verdict Verdict::refuse(std::string_view text) {
  Verdict made;
  made.members_["refuse"] = detail::json_quoted(mend_utf8(text));
  return made;
}

TOOLPOST_INLINE Verdict&& Verdict::value(std::string name, std::string_view text) && {
  values_[std::move(name)] = detail::json_quoted(text);
  return std::move(*this);
}
TOOLPOST_INLINE Verdict&& Verdict::entry(std::string type, Json json) && {
  entries_[std::move(type)] = std::move(json.text);
  return std::move(*this);
}
TOOLPOST_INLINE Verdict&& Verdict::state(std::string_view text) && {
  members_["state"] = detail::json_quoted(text);
  return std::move(*this);
}

TOOLPOST_INLINE std::string Verdict::json() const {
  auto members = members_;
  std::map<std::string, std::string> context;
  if (!values_.empty()) context["values"] = detail::json_object_of(values_);
  if (!entries_.empty()) context["entries"] = detail::json_object_of(entries_);
  if (!context.empty()) members["context"] = detail::json_object_of(context);
  return members.empty() ? std::string() : detail::json_object_of(members);
}

TOOLPOST_INLINE Json replace_strings(
    const Json& value, detail::FunctionRef<std::optional<std::string>(const JsonString&)> replace) {
  Json out{{}};
  detail::Reader in(value.text, "value");
  detail::copy_replaced(in, {}, replace, out.text);
  in.end();
  return out;
}

}  // namespace v1
}  // namespace toolpost
