// The extensions that an instance answers itself, without the host: settings, secrets, timers.
#include <toolpost/ext/config.h>
#include <toolpost/ext/secrets.h>
#include <toolpost/ext/timer.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "plugin/instance/abi_text.h"
#include "plugin/instance/extensions/tables.h"
#include "plugin/instance/instance.h"

namespace host::plugin {
namespace {

constexpr std::size_t kMostTimers = 256;
constexpr std::uint64_t kLongestMs = 10ull * 365 * 24 * 3600 * 1000;

tp_str setting(tp_host* host, tp_str pointer) {
  if (!readable(pointer)) return {nullptr, 0};
  const std::string* const text = Instance::of(host).setting(view(pointer));
  return text ? lend(*text) : tp_str{nullptr, 0};
}

tp_str secret(tp_host* host, tp_str name) {
  if (!readable(name)) return {nullptr, 0};
  const std::string* const value = Instance::of(host).secret(view(name));
  return value ? lend(*value) : tp_str{nullptr, 0};
}

std::uint64_t start_timer(tp_host* host, std::uint64_t delay_ms, std::uint64_t period_ms,
                          void (*act)(void*), void* context) {
  if (!act || delay_ms > kLongestMs || period_ms > kLongestMs) return 0;
  return Instance::of(host).callbacks().start_timer(
      std::chrono::milliseconds(delay_ms), std::chrono::milliseconds(period_ms),
      [act, context] { act(context); }, kMostTimers);
}

tp_status stop_timer(tp_host* host, std::uint64_t timer) {
  return Instance::of(host).callbacks().stop_timer(timer) ? TP_OK : TP_E_INVALID;
}

}  // namespace

extern const tp_config_api kConfigTable = {sizeof(tp_config_api), 0, &setting};
extern const tp_secrets_api kSecretsTable = {sizeof(tp_secrets_api), 0, &secret};
extern const tp_timer_api kTimerTable = {sizeof(tp_timer_api), 0, &start_timer, &stop_timer};

}  // namespace host::plugin
