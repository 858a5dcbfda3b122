// What lies next to a library and says whose it is: a signature of minisign, a line of sha256sum;
// and a public key as the configuration has it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/minisign.h"
#include "plugin/file/origin_check.h"

namespace {

void must(bool held) {
  if (!held) std::abort();
}

bool is_small_hex(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

void read_signature(std::string_view text) {
  static const auto key =
      host::read_minisign_key("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3");
  must(key.has_value());
  const auto signature = host::read_minisign_signature(text);
  if (!signature) return must(!signature.error().message.empty());
  must(text.find(signature->trusted_comment) != std::string_view::npos);
  must(signature->trusted_comment.find('\n') == std::string::npos);
  must(host::to_string(signature->key).size() == 16);
  // The corpus has signatures of these bytes, and nobody can make one of others.
  must(!host::is_signed_by(*key, *signature, "other bytes"));
  static_cast<void>(host::is_signed_by(*key, *signature, "test"));
  static_cast<void>(host::vouches_for_comment(*key, *signature));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Its own buffer, so that the sanitizer sees a read past its end.
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read_signature(bytes);
  const auto key = host::read_minisign_key(bytes);
  must(key || !key.error().message.empty());
  const auto hash = host::plugin::published_sha256(bytes, "p.so");
  must(hash ? is_small_hex(*hash) : !hash.error().message.empty());
  return 0;
}
