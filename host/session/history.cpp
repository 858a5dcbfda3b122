#include "session/history.h"

#include <utility>

namespace host::session {
namespace {

constexpr std::size_t kBytesOfEach = 256;  // what a call takes besides its texts

}  // namespace

std::size_t PastCall::bytes() const {
  return kBytesOfEach + principal.size() + call.size() + tool.size() + arguments.size() +
         outcome.size() + result.size();
}

void History::add(const std::string& session, PastCall call) {
  if (limits_.calls == 0) return;
  if (call.bytes() > limits_.call_bytes) {
    call.arguments = std::string();
    call.result = std::string();
    call.left_out = true;
  }
  const std::size_t size = call.bytes();
  if (size > limits_.bytes || size > limits_.all_bytes) return;
  call.number = ++last_number_;
  const auto of = sessions_.try_emplace(session).first;
  of->second.calls.push_back(all_.insert(all_.end(), {session, std::move(call)}));
  of->second.bytes += size;
  bytes_ += size;
  while (of->second.calls.size() > limits_.calls || of->second.bytes > limits_.bytes)
    drop_oldest(of);
  while (bytes_ > limits_.all_bytes) drop_oldest(sessions_.find(all_.front().session));
}

void History::drop_oldest(BySession::iterator of) {
  const All::iterator oldest = of->second.calls.front();
  const std::size_t size = oldest->call.bytes();
  of->second.bytes -= size;
  bytes_ -= size;
  of->second.calls.pop_front();
  all_.erase(oldest);
  if (of->second.calls.empty()) sessions_.erase(of);
}

void History::forget(std::string_view session) {
  const auto of = sessions_.find(session);
  if (of == sessions_.end()) return;
  for (const All::iterator& one : of->second.calls) all_.erase(one);
  bytes_ -= of->second.bytes;
  sessions_.erase(of);
}

History::Page History::list(std::string_view session, std::string_view principal,
                            std::uint64_t before, std::size_t most) const {
  Page page;
  const auto of = sessions_.find(session);
  if (of == sessions_.end()) return page;
  const auto& calls = of->second.calls;
  for (auto at = calls.rbegin(); at != calls.rend(); ++at) {
    const PastCall& call = (*at)->call;
    if (call.principal != principal || (before > 0 && call.number >= before)) continue;
    if (page.calls.size() == most) {
      page.more = true;
      break;
    }
    page.calls.push_back(&call);
  }
  return page;
}

}  // namespace host::session
