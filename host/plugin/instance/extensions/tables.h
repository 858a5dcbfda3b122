// Each function in this header returns the struct of function pointers of one extension that the
// host offers to plugins.
#pragma once

#include <toolpost/ext/args.h>
#include <toolpost/ext/attachments.h>
#include <toolpost/ext/call_tool.h>
#include <toolpost/ext/config.h>
#include <toolpost/ext/history.h>
#include <toolpost/ext/http.h>
#include <toolpost/ext/kv.h>
#include <toolpost/ext/metrics.h>
#include <toolpost/ext/secrets.h>
#include <toolpost/ext/timer.h>

namespace host::plugin {

extern const tp_args_api kArgsTable;
extern const tp_attachments_api kAttachmentsTable;
extern const tp_call_tool_api kCallToolTable;
extern const tp_config_api kConfigTable;
extern const tp_history_api kHistoryTable;
extern const tp_http_api kHttpTable;
extern const tp_kv_api kKvTable;
extern const tp_metrics_api kMetricsTable;
extern const tp_secrets_api kSecretsTable;
extern const tp_timer_api kTimerTable;

}  // namespace host::plugin
