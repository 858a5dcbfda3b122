// The bodies of history.hpp.
#pragma once

#include "toolpost/detail/history.hpp"

namespace toolpost {
inline namespace v1 {

TOOLPOST_INLINE HistoryPage History::list(std::uint32_t most, std::uint64_t before) const {
  const auto answer = detail::wait_for_good([&](const tp_reply* reply) -> tp_status {
    if (api_ == nullptr) return TP_E_UNSUPPORTED;
    return api_->list(host_, call_, before, most, reply);
  });
  HistoryPage page;
  page.more = answer.number != 0;
  detail::Reader in(answer.json, "list");
  detail::Codec<std::vector<PastCall>>::read(in, page.calls);
  return page;
}

}  // namespace v1
}  // namespace toolpost
