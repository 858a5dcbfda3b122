// tp.args/1: the arguments of a call, for plugins without a JSON reader.
#include <toolpost/ext/args.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>

#include "json/json.h"
#include "plugin/instance/abi_text.h"
#include "plugin/instance/call_table.h"
#include "plugin/instance/extensions/tables.h"

namespace host::plugin {
namespace {

// The arguments, read at their first use; null: the call's text is not there any more, or no JSON.
const json::Document* arguments_of(CallInfo& info) {
  if (!info.arguments) {
    auto read = json::parse(info.input);
    if (info.input.empty() || !read) return nullptr;
    info.arguments = std::make_shared<const json::Document>(std::move(*read));
  }
  return info.arguments.get();
}

// What `take` makes of the value at a pointer; it returns nullopt for another type.
template <class T, class Take>
tp_status value_at(const tp_call* call, tp_str pointer, T* value, Take take) {
  if (!readable(pointer) || !value) return TP_E_INVALID;
  const auto act = [&](CallSink&, CallInfo& info) -> tp_status {
    const json::Document* const all = arguments_of(info);
    const json::Value* const found = all ? json::at(all->root(), view(pointer)) : nullptr;
    if (!found || found->IsNull()) return TP_E_UNSUPPORTED;
    const std::optional<T> taken = take(*found);
    if (!taken) return TP_E_INVALID;
    *value = *taken;
    return TP_OK;
  };
  return CallTable::of_process().with(call, act).value_or(TP_E_CANCELLED);
}

tp_status text(const tp_call* call, tp_str pointer, tp_str* value) {
  return value_at(call, pointer, value, [](const json::Value& found) {
    return found.IsString() ? std::optional(lend(json::text(found))) : std::nullopt;
  });
}

tp_status integer(const tp_call* call, tp_str pointer, std::int64_t* value) {
  return value_at(call, pointer, value, [](const json::Value& found) {
    constexpr double kBound = 9223372036854775808.0;  // 2^63
    if (found.IsInt64()) return std::optional(found.GetInt64());
    const double real = found.IsDouble() ? found.GetDouble() : kBound;
    const bool whole = real >= -kBound && real < kBound && std::trunc(real) == real;
    return whole ? std::optional(static_cast<std::int64_t>(real)) : std::nullopt;
  });
}

tp_status number(const tp_call* call, tp_str pointer, double* value) {
  return value_at(call, pointer, value, [](const json::Value& found) {
    return found.IsNumber() ? std::optional(found.GetDouble()) : std::nullopt;
  });
}

tp_status truth(const tp_call* call, tp_str pointer, std::int32_t* value) {
  return value_at(call, pointer, value, [](const json::Value& found) {
    return found.IsBool() ? std::optional<std::int32_t>(found.GetBool() ? 1 : 0) : std::nullopt;
  });
}

tp_status count(const tp_call* call, tp_str pointer, std::uint64_t* value) {
  return value_at(call, pointer, value, [](const json::Value& found) {
    if (found.IsArray()) return std::optional<std::uint64_t>(found.Size());
    if (found.IsObject()) return std::optional<std::uint64_t>(found.MemberCount());
    return std::optional<std::uint64_t>();
  });
}

}  // namespace

extern const tp_args_api kArgsTable = {
    sizeof(tp_args_api), 0, &text, &integer, &number, &truth, &count};

}  // namespace host::plugin
