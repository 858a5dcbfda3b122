// Keeps idempotency keys reserved for tasks. A task keeps the idempotency key of its call reserved
// while the task waits for its client's answers. After a restart, no call of the task runs until
// the client has answered, so the task itself reserves the key. The functions of KeyClaims are
// called on the I/O thread.
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
  // Reserves an idempotency key for a task whose call does not run. The reservation by hold() ends
  // when the call of the task reserves the key, or with release(). `arguments` is Record::claim.
  virtual void hold(const store::IdempotencyKey& key, std::string_view arguments,
                    const std::string& task) = 0;
  // Reports that the task has ended. The function ends hold(). If a call of the task still runs,
  // the call keeps the idempotency key until it has ended. Later calls with the key do not get the
  // task any more.
  virtual void release(const store::IdempotencyKey& key, std::string_view task) = 0;
  // Reports that the host ended while a call with this key ran, so nobody knows what the call did.
  // For as long as results are stored, a call with this key gets an error and does not run.
  virtual void interrupted(const store::IdempotencyKey& key) = 0;
};

}  // namespace host::task
