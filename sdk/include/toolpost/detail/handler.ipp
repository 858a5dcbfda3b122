// The bodies of handler.hpp.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>

#include "toolpost/detail/handler.hpp"

namespace toolpost {
inline namespace v1 {
namespace detail {

TOOLPOST_INLINE ToolFunction::~ToolFunction() = default;

TOOLPOST_INLINE tp_status guarded(const Context& context, FunctionRef<tp_status()> body) noexcept {
  const auto tell = [&](std::string_view message, std::int32_t code, std::string_view data) {
    report_error(context, code, message, data);
    return TP_OK;
  };
  try {
    return body();
  } catch (const Cancelled&) {
    return TP_E_CANCELLED;
  } catch (const Asked&) {
    return TP_OK;
  } catch (const Unanswerable&) {
    return TP_E_UNSUPPORTED;
  } catch (const Error& error) {
    return tell(error.what(), error.code(), error.data());
  } catch (const Fault& fault) {
    tell(fault.what(), 0, {});
    return TP_E_INTERNAL;
  } catch (const std::bad_alloc&) {
    return TP_E_NOMEM;
  } catch (const std::exception& error) {
    context.log(LogLevel::Error, error.what());
    return tell(error.what(), 0, {});
  } catch (...) {
    context.log(LogLevel::Error, "the tool threw something that is no std::exception");
    return TP_E_INTERNAL;
  }
}

TOOLPOST_INLINE tp_status left_to_pending(const Context& context,
                                          FunctionRef<void()> body) noexcept {
  // If body() throws, its Pending has ended the call. Then nobody may use the call's handle.
  try {
    body();
  } catch (const std::exception& error) {
    context.host().log(LogLevel::Error, error.what());
  } catch (...) {
    context.host().log(LogLevel::Error, "the tool threw something that is no std::exception");
  }
  return TP_PENDING;
}

TOOLPOST_INLINE Check read_check(std::string_view check) {
  return read_object<Check>(check, "context");
}

}  // namespace detail

}  // namespace v1
}  // namespace toolpost
