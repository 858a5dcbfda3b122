// Keeps the idempotency key of a call reserved while the call's task waits for its client's
// answers. The functions of KeyClaims are called on the I/O thread.
#pragma once

#include <string>
#include <string_view>

#include "store/part/idempotency_store.h"
#include "tool/call/record.h"

namespace host::task {

inline store::IdempotencyKey idempotency_key_of(const tool::Record& record) {
  return {record.principal, record.key_tool, record.idempotency_key};
}

class KeyClaims {
 public:
  virtual ~KeyClaims() = default;
  // Reports that the call with the id `call` has become the task `task`. Returns the SHA-256 of the
  // call's arguments in bytes, for Record::claim. The returned text is empty if the call has
  // reserved no idempotency key.
  virtual std::string became_task(const std::string& principal, std::string_view call,
                                  const std::string& task) = 0;
  // Reserves an idempotency key for a task whose call does not run. hold() reserves the key until
  // the call of the task reserves the key itself, or until release(). `arguments` is Record::claim.
  virtual void hold(const store::IdempotencyKey& key, std::string_view arguments,
                    const std::string& task) = 0;
  // Reports that the task has ended. The function ends hold(). If a call of the task still runs,
  // the call keeps the idempotency key until it has ended. After release(), new calls with the
  // idempotency key do not get the task. If the task has begun its call and the call must not run
  // a second time, `must_not_repeat` is true. Then new calls get an error as after interrupted(),
  // unless the call of the task has stored its result.
  virtual void release(const store::IdempotencyKey& key, std::string_view task,
                       bool must_not_repeat) = 0;
  // Reports that the host ended while a call with this key ran, so nobody knows what the call did.
  // The host answers new calls with the same idempotency key with an error until the key expires.
  virtual void interrupted(const store::IdempotencyKey& key) = 0;
};

}  // namespace host::task
