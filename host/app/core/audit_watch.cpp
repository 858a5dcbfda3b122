#include "app/core/audit_watch.h"

#include <chrono>
#include <utility>

#include "base/process/spawn.h"

namespace host::app {
namespace {

constexpr std::chrono::milliseconds kTryEvery{1000};

}  // namespace

AuditWatch::AuditWatch(boost::asio::any_io_executor io, store::Audit& audit)
    : audit_(audit), pause_(std::move(io)) {
  audit_.on_fault([this] { try_again(); });
}

void AuditWatch::try_again() {
  if (stopping_) return;
  pause_.expires_after(kTryEvery);
  pause_.async_wait([this](boost::system::error_code error) {
    if (error || stopping_) return;
    spawn(pause_.get_executor(), {"app", "tries the audit again"}, recover());
  });
}

boost::asio::awaitable<void> AuditWatch::recover() {
  co_await audit_.recover();
  if (!audit_.fault().empty()) try_again();
}

void AuditWatch::stop() {
  stopping_ = true;
  pause_.cancel();
}

}  // namespace host::app
