// The requests of a plugin to services of the host, the answers of the services, and the frames for
// both. Inline plugins use HostCall and HostAnswer without a socket.
#pragma once

#include <toolpost/plugin.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/unique_fd.h"
#include "plugin/wire/frame.h"

namespace host::plugin {

// The numbers of the services are part of the wire format.
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
  AttachmentOpen = 66,
  HistoryList = 80,
};

constexpr std::size_t kMostHostCallBytes = 4u << 20u;  // maximum size of one request
// The maximum number of requests of one plugin instance that can wait for answers at the same time.
constexpr std::size_t kMostHostCalls = 1024;
// The maximum number of metric reports of one instance that can wait for answers, in addition to
// kMostHostCalls.
constexpr std::size_t kMostReports = 2;

struct HostCall {
  std::uint64_t id = 0;  // the request's id, chosen by its sender
  // The number (CallInfo::number) of the plugin's call that sent the request, or 0 if no call sent
  // it.
  std::uint64_t call = 0;
  ServiceId service{};  // untrusted: any number
  std::string bytes;    // the request, in the service's format
};

struct HostAnswer {
  tp_status status = TP_OK;
  std::uint64_t number = 0;
  std::string json;
  std::string bytes;  // if the request failed: the reason
  // An open file for the plugin, or null. Code that takes the descriptor with release() must close
  // the descriptor. A frame does not contain the open file itself. The frame's flag kWithFile says
  // that the file is sent with the frame, see passed_files.h.
  std::shared_ptr<UniqueFd> file = {};
};

// Flags of a HostRet frame, which carries a service's answer.
constexpr std::uint16_t kWithFile = 2;  // the file is sent with the frame's first byte
constexpr std::uint16_t kFileLost = 4;  // the system refused to send the file

void write_host_call(std::string& out, const HostCall& asked);
std::optional<HostCall> read_host_call(const Frame& frame);
// write_host_answer() replaces an answer that is too large for a frame by TP_E_NOMEM.
void write_host_answer(std::string& out, std::uint64_t id, const HostAnswer& answer);
std::optional<HostAnswer> read_host_answer(const Frame& frame);
// Changes the flag kWithFile to kFileLost in the frame that begins at out[frame], because the file
// cannot be sent.
void mark_file_lost(std::string& out, std::size_t frame);

}  // namespace host::plugin
