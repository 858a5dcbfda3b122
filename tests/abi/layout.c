/* The layout of the ABI as it ships: what stands here never changes, lines are only added. Compiled
 * as C11 and as C++20. */
#include "toolpost/ext/announce.h"
#include "toolpost/ext/args.h"
#include "toolpost/ext/ask.h"
#include "toolpost/ext/attachments.h"
#include "toolpost/ext/call_tool.h"
#include "toolpost/ext/completion.h"
#include "toolpost/ext/config.h"
#include "toolpost/ext/context.h"
#include "toolpost/ext/history.h"
#include "toolpost/ext/http.h"
#include "toolpost/ext/interceptor.h"
#include "toolpost/ext/kv.h"
#include "toolpost/ext/metrics.h"
#include "toolpost/ext/prompts.h"
#include "toolpost/ext/reply.h"
#include "toolpost/ext/resources.h"
#include "toolpost/ext/secrets.h"
#include "toolpost/ext/selftest.h"
#include "toolpost/ext/timer.h"
#include "toolpost/plugin.h"

#if defined(__cplusplus)
#define CHECK(condition) static_assert(condition, "")
#else
#define CHECK(condition) _Static_assert(condition, "")
#endif
#define AT(type, field, offset) CHECK(offsetof(type, field) == (offset));
#define SIZE(type, size) CHECK(sizeof(type) == (size));

/* clang-format off */
SIZE(tp_str, 16)
AT(tp_str, ptr, 0)
AT(tp_str, len, 8)
SIZE(tp_strs, 16)
AT(tp_strs, items, 0)
AT(tp_strs, count, 8)
SIZE(tp_host_api, 72)
AT(tp_host_api, struct_size, 0)
AT(tp_host_api, abi_minor, 4)
AT(tp_host_api, extension, 8)
AT(tp_host_api, log, 16)
AT(tp_host_api, result, 24)
AT(tp_host_api, error, 32)
AT(tp_host_api, progress, 40)
AT(tp_host_api, cancelled, 48)
AT(tp_host_api, deadline_ns, 56)
AT(tp_host_api, complete, 64)
SIZE(tp_tool, 232)
AT(tp_tool, struct_size, 0)
AT(tp_tool, default_timeout_ms, 4)
AT(tp_tool, flags, 8)
AT(tp_tool, name, 16)
AT(tp_tool, title, 32)
AT(tp_tool, description, 48)
AT(tp_tool, input_schema, 64)
AT(tp_tool, output_schema, 80)
AT(tp_tool, max_inflight, 96)
AT(tp_tool, reserved, 100)
AT(tp_tool, exclusive, 104)
AT(tp_tool, group, 120)
AT(tp_tool, presets, 136)
AT(tp_tool, dangerous_paths, 152)
AT(tp_tool, path_args, 168)
AT(tp_tool, command_arg, 184)
AT(tp_tool, after, 200)
AT(tp_tool, icons, 216)
SIZE(tp_instance_api, 88)
AT(tp_instance_api, struct_size, 0)
AT(tp_instance_api, concurrency, 4)
AT(tp_instance_api, activate, 8)
AT(tp_instance_api, call, 16)
AT(tp_instance_api, cancel, 24)
AT(tp_instance_api, quiesce, 32)
AT(tp_instance_api, destroy, 40)
AT(tp_instance_api, extension, 48)
AT(tp_instance_api, check_permissions, 56)
AT(tp_instance_api, match_rule, 64)
AT(tp_instance_api, generate_suggestions, 72)
AT(tp_instance_api, check_read_only, 80)
SIZE(tp_plugin, 192)
AT(tp_plugin, struct_size, 0)
AT(tp_plugin, abi_major, 4)
AT(tp_plugin, abi_minor, 8)
AT(tp_plugin, flags, 12)
AT(tp_plugin, host_api_min_size, 16)
AT(tp_plugin, tool_count, 20)
AT(tp_plugin, tool_stride, 24)
AT(tp_plugin, reserved, 28)
AT(tp_plugin, tools, 32)
AT(tp_plugin, id, 40)
AT(tp_plugin, name, 56)
AT(tp_plugin, version, 72)
AT(tp_plugin, vendor, 88)
AT(tp_plugin, license, 104)
AT(tp_plugin, build_info, 120)
AT(tp_plugin, required_ext, 136)
AT(tp_plugin, optional_ext, 144)
AT(tp_plugin, permissions, 152)
AT(tp_plugin, create, 168)
AT(tp_plugin, config_schema, 176)
SIZE(tp_args_api, 48)
AT(tp_args_api, text, 8)
AT(tp_args_api, integer, 16)
AT(tp_args_api, number, 24)
AT(tp_args_api, truth, 32)
AT(tp_args_api, count, 40)
SIZE(tp_context_api, 32)
AT(tp_context_api, text, 8)
AT(tp_context_api, value, 16)
AT(tp_context_api, entry, 24)
SIZE(tp_selftest_api, 16)
AT(tp_selftest_api, run, 8)
SIZE(tp_resources_api, 24)
AT(tp_resources_api, list, 8)
AT(tp_resources_api, read, 16)
SIZE(tp_prompts_api, 24)
AT(tp_prompts_api, list, 8)
AT(tp_prompts_api, get, 16)
SIZE(tp_intercepted, 56)
AT(tp_intercepted, struct_size, 0)
AT(tp_intercepted, tool, 8)
AT(tp_intercepted, provider, 24)
AT(tp_intercepted, state, 40)
SIZE(tp_interceptor_api, 40)
AT(tp_interceptor_api, struct_size, 0)
AT(tp_interceptor_api, flags, 4)
AT(tp_interceptor_api, before, 8)
AT(tp_interceptor_api, enter, 16)
AT(tp_interceptor_api, message, 24)
AT(tp_interceptor_api, leave, 32)
SIZE(tp_completion_api, 16)
AT(tp_completion_api, complete, 8)
SIZE(tp_ask_api, 48)
AT(tp_ask_api, abilities, 8)
AT(tp_ask_api, answer, 16)
AT(tp_ask_api, ask, 24)
AT(tp_ask_api, state, 32)
AT(tp_ask_api, keep, 40)
SIZE(tp_announce_api, 40)
AT(tp_announce_api, resources_changed, 8)
AT(tp_announce_api, prompts_changed, 16)
AT(tp_announce_api, resource_updated, 24)
AT(tp_announce_api, offer_tool, 32)
SIZE(tp_answer, 48)
AT(tp_answer, struct_size, 0)
AT(tp_answer, status, 4)
AT(tp_answer, number, 8)
AT(tp_answer, json, 16)
AT(tp_answer, bytes, 32)
SIZE(tp_reply, 24)
AT(tp_reply, struct_size, 0)
AT(tp_reply, flags, 4)
AT(tp_reply, context, 8)
AT(tp_reply, done, 16)
SIZE(tp_kv_api, 40)
AT(tp_kv_api, get, 8)
AT(tp_kv_api, set, 16)
AT(tp_kv_api, remove, 24)
AT(tp_kv_api, list, 32)
SIZE(tp_call_tool_api, 16)
AT(tp_call_tool_api, call, 8)
SIZE(tp_http_api, 16)
AT(tp_http_api, request, 8)
SIZE(tp_config_api, 16)
AT(tp_config_api, get, 8)
SIZE(tp_secrets_api, 16)
AT(tp_secrets_api, get, 8)
SIZE(tp_metric, 72)
AT(tp_metric, kind, 4)
AT(tp_metric, name, 8)
AT(tp_metric, help, 24)
AT(tp_metric, labels, 40)
AT(tp_metric, bounds, 56)
AT(tp_metric, bound_count, 64)
SIZE(tp_metrics_api, 40)
AT(tp_metrics_api, declare, 8)
AT(tp_metrics_api, add, 16)
AT(tp_metrics_api, set, 24)
AT(tp_metrics_api, observe, 32)
SIZE(tp_timer_api, 24)
AT(tp_timer_api, start, 8)
AT(tp_timer_api, stop, 16)
SIZE(tp_attachments_api, 32)
AT(tp_attachments_api, list, 8)
AT(tp_attachments_api, read, 16)
AT(tp_attachments_api, open, 24)
SIZE(tp_history_api, 16)
AT(tp_history_api, list, 8)
/* clang-format on */

