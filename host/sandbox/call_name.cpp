#include "sandbox/call_name.h"

#include <seccomp.h>

#include <cstdlib>
#include <memory>

namespace host::sandbox {

std::string name_of_system_call(std::int32_t number) {
  const std::unique_ptr<char, void (*)(void*)> name(
      ::seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number), std::free);
  return name ? name.get() : std::string();
}

}  // namespace host::sandbox
