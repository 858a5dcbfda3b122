#include "outbound/curl_handles.h"

#include <cstddef>

namespace host::outbound {
namespace {

constexpr std::size_t kMostIdleHandles = 8;  // each keeps some 32 KiB

}  // namespace

CurlHandles::~CurlHandles() {
  for (CURL* const handle : idle_) curl_.easy_cleanup(handle);
}

CURL* CurlHandles::take() {
  if (idle_.empty()) return curl_.easy_init();
  CURL* const handle = idle_.back();
  idle_.pop_back();
  return handle;
}

void CurlHandles::give_back(CURL* handle) {
  if (idle_.size() >= kMostIdleHandles) return curl_.easy_cleanup(handle);
  curl_.easy_reset(handle);
  idle_.push_back(handle);
}

}  // namespace host::outbound
