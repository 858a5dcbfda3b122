#include "plugin/services/desk.h"

#include <utility>
#include <vector>

namespace host::plugin {
namespace {

std::size_t reports_beside(const HostCall& asked) {
  return asked.service == ServiceId::ReportMetrics ? kMostReports : 0;
}

}  // namespace

bool Desk::has_room_for(const HostCall& asked) const {
  return *bytes_ + asked.bytes.size() <=
         kMostOpenBytes + reports_beside(asked) * kMostHostCallBytes;
}

std::shared_ptr<const void> Desk::take_room(std::size_t bytes) {
  *bytes_ += bytes;
  return {nullptr, [all = bytes_, bytes](const void*) { *all -= bytes; }};
}

Result<void> Desk::take(HostCall asked) {
  if (closed_) return {};
  const std::uint64_t id = asked.id;
  if (open_.contains(id)) {
    return Error{ErrorKind::PluginFault, "broken frame: a request that is there already"};
  }
  const auto refuse = [&](tp_status status, const char* why) {
    answer_(id, {status, 0, {}, why});
    return Result<void>();
  };
  if (!table_) return refuse(TP_E_UNSUPPORTED, "this host offers no services");
  const std::size_t most = kMostHostCalls + reports_beside(asked);
  if (open_.size() >= most) return refuse(TP_E_BUSY, "too many requests are open");
  if (asked.bytes.size() > kMostHostCallBytes) return refuse(TP_E_NOMEM, "more than 4 MiB");
  if (!has_room_for(asked)) return refuse(TP_E_BUSY, "the open requests have too many bytes");
  std::shared_ptr<tool::Invocation> call = asked.call == 0 ? nullptr : find_(asked.call);
  if (asked.call != 0 && !call) return refuse(TP_E_CANCELLED, "its call has ended");

  auto answer = [desk = weak_from_this(), id](HostAnswer given) {
    if (const auto there = desk.lock()) there->answered(id, std::move(given));
  };
  auto room = take_room(asked.bytes.size());
  const auto service_call = std::make_shared<ServiceCall>(
      plugin_, std::move(call), std::move(asked.bytes), std::move(answer));
  service_call->settings = settings_;
  service_call->room = std::move(room);
  open_.emplace(id, Open{asked.call, service_call});
  table_->start(asked.service, service_call);
  return {};
}

void Desk::answered(std::uint64_t id, HostAnswer answer) {
  if (open_.erase(id) > 0) answer_(id, std::move(answer));
}

void Desk::drop(std::uint64_t id) {
  const auto at = open_.find(id);
  if (at == open_.end()) return;  // it was answered while the wish was on its way
  const std::shared_ptr<ServiceCall> asked = at->second.asked;
  open_.erase(at);
  asked->cancel->request();
}

void Desk::call_ended(std::uint64_t call) {
  if (open_.empty()) return;
  std::vector<std::uint64_t> ended;
  for (const auto& [id, open] : open_) {
    if (open.call == call) ended.push_back(id);
  }
  for (const std::uint64_t id : ended) {
    drop(id);
    answer_(id, {TP_E_CANCELLED, 0, {}, "its call has ended"});
  }
}

void Desk::close() {
  closed_ = true;
  for (auto& [id, open] : std::exchange(open_, {})) open.asked->cancel->request();
}

}  // namespace host::plugin
