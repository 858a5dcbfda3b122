// Implements tp.args/1 for tests. See toolpost/testing.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "toolpost/detail/json.hpp"
#include "toolpost/ext/args.h"
#include "toolpost/testing/call.hpp"

namespace toolpost {
namespace testing {

// Returns the JSON of the member or element `token` of the JSON text `json`.
inline std::optional<std::string> step(const std::string& json, std::string token) {
  for (std::size_t at = 0; (at = token.find('~', at)) != std::string::npos; ++at) {
    token.replace(at, 2, token.substr(at + 1, 1) == "1" ? "/" : "~");
  }
  std::optional<std::string> found;
  detail::Reader in(json, "argument");
  if (in.peek() == '{') {
    in.object([&](std::string_view key) {
      const std::string_view value = in.any();
      if (key == token) found = value;
    });
  } else if (in.peek() == '[') {
    std::size_t index = 0;
    in.array([&] {
      const std::string_view value = in.any();
      if (std::to_string(index++) == token) found = value;
    });
  }
  return found;
}

// Returns the JSON of the argument at a JSON pointer. Returns nullopt if there is no value at the
// pointer, or if the value is null.
inline std::optional<std::string> argument_at(const Call& call, std::string_view pointer) {
  std::optional<std::string> json = call.arguments.empty() ? "{}" : call.arguments;
  while (json && pointer.starts_with('/')) {
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    json = step(*json, std::string(pointer.substr(1, end - 1)));
    pointer.remove_prefix(end);
  }
  return json == "null" ? std::nullopt : json;
}

// take(reader) reads the value, and throws if the value has another type.
template <class T, class Take>
tp_status argument(const tp_call* call, tp_str pointer, T* value, Take take) {
  try {
    const auto json = argument_at(Call::of(call), text(pointer));
    if (!json) return TP_E_UNSUPPORTED;
    detail::Reader in(*json, "argument");
    *value = take(in);
    return TP_OK;
  } catch (const std::exception&) {
    return TP_E_INVALID;
  }
}

inline std::uint64_t count(detail::Reader& in) {
  std::uint64_t found = 0;
  const auto one = [&] { in.any(), ++found; };
  if (in.peek() == '{') {
    in.object([&](std::string_view) { one(); });
  } else {
    in.array(one);
  }
  return found;
}

inline const tp_args_api& args_api() {
  static const tp_args_api api = [] {
    tp_args_api made{};
    made.struct_size = sizeof made;
    made.text = [](const tp_call* call, tp_str pointer, tp_str* value) -> tp_status {
      std::string read;
      const auto take = [](detail::Reader& in) { return in.string(); };
      const tp_status status = argument(call, pointer, &read, take);
      if (status == TP_OK) *value = str(Call::of(call).lent.emplace_back(std::move(read)));
      return status;
    };
    made.integer = [](const tp_call* call, tp_str pointer, std::int64_t* value) -> tp_status {
      return argument(call, pointer, value,
                      [](detail::Reader& in) { return in.integer<std::int64_t>(); });
    };
    made.number = [](const tp_call* call, tp_str pointer, double* value) -> tp_status {
      return argument(call, pointer, value, [](detail::Reader& in) { return in.number(); });
    };
    made.truth = [](const tp_call* call, tp_str pointer, std::int32_t* value) -> tp_status {
      return argument(call, pointer, value,
                      [](detail::Reader& in) { return in.boolean() ? 1 : 0; });
    };
    made.count = [](const tp_call* call, tp_str pointer, std::uint64_t* value) -> tp_status {
      return argument(call, pointer, value, &count);
    };
    return made;
  }();
  return api;
}

}  // namespace testing
}  // namespace toolpost
