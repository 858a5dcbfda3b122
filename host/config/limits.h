// The limits of a host, which the section [limits] of config.toml sets.
#pragma once

#include <chrono>
#include <cstdint>

namespace host::config {

using Seconds = std::chrono::milliseconds;

struct Limits {
  std::uint64_t body_bytes = 4u << 20u;
  std::uint64_t line_bytes = 4u << 20u;  // size of one line on stdio
  std::uint32_t header_bytes = 32u << 10u;
  std::uint32_t json_depth = 128;
  std::uint32_t id_bytes = 1024;  // maximum size of a request's id, if the id is a string
  std::uint32_t connections = 16'384;
  std::uint32_t connections_per_address = 512;    // connections of clients without a key
  std::uint32_t connections_per_principal = 512;  // connections of clients with a key
  // The number of connections that the host still accepts after a limit of connections is reached.
  // The reserved connections are for known principals, the console and /healthz.
  std::uint32_t connections_kept_back = 32;
  std::uint64_t bodies_bytes = 256u << 20u;  // total size of the bodies of all requests in flight
  std::uint64_t bodies_bytes_per_principal = 64u << 20u;
  std::uint32_t sessions = 10'000;
  std::uint32_t sessions_per_principal = 1'000;
  Seconds session_idle{std::chrono::minutes(30)};
  // The limits for sessions that were made with POST /v1/sessions.
  std::uint32_t kept_sessions = 10'000;
  std::uint32_t kept_sessions_per_principal = 1'000;
  Seconds kept_session_idle{std::chrono::hours(24 * 7)};
  std::uint32_t session_bytes = 256u << 10u;      // size of one session's tools, context and names
  std::uint32_t session_tools = 256;              // number of tools of one session's client
  std::uint32_t session_tool_bytes = 64u << 10u;  // size of one tool's definition as JSON
  std::uint32_t todos = 100;                      // number of todos of one session
  std::uint32_t todo_bytes = 16u << 10u;          // size of all todo texts of one session
  Seconds header_timeout{std::chrono::seconds(15)};
  Seconds body_timeout{std::chrono::seconds(15)};
  Seconds request_timeout{std::chrono::seconds(60)};  // time from the first byte to the last one
  Seconds keep_alive{std::chrono::seconds(60)};
  Seconds write_timeout{std::chrono::seconds(30)};
  // The maximum number of HTTP requests that one principal, or one address, can send within
  // requests_window_s. 0: no limit.
  std::uint32_t requests_per_principal = 0;
  std::uint32_t requests_per_address = 0;  // requests of clients without a valid key
  std::uint32_t requests_window_s = 60;    // whole seconds, as in the header fields
  std::uint32_t running_per_principal = 64;
  std::uint32_t queued_per_principal = 256;
  std::uint32_t kept_for_others = 1;   // units of a shared limit that one principal must leave free
  std::uint32_t subscriptions = 1024;  // open streams: listen streams, and GET streams of sessions
  std::uint32_t subscriptions_per_principal = 256;
  std::uint32_t event_streams_per_principal = 32;  // open streams of /v1/events
  std::uint32_t resource_subscriptions = 256;      // subscriptions per session or listen stream
  std::uint32_t tasks = 1024;                      // number of tasks, running or ended
  std::uint32_t tasks_per_principal = 256;
  Seconds task_ttl{std::chrono::hours(1)};  // time from a task's creation to its removal
  std::uint32_t detached_calls = 20'000;    // number of detached calls: waiting, running or ended
  std::uint32_t detached_calls_per_principal = 5'000;
  std::uint64_t detached_bytes_per_principal = 64u << 20u;  // size of arguments and results
  std::uint32_t history_calls = 100;  // calls of one session that plugins may read; 0: none
  std::uint32_t history_bytes_per_session = 256u << 10u;
  std::uint64_t history_bytes = 64u << 20u;           // size of the histories of all sessions
  std::uint32_t approvals_per_principal = 64;         // number of pending requests
  std::uint32_t approvals_kept_per_principal = 1000;  // requests that ended without a decision
  std::uint32_t approval_arguments_bytes = 1u << 20u;
  std::uint32_t idempotency_keys_per_principal = 10'000;
  std::uint64_t idempotency_bytes_per_principal = 64u << 20u;  // size of stored results
  std::uint64_t file_bytes = std::uint64_t{2} << 30u;          // size of one uploaded file
  std::uint32_t files_per_principal = 1'000;
  std::uint64_t file_bytes_per_principal = std::uint64_t{8} << 30u;
  std::uint64_t files_bytes = std::uint64_t{64} << 30u;  // size of the files of all principals
  std::uint32_t uploads_per_principal = 64;              // number of uploads at the same time
  std::uint32_t attachments_per_call = 16;
  std::uint32_t webhooks = 512;  // number of webhooks of all principals
  std::uint32_t webhooks_per_principal = 16;
  std::uint32_t webhook_waiting = 100'000;            // waiting deliveries of one principal
  std::uint32_t webhook_dead = 1'000;                 // number of dead letters of one webhook
  std::uint32_t result_bytes = 16u << 20u;            // size of one call's result
  std::uint32_t inline_blob_bytes = 1u << 20u;        // a larger blob becomes a file (result_links)
  std::uint32_t page_size = 100;                      // entries on one page of a list
  std::uint64_t upstream_message_bytes = 16u << 20u;  // size of one message of an upstream
  // The maximum number of bytes per second that the host reads from one upstream, over all streams
  // of the upstream together. Above upstream_bytes_per_s, the host pauses reading.
  std::uint64_t upstream_bytes_per_s = 64u << 20u;
  std::uint32_t upstream_tools = 1000;      // number of tools of one upstream
  std::uint32_t upstream_resources = 1000;  // number of resources, of templates and of prompts
  std::uint32_t upstream_pages = 100;       // maximum number of pages of one list of an upstream
  // The maximum number of messages per second that the host reads from one upstream, not counting
  // answers to the host's requests. Above upstream_messages_per_s, the host pauses reading.
  std::uint32_t upstream_messages_per_s = 1000;
  // The maximum number of calls to one upstream that can wait for the answers of their clients at
  // the same time.
  std::uint32_t upstream_parked_calls = 64;

  bool operator==(const Limits&) const = default;
};

}  // namespace host::config
