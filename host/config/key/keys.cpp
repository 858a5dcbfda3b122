#include "config/key/keys.h"

#include "config/key/form.h"
#include "config/listen_address.h"
#include "json/depth.h"

namespace host::config {
namespace {

constexpr std::string_view kLevels[] = {"trace", "debug",    "info", "warning",
                                        "error", "critical", "off"};
constexpr std::string_view kFormats[] = {"text", "json"};
constexpr std::string_view kModes[] = {"default", "accept_edits", "explore", "bypass", "dont_ask"};
constexpr std::string_view kBehaviors[] = {"allow", "ask", "deny"};
constexpr std::string_view kTrusts[] = {"full", "read_only", "none"};
constexpr std::string_view kIsolations[] = {"worker", "inline"};
constexpr std::string_view kStates[] = {"fresh", "handover", "require"};
constexpr std::string_view kTimeoutErrors[] = {"by-protocol", "result", "rpc-error"};
constexpr std::string_view kConflicts[] = {"refuse", "namespace"};
constexpr std::string_view kQuestions[] = {"elicitation", "sampling", "roots"};
constexpr std::string_view kAskers[] = {"page", "client"};
constexpr std::string_view kAlgorithms[] = {"RS256", "PS256", "ES256", "EdDSA"};
constexpr std::string_view kAnonymous[] = {"loopback", "everywhere", "nobody"};
constexpr std::string_view kErrors[] = {"mcp", "rpc-codes"};
constexpr std::string_view kFailureModes[] = {"closed", "open"};
constexpr std::string_view kPins[] = {"tofu", "review", "off"};
constexpr std::string_view kCovers[] = {"named", "principal", "all"};
constexpr std::string_view kTransports[] = {"auto", "http", "sse"};
constexpr std::string_view kUpstreamAuths[] = {"none", "oauth"};

constexpr double kDay = 86'400;
constexpr Range kTimer{0.001, kDay, "seconds"};

// Of the sandboxes of plugins and of upstreams.
constexpr Range kMemory{0, 1u << 20u, "MiB"};
constexpr Range kFileSize{0, 1u << 24u, "MiB"};
constexpr Range kProcessorTime{0, 366 * kDay, "seconds"};
constexpr Range kUserId{0, 0xFFFF'FFFE, ""};

template <class E>
EnumSlot words_of(E& value) {
  return {&value,
          [](const void* at) { return static_cast<std::size_t>(*static_cast<const E*>(at)); },
          [](void* at, std::size_t index) { *static_cast<E*>(at) = static_cast<E>(index); }};
}

template <class E>
EnumSlot words_of(std::optional<E>& value) {
  return {&value,
          [](const void* at) {
            const auto& held = *static_cast<const std::optional<E>*>(at);
            return held ? static_cast<std::size_t>(*held) : EnumSlot::kUnset;
          },
          [](void* at, std::size_t index) {
            *static_cast<std::optional<E>*>(at) = static_cast<E>(index);
          }};
}

std::vector<Key> server_keys(Server& it) {
  return {{"listen", &it.listen, {}, {}, listen_form},
          {"allowed_hosts", &it.allowed_hosts, {}, {}, host_form},
          {"allowed_origins", &it.allowed_origins, {}, {}, origin_form},
          {"name", &it.name, {}, {}, not_empty},
          {"title", &it.title},
          {"instructions", &it.instructions},
          {"page_dir", &it.page_dir},
          {"stop_timeout_s", &it.stop_timeout, {0, kDay, "seconds"}}};
}

std::vector<Key> auth_keys(Auth& it) {
  return {{"anonymous", words_of(it.anonymous), {}, kAnonymous},
          {"login_s", &it.login, {60, 365 * kDay, "seconds"}},
          {"link_s", &it.link, {1, kDay, "seconds"}},
          {"logins_per_key", &it.logins_per_key, {1, 1000, "logins"}},
          {"logins_per_minute", &it.logins_per_minute, {1, 10'000, "logins"}}};
}

std::vector<Key> oauth_keys(OAuth& it) {
  return {{"issuer", &it.issuer, {}, {}, endpoint_form},
          {"resource", &it.resource, {}, {}, endpoint_form},
          {"jwks_url", &it.jwks_url, {}, {}, endpoint_form},
          {"algorithms", &it.algorithms, {}, kAlgorithms},
          {"scope_call", &it.scope_call, {}, {}, token_scope_form},
          {"scope_approve", &it.scope_approve, {}, {}, token_scope_form},
          {"scope_admin", &it.scope_admin, {}, {}, token_scope_form},
          {"refresh_s", &it.refresh, {10, kDay, "seconds"}},
          {"leeway_s", &it.leeway, {0, 600, "seconds"}}};
}

std::vector<Key> limits_keys(Limits& it) {
  constexpr Range kText{1024, 1u << 30u, "bytes"};
  return {
      {"body_bytes", &it.body_bytes, kText},
      {"line_bytes", &it.line_bytes, kText},
      {"header_bytes", &it.header_bytes, {1024, 1u << 20u, "bytes"}},
      {"json_depth", &it.json_depth, {8, json::kMostDepth, "levels"}},
      {"id_bytes", &it.id_bytes, {16, 4096, "bytes"}},
      {"connections", &it.connections, {1, 1'000'000, ""}},
      {"connections_per_address", &it.connections_per_address, {1, 1'000'000, ""}},
      {"connections_per_principal", &it.connections_per_principal, {1, 1'000'000, ""}},
      {"connections_kept_back", &it.connections_kept_back, {0, 10'000, ""}},
      {"bodies_bytes", &it.bodies_bytes, {1024, double(1ull << 40u), "bytes"}},
      {"bodies_bytes_per_principal",
       &it.bodies_bytes_per_principal,
       {1024, double(1ull << 40u), "bytes"}},
      {"sessions", &it.sessions, {1, 1'000'000, ""}},
      {"sessions_per_principal", &it.sessions_per_principal, {1, 1'000'000, ""}},
      {"session_idle_s", &it.session_idle, {1, 30 * kDay, "seconds"}},
      {"kept_sessions", &it.kept_sessions, {1, 1'000'000, ""}},
      {"kept_sessions_per_principal", &it.kept_sessions_per_principal, {1, 1'000'000, ""}},
      {"kept_session_idle_s", &it.kept_session_idle, {1, 365 * kDay, "seconds"}},
      {"session_bytes", &it.session_bytes, {1024, 16u << 20u, "bytes"}},
      {"session_tools", &it.session_tools, {0, 10'000, "tools"}},
      {"session_tool_bytes", &it.session_tool_bytes, {256, 1u << 20u, "bytes"}},
      {"todos", &it.todos, {1, 1000, "todos"}},
      {"todo_bytes", &it.todo_bytes, {256, 1u << 20u, "bytes"}},
      {"header_timeout_s", &it.header_timeout, kTimer},
      {"body_timeout_s", &it.body_timeout, kTimer},
      {"request_timeout_s", &it.request_timeout, kTimer},
      {"keep_alive_s", &it.keep_alive, kTimer},
      {"write_timeout_s", &it.write_timeout, kTimer},
      {"requests_per_principal", &it.requests_per_principal, {0, 1'000'000, "requests"}},
      {"requests_per_address", &it.requests_per_address, {0, 1'000'000, "requests"}},
      {"requests_window_s", &it.requests_window_s, {1, kDay, "seconds"}},
      {"running_per_principal", &it.running_per_principal, {1, 1'000'000, "calls"}},
      {"queued_per_principal", &it.queued_per_principal, {0, 1'000'000, "calls"}},
      {"kept_for_others", &it.kept_for_others, {0, 1'000, "calls"}},
      {"subscriptions", &it.subscriptions, {0, 1'000'000, "streams"}},
      {"subscriptions_per_principal", &it.subscriptions_per_principal, {0, 1'000'000, "streams"}},
      {"event_streams_per_principal", &it.event_streams_per_principal, {1, 1'000, "streams"}},
      {"resource_subscriptions", &it.resource_subscriptions, {0, 100'000, "resources"}},
      {"tasks", &it.tasks, {0, 1'000'000, "tasks"}},
      {"tasks_per_principal", &it.tasks_per_principal, {0, 1'000'000, "tasks"}},
      {"task_ttl_s", &it.task_ttl, {1, 30 * kDay, "seconds"}},
      {"detached_calls", &it.detached_calls, {0, 1'000'000, "calls"}},
      {"detached_calls_per_principal", &it.detached_calls_per_principal, {0, 1'000'000, "calls"}},
      {"detached_bytes_per_principal",
       &it.detached_bytes_per_principal,
       {1u << 20u, double(1ull << 40u), "bytes"}},
      {"history_calls", &it.history_calls, {0, 1'000, "calls"}},
      {"history_bytes_per_session", &it.history_bytes_per_session, {1024, 2u << 20u, "bytes"}},
      {"history_bytes", &it.history_bytes, {1024, double(1ull << 40u), "bytes"}},
      {"approvals_per_principal", &it.approvals_per_principal, {1, 10'000, "requests"}},
      {"approvals_kept_per_principal",
       &it.approvals_kept_per_principal,
       {1, 1'000'000, "requests"}},
      {"approval_arguments_bytes", &it.approval_arguments_bytes, kText},
      {"idempotency_keys_per_principal",
       &it.idempotency_keys_per_principal,
       {1, 1'000'000, "keys"}},
      {"idempotency_bytes_per_principal",
       &it.idempotency_bytes_per_principal,
       {1u << 20u, double(1ull << 40u), "bytes"}},
      {"file_bytes", &it.file_bytes, {1, double(1ull << 40u), "bytes"}},
      {"files_per_principal", &it.files_per_principal, {1, 1'000'000, "files"}},
      {"file_bytes_per_principal", &it.file_bytes_per_principal, {1, double(1ull << 50u), "bytes"}},
      {"files_bytes", &it.files_bytes, {1, double(1ull << 50u), "bytes"}},
      {"uploads_per_principal", &it.uploads_per_principal, {1, 100'000, "uploads"}},
      {"attachments_per_call", &it.attachments_per_call, {0, 1'000, "files"}},
      {"webhooks", &it.webhooks, {1, 10'000, "webhooks"}},
      {"webhooks_per_principal", &it.webhooks_per_principal, {1, 10'000, "webhooks"}},
      {"webhook_waiting", &it.webhook_waiting, {1, 10'000'000, "deliveries"}},
      {"webhook_dead", &it.webhook_dead, {1, 10'000'000, "deliveries"}},
      {"result_bytes", &it.result_bytes, kText},
      {"inline_blob_bytes", &it.inline_blob_bytes, {0, 1u << 30u, "bytes"}},
      {"page_size", &it.page_size, {1, 10'000, "entries"}},
      {"upstream_message_bytes", &it.upstream_message_bytes, {64u << 10u, 1u << 30u, "bytes"}},
      {"upstream_tools", &it.upstream_tools, {1, 100'000, "tools"}},
      {"upstream_resources", &it.upstream_resources, {0, 100'000, "resources"}},
      {"upstream_pages", &it.upstream_pages, {1, 10'000, "pages"}},
      {"upstream_bytes_per_s", &it.upstream_bytes_per_s, {64u << 10u, 1ull << 40u, "bytes"}},
      {"upstream_messages_per_s", &it.upstream_messages_per_s, {1, 1'000'000, "messages"}},
      {"upstream_parked_calls", &it.upstream_parked_calls, {0, 10'000, "calls"}}};
}

std::vector<Key> call_keys(Call& it) {
  return {{"timeout_s", &it.timeout, kTimer},
          {"timeout_error", &it.timeout_error, {}, kTimeoutErrors},
          {"grace_s", &it.grace, {0, 3600, "seconds"}},
          {"pool_threads", &it.pool_threads, {1, 1024, "threads"}},
          {"queue", &it.queue, {0, 1'000'000, "calls"}},
          {"keep_s", &it.keep, {1, 365 * kDay, "seconds"}},
          {"heartbeat_timeout_s", &it.heartbeat_timeout, {1, kDay, "seconds"}},
          {"pickup_timeout_s", &it.pickup_timeout, {1, 30 * kDay, "seconds"}}};
}

std::vector<Key> permission_keys(Permission& it) {
  return {{"mode", words_of(it.mode), {}, kModes},
          {"working_dirs", &it.working_dirs},
          {"dangerous_paths", &it.dangerous_paths, {}, {}, not_empty}};
}

std::vector<Key> plugins_keys(Plugins& it) {
  return {{"dirs", &it.dirs},
          {"on_conflict", &it.on_conflict, {}, kConflicts},
          {"expected", &it.expected, {}, {}, not_empty},
          {"debounce_s", &it.debounce, {0, 60, "seconds"}},
          {"retire_grace_s", &it.retire_grace, {0, 3600, "seconds"}},
          {"probe_timeout_s", &it.probe_timeout, {0.1, 600, "seconds"}},
          {"drain_timeout_s", &it.drain_timeout, {0, kDay, "seconds"}},
          {"end_timeout_s", &it.end_timeout, {0.1, 60, "seconds"}},
          {"rescan_s", &it.rescan, {0.1, kDay, "seconds"}},
          {"handover_timeout_s", &it.handover_timeout, {0.01, 600, "seconds"}},
          {"idle_stop_s", &it.idle_stop, {0, 30 * kDay, "seconds"}},
          {"rollback_window_s", &it.supervision.rollback_window, {0, kDay, "seconds"}},
          {"rollback_faults", &it.supervision.rollback_faults, {0, 10'000, "calls"}},
          {"restart_pause_s", &it.supervision.restart_pause, {0, 600, "seconds"}},
          {"restart_pause_most_s", &it.supervision.restart_pause_most, {0, kDay, "seconds"}},
          {"restart_healthy_s", &it.supervision.restart_healthy, kTimer},
          {"quarantine_crashes", &it.supervision.quarantine_crashes, {0, 1000, "crashes"}},
          {"quarantine_window_s", &it.supervision.quarantine_window, kTimer},
          {"poison_crashes", &it.supervision.poison_crashes, {0, 1000, "crashes"}},
          {"poison_s", &it.supervision.poison_time, kTimer},
          {"cache_dir", &it.cache_dir},
          {"manifest_cache", &it.manifest_cache},
          {"require_signature", &it.require_signature, {}, {}, signing_key_form},
          {"trusted_dirs", &it.trusted_dirs}};
}

std::vector<Key> skills_keys(Skills& it) {
  return {{"dirs", &it.dirs},
          {"live", &it.live},
          {"catalogue_bytes", &it.catalogue_bytes, {0, 1u << 20u, "bytes"}}};
}

std::vector<Key> outbound_keys(Outbound& it) {
  return {{"timeout_s", &it.timeout, kTimer},
          {"response_bytes", &it.response_bytes, {1024, 15u << 20u, "bytes"}},
          {"redirects", &it.redirects, {0, 20, "redirects"}},
          {"concurrent", &it.concurrent, {1, 10'000, "requests"}},
          {"loopback", &it.loopback, {}, {}, origin_form},
          {"ca_file", &it.ca_file}};
}

std::vector<Key> approval_keys(Approval& it) {
  return {{"ask", &it.ask, {}, kAskers},
          {"wait_s", &it.wait, {0, kDay, "seconds"}},
          {"expire_s", &it.expire, {1, 30 * kDay, "seconds"}},
          {"reject_sticky_s", &it.reject_sticky, {0, kDay, "seconds"}},
          {"keep_s", &it.keep, {3600, 3650 * kDay, "seconds"}},
          {"priv_grace_s", &it.priv_grace, {0, kDay, "seconds"}}};
}

std::vector<Key> store_keys(Store& it) {
  return {{"file", &it.file},
          {"kv_bytes", &it.kv_bytes, {0, 1ull << 40u, "bytes"}},
          {"kv_keys", &it.kv_keys, {0, 10'000'000, "keys"}},
          {"kv_session_ttl_s", &it.kv_session_ttl, {60, 365 * kDay, "seconds"}}};
}

std::vector<Key> audit_keys(Audit& it) {
  return {{"file", &it.file},
          {"table_rows", &it.table_rows, {1, 1'000'000'000, "lines"}},
          {"rotate_bytes", &it.rotate_bytes, {64u << 10u, double(1ull << 40u), "bytes"}},
          {"rotate_s", &it.rotate, {60, 3650 * kDay, "seconds"}},
          {"required", &it.required}};
}

std::vector<Key> log_keys(Log& it) {
  return {{.name = "level", .slot = words_of(it.level), .words = kLevels, .live = true},
          {"format", words_of(it.format), {}, kFormats}};
}

std::vector<Key> upstreams_keys(Upstreams& it) {
  return {{"pin", words_of(it.pin), {}, kPins},
          {"start_timeout_s", &it.start_timeout, kTimer},
          {"probe_timeout_s", &it.probe_timeout, kTimer},
          {"stop_timeout_s", &it.stop_timeout, {0, 600, "seconds"}},
          {"restart_pause_s", &it.restart_pause, kTimer},
          {"restart_pause_most_s", &it.restart_pause_most, kTimer},
          {"login_port", &it.login_port, {0, 65535, ""}}};
}

std::vector<Key> webhooks_keys(Webhooks& it) {
  return {{"timeout_s", &it.timeout, {0.1, 600, "seconds"}},
          {"retry_first_s", &it.retry_first, {0.1, 3600, "seconds"}},
          {"retry_most_s", &it.retry_most, {0.1, 7 * kDay, "seconds"}},
          {"retry_for_s", &it.retry_for, {1, 30 * kDay, "seconds"}},
          {"keep_s", &it.keep, {60, 3650 * kDay, "seconds"}},
          {"per_receiver", &it.per_receiver, {1, 256, "requests"}},
          {"loopback", &it.loopback, {}, {}, origin_form},
          {"internal", &it.internal, {}, {}, https_origin_form}};
}

}  // namespace

std::vector<Section> sections(Config& config) {
  return {{"server", server_keys(config.server)},
          {"auth", auth_keys(config.auth)},
          {"oauth", oauth_keys(config.oauth)},
          {"mcp",
           {{"bare_calls", &config.mcp.bare_calls},
            {"poll_after_s", &config.mcp.poll_after, {0, kDay, "seconds"}}}},
          {"plugins", plugins_keys(config.plugins)},
          {"upstreams", upstreams_keys(config.upstreams)},
          {"sandbox", {{"require", &config.sandbox.require, {}, sandbox::kRequirable}}},
          {"skills", skills_keys(config.skills)},
          {"groups",
           {{"meta_tool", &config.group_tools.meta_tool},
            {"search_above", &config.group_tools.search_above, {0, 1'000'000, "tools"}}}},
          {"permission", permission_keys(config.permission)},
          {"approval", approval_keys(config.approval)},
          {"call", call_keys(config.call)},
          {"idempotency", {{"keep_s", &config.idempotency.keep, {60, 30 * kDay, "seconds"}}}},
          {"files",
           {{"keep_s", &config.files.keep, {1, 365 * kDay, "seconds"}},
            {"url_s", &config.files.url, {1, 7 * kDay, "seconds"}},
            {"upload_timeout_s", &config.files.upload_timeout, {1, kDay, "seconds"}},
            {"result_links", &config.files.result_links}}},
          {"limits", limits_keys(config.limits)},
          {"log", log_keys(config.log)},
          {"audit", audit_keys(config.audit)},
          {"metrics", {{"enabled", &config.metrics.enabled}}},
          {"store", store_keys(config.store)},
          {"outbound", outbound_keys(config.outbound)},
          {"webhooks", webhooks_keys(config.webhooks)}};
}

std::vector<Key> plugin_keys(Plugin& it) {
  return {{"enabled", &it.enabled},
          {"isolation", words_of(it.isolation), {}, kIsolations},
          {"settings", JsonSlot{&it.settings}},
          {"auto_approve", &it.auto_approve},
          {"trust", words_of(it.trust), {}, kTrusts},
          {"trust_read_only", &it.trust_read_only},
          {"group", &it.group, {}, {}, group_form},
          {"timeout_s", &it.timeout, kTimer},
          {"max_inflight", &it.max_inflight, {1, 1'000'000, "calls"}},
          {"workers", &it.workers, {1, 64, "processes"}},
          {"split_read_only", &it.split_read_only},
          {"idle_stop_s", &it.idle_stop, {0, 30 * kDay, "seconds"}},
          {"state", words_of(it.state), {}, kStates},
          {"fs", &it.fs},
          {"sockets", &it.sockets},
          {"exec", &it.exec},
          {"env", &it.env, {}, {}, variable_form},
          {"memory_mib", &it.memory_mib, kMemory},
          {"file_mib", &it.file_mib, kFileSize},
          {"cpu_s", &it.cpu_s, kProcessorTime},
          {"uid", &it.uid, kUserId},
          {"net", &it.net, {}, {}, net_form},
          {"secrets", &it.secrets, {}, {}, variable_form},
          {"history", &it.history}};
}

std::vector<Key> upstream_keys(Upstream& it) {
  return {{"name", &it.name, {}, {}, upstream_name_form, true},
          {"command", &it.command, {}, {}, command_form},
          {.name = "args", .slot = &it.args, .form = argument_form, .repeats = true},
          {"env", JsonSlot{&it.env}},
          {"cwd", &it.cwd},
          {"url", &it.url, {}, {}, upstream_url_form},
          {"openapi", &it.openapi, {}, {}, document_form},
          {"origins", &it.origins, {}, {}, api_origin_form},
          {"credentials", JsonSlot{&it.credentials}},
          {"headers", JsonSlot{&it.headers}},
          {"transport", words_of(it.transport), {}, kTransports},
          {"auth", words_of(it.auth), {}, kUpstreamAuths},
          {"client_id", &it.client_id, {}, {}, client_id_form},
          {"client_secret", JsonSlot{&it.client_secret}},
          {"client_metadata_url", &it.client_metadata_url, {}, {}, client_metadata_form},
          {"scopes", &it.scopes, {}, {}, scope_form},
          {"tools", &it.tools, {}, {}, pattern_form},
          {"tools_denied", &it.tools_denied, {}, {}, pattern_form},
          {"resources", &it.resources, {}, {}, uri_pattern_form},
          {"resources_denied", &it.resources_denied, {}, {}, uri_pattern_form},
          {"prompts", &it.prompts, {}, {}, prompt_pattern_form},
          {"prompts_denied", &it.prompts_denied, {}, {}, prompt_pattern_form},
          {"questions", &it.questions, {}, kQuestions},
          {"presets", JsonSlot{&it.presets}},
          {"group", &it.group, {}, {}, group_form},
          {"auto_approve", &it.auto_approve},
          {"trust_read_only", &it.trust_read_only},
          {"concurrency_safe", &it.concurrency_safe},
          {"timeout_s", &it.timeout, kTimer},
          {"pin", words_of(it.pin), {}, kPins},
          {"lazy", &it.lazy},
          {"idle_stop_s", &it.idle_stop, {0, 30 * kDay, "seconds"}},
          {"max_inflight", &it.max_inflight, {1, 1'000'000, "calls"}},
          {"trace_context", &it.trace_context},
          {"agents", &it.agents, {}, {}, agent_name_form}};
}

std::vector<Key> upstream_sandbox_keys(UpstreamSandbox& it) {
  return {{"fs", &it.fs},
          {"sockets", &it.sockets},
          {"exec", &it.exec},
          {"memory_mib", &it.memory_mib, kMemory},
          {"file_mib", &it.file_mib, kFileSize},
          {"cpu_s", &it.cpu_s, kProcessorTime},
          {"open_files", &it.open_files, {16, 1u << 20u, "files"}},
          {"processes", &it.processes, {0, 1u << 20u, "processes"}},
          {"uid", &it.uid, kUserId}};
}

std::vector<Key> webhook_keys(Webhook& it) {
  return {{"id", &it.id, {}, {}, webhook_id_form, true},
          {"principal", &it.principal, {}, {}, not_empty},
          {"url", &it.url, {}, {}, not_empty, true},
          {"events", &it.events, {}, {}, not_empty},
          {"covers", words_of(it.covers), {}, kCovers},
          {.name = "secret", .slot = JsonSlot{&it.secret}, .required = true},
          {"old_secret", JsonSlot{&it.old_secret}},
          {"description", &it.description}};
}

std::vector<Key> skill_repository_keys(SkillRepository& it) {
  return {{"name", &it.name, {}, {}, upstream_name_form, true},
          {"git", &it.git, {}, {}, git_url_form, true},
          {"ref", &it.ref, {}, {}, git_ref_form},
          {"path", &it.path, {}, {}, git_path_form},
          {"pull_every_s", &it.pull_every, {0, 30 * kDay, "seconds"}},
          {"pin", words_of(it.pin), {}, kPins},
          {"timeout_s", &it.timeout, {1, 3600, "seconds"}},
          {"max_bytes", &it.max_bytes, {64u << 10u, 1u << 30u, "bytes"}},
          {"max_files", &it.max_files, {1, 100'000, "files"}}};
}

std::vector<Key> tool_keys(ToolOverride& it) {
  return {{"enabled", &it.enabled},
          {"presets", JsonSlot{&it.presets}},
          {"extend", JsonSlot{&it.extend}},
          {"timeout_s", &it.timeout, kTimer},
          {"read_only", &it.read_only},
          {"concurrency_safe", &it.concurrency_safe},
          {"idempotent", &it.idempotent},
          {"destructive", &it.destructive},
          {"open_world", &it.open_world},
          {"dangerous_paths", &it.dangerous_paths, {}, {}, not_empty},
          {"auto_approve", &it.auto_approve},
          {"trust", words_of(it.trust), {}, kTrusts}};
}

std::vector<Key> rule_keys(Rule& it) {
  return {{"tool", &it.tool, {}, {}, tool_name_form, true},
          {"content", &it.content, {}, {}, not_empty},
          {"behavior", words_of(it.behavior), {}, kBehaviors, nullptr, true}};
}

std::vector<Key> group_keys(Group& it) {
  return {{"name", &it.name, {}, {}, tool_name_form, true},
          {"description", &it.description, {}, {}, not_empty, true},
          {"active", &it.active},
          {"instructions", &it.instructions},
          {"tools", &it.tools, {}, {}, tool_name_form},
          {"plugins", &it.plugins, {}, {}, plugin_name_form},
          {"upstreams", &it.upstreams, {}, {}, upstream_name_form},
          {"skills", &it.skills, {}, {}, not_empty}};
}

std::vector<Key> interceptor_keys(Interceptor& it) {
  return {{"plugin", &it.plugin, {}, {}, plugin_name_form, true},
          {"tools", &it.tools, {}, {}, pattern_form},
          {"agents", &it.agents, {}, {}, agent_name_form},
          {"timeout_s", &it.timeout, {0.001, 60, "seconds"}},
          {"fail", words_of(it.fail), {}, kFailureModes}};
}

std::vector<Key> agent_keys(Agent& it) {
  return {{"plugins", &it.plugins, {}, {}, plugin_name_form},
          {"groups", &it.groups, {}, {}, tool_name_form},
          {"skills", &it.skills, {}, {}, not_empty},
          {"skill_repositories", &it.skill_repositories, {}, {}, not_empty},
          {"mode", words_of(it.mode), {}, kModes},
          {"working_dirs", &it.working_dirs},
          {"needs_key", &it.needs_key},
          {"running", &it.running, {0, 1'000'000, "calls"}},
          {"queued", &it.queued, {0, 1'000'000, "calls"}},
          {"requests", &it.requests, {0, 1'000'000, "requests"}},
          {"errors", words_of(it.errors), {}, kErrors},
          {"presets", JsonSlot{&it.presets}}};
}

}  // namespace host::config
