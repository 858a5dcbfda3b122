// What a plugin asks of a service of the host, and the answer, as both sides of a worker's socket
// write and read them. Inline they travel as they are.
#pragma once

#include <toolpost/plugin.h>

#include <cstdint>
#include <optional>
#include <string>

#include "plugin/wire/frame.h"

namespace host::plugin {

// The numbers go over the wire.
enum class ServiceId : std::uint32_t {
  KvGet = 1,
  KvSet = 2,
  KvRemove = 3,
  KvList = 4,
  CallTool = 16,
  HttpRequest = 32,
  ReportMetrics = 48,
  AttachmentList = 64,
  AttachmentRead = 65,
};

constexpr std::size_t kMostHostCallBytes = 4u << 20u;  // of one request
constexpr std::size_t kMostHostCalls = 1024;           // of one instance that are open at once
constexpr std::size_t kMostReports = 2;                // beside them: of its metrics

struct HostCall {
  std::uint64_t id = 0;    // the asking side's
  std::uint64_t call = 0;  // the tool call that it belongs to, CallInfo::number; 0: none
  ServiceId service{};     // foreign: may be any number
  std::string bytes;       // as the service defines them
};

struct HostAnswer {
  tp_status status = TP_OK;
  std::uint64_t number = 0;
  std::string json;
  std::string bytes;  // where it failed: why, in words
};

void write_host_call(std::string& out, const HostCall& asked);
std::optional<HostCall> read_host_call(const Frame& frame);
// An answer that is too large for a frame is written as TP_E_NOMEM.
void write_host_answer(std::string& out, std::uint64_t id, const HostAnswer& answer);
std::optional<HostAnswer> read_host_answer(const Frame& frame);

}  // namespace host::plugin
