// Writes the call around which an interceptor runs as one text, and reads this text. For the
// functions of tp.interceptor/1, Invocation::context is the text of the intercepted call. The text
// of an intercepted call is part of the wire format between host and worker.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace host::tool {

struct Intercepted {
  std::string_view tool;
  std::string_view provider;
  std::string_view state;  // the state that EnterCall returned; empty: no state
};

// The text of an intercepted call contains the sizes of `tool` and of `provider`, and then the
// texts `tool`, `provider` and `state`.
inline std::string write_intercepted(const Intercepted& of) {
  const std::uint32_t sizes[] = {static_cast<std::uint32_t>(of.tool.size()),
                                 static_cast<std::uint32_t>(of.provider.size())};
  std::string out;
  out.reserve(sizeof sizes + of.tool.size() + of.provider.size() + of.state.size());
  out.append(reinterpret_cast<const char*>(sizes), sizeof sizes);
  return out.append(of.tool).append(of.provider).append(of.state);
}

// Returns nullopt if write_intercepted() did not write the text.
inline std::optional<Intercepted> read_intercepted(std::string_view text) {
  std::uint32_t sizes[2];
  if (text.size() < sizeof sizes) return std::nullopt;
  std::memcpy(sizes, text.data(), sizeof sizes);
  text.remove_prefix(sizeof sizes);
  if (std::uint64_t{sizes[0]} + sizes[1] > text.size()) return std::nullopt;
  return Intercepted{text.substr(0, sizes[0]), text.substr(sizes[0], sizes[1]),
                     text.substr(sizes[0] + sizes[1])};
}

}  // namespace host::tool
