// One tool that an author would like to hear about, in a library that is built oddly.
#include <stdexcept>

#include "toolpost/toolpost.hpp"

#if defined(ODD_UNIQUE)
#if defined(__clang__)  // writes no unique symbols
asm(R"(
.pushsection .bss
.balign 4
.globl _ZZ14shared_countervE5count
.type _ZZ14shared_countervE5count, @gnu_unique_object
.size _ZZ14shared_countervE5count, 4
_ZZ14shared_countervE5count: .zero 4
.popsection
)");
__attribute__((visibility("default"))) extern int shared_count asm("_ZZ14shared_countervE5count");
int& shared_counter() {
  return shared_count;
}
#else  // a unique symbol, because this library is built without -fno-gnu-unique
__attribute__((visibility("default"))) inline int& shared_counter() {
  static int count = 0;
  return count;
}
#endif
#elif defined(ODD_UNDEFINED)
#if !defined(ODD_SYMBOL)
#define ODD_SYMBOL "nowhere_to_be_found"
#endif
int nowhere_to_be_found() asm(ODD_SYMBOL);
#elif defined(ODD_TLS)
thread_local int odd_of_thread = 0;
#elif defined(ODD_EXPORT)
extern "C" TP_EXPORT int odd_also_exported() {
  return 1;
}
#endif

namespace {

int number() {
#if defined(ODD_UNIQUE)
  return ++shared_counter();
#elif defined(ODD_UNDEFINED)
  return nowhere_to_be_found();
#elif defined(ODD_TLS)
  return ++odd_of_thread;
#else
  return 1;
#endif
}

const char* version() {
#if defined(ODD_INDESCRIBABLE)
  throw std::logic_error("nobody knows its version");
#endif
  return "1";
}

struct Terse {
  int x;
  TOOLPOST_FIELDS(Terse, TOOLPOST_FIELD(x, "", toolpost::minimum(3)))
};

int strict(const Terse& args) {
  if (args.x < 3) throw toolpost::ArgumentError("/x", "is too small");
  return args.x;
}

}  // namespace

TOOLPOST_PLUGIN(toolpost::Plugin<>({.id = "org.example.odd",
                                    .name = "Odd",
                                    .version = version(),
                                    .vendor = "Example Ltd",
                                    .license = "Apache-2.0",
                                    .build_info = "made by a test",
                                    .permissions = {"net:https://example.org",
                                                    "fs:ro:/srv/\x1b[1mdata"}})
                    .tool("odd_number", "Give a number", number, {.read_only = true})
                    .tool("odd_strict", "Strict", strict, {.read_only = true})
                    .tool("odd_write", "Write something somewhere", number))
