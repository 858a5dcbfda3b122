#include "base/crowd.h"

#include <malloc.h>

#include <algorithm>

namespace host {
namespace {

constexpr std::size_t kCrowd = 64;  // a smaller number frees too little memory

}  // namespace

void Crowd::is(std::size_t now) {
  most_ = std::max(most_, now);
  if (most_ < kCrowd || now > most_ / 4) return;
  most_ = now;
  ::malloc_trim(0);
}

}  // namespace host