CHECK(TP_OK == 0 && TP_PENDING == 1 && TP_E_INVALID == -1 && TP_E_UNSUPPORTED == -2 &&
      TP_E_CANCELLED == -3);
CHECK(TP_E_DEADLINE == -4 && TP_E_DENIED == -5 && TP_E_BUSY == -6 && TP_E_NOMEM == -7 &&
      TP_E_INTERNAL == -8);
CHECK(TP_E_WOULD_WAIT == -9 && TP_E_CONFLICT == -10 && TP_REPLY_WAITS == 1);
CHECK(TP_METRIC_COUNTER == 1 && TP_METRIC_GAUGE == 2 && TP_METRIC_HISTOGRAM == 3);
CHECK(TP_KV_PLUGIN == 0 && TP_KV_SESSION == 1 && TP_KV_ABSENT == 0 && TP_KV_ANY == UINT64_MAX);
CHECK(TP_TEXT == 1 && TP_JSON == 2 && TP_BLOB == 3 && TP_RESOURCE_LINK == 4 && TP_CONTENT == 5);
CHECK(TP_MORE == 0x100 && TP_PARTIAL == 0x200 && TP_SERIAL == 0 && TP_CONCURRENT == 1);
CHECK(TP_ASK_FORM == 1 && TP_ASK_URL == 2 && TP_ASK_SAMPLING == 4 && TP_ASK_SAMPLING_TOOLS == 8 &&
      TP_ASK_ROOTS == 16);
CHECK(TP_TOOL_LONG_RUNNING == 1 << 10 && TP_TOOL_NEEDS_TASK == 1 << 11 &&
      TP_TOOL_ASKS_FIRST == 1 << 12);
CHECK(TP_TOOL_READ_ONLY == 1 && TP_TOOL_NONBLOCKING == 1 << 9 &&
      TP_TOOL_HAS_CHECK_READ_ONLY == 1 << 19);

/* Referred to, so that a linker keeps this file's object. */
int tp_layout_holds(void);
int tp_layout_holds(void) {
  return 1;
}
