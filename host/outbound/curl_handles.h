// Keeps handles of libcurl whose transfers have ended. A new transfer that takes a used handle can
// use the buffers that libcurl has already allocated for it.
#pragma once

#include <curl/curl.h>

#include <vector>

#include "outbound/curl_library.h"

namespace host::outbound {

// The functions of CurlHandles are called on the I/O thread.
class CurlHandles {
 public:
  explicit CurlHandles(const CurlLibrary& curl) : curl_(curl) {}
  ~CurlHandles();
  CurlHandles(const CurlHandles&) = delete;
  CurlHandles& operator=(const CurlHandles&) = delete;

  // Returns a libcurl handle without any options.
  CURL* take();
  // Before give_back(), remove the handle from its multi handle. The strings and lists in the
  // handle's options must exist until give_back() returns.
  void give_back(CURL* handle);

 private:
  const CurlLibrary& curl_;
  std::vector<CURL*> idle_;
};

}  // namespace host::outbound
