// The idempotency step of the call pipeline makes sure that repeated calls with the same
// idempotency key run the tool only once. If calls with the same principal, tool and key arrive
// while the first call runs, they wait for its end. Calls on different hosts that share a store
// also wait for each other. Later calls get the stored result of the first call. The host stores
// every result of the tool, even if it is an error result. The host also stores the error if a
// provider failed but may have carried out the call (tool::Call::may_have_acted), or stores what
// an interceptor put in place of this error. The host stores no result if the call was denied,
// timed out or failed because of the host. If no result was stored, a client can send the call
// again with the same key. There is one exception: if the tool has asked its client a question,
// must not be repeated, and the call ends without the tool's result, the host stores the failure
// (router/live/rounds.h).
//
// A first call that runs as a task can wait for its client for a long time. A later call whose
// client uses tasks gets the same task, unless the task has ended. Later calls of clients without
// tasks, or after the end of the task, wait for a limited time. The functions of this header are
// called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "store/desk.h"
#include "store/part/idempotency_store.h"
#include "task/key_claims.h"
#include "tool/call/call.h"
#include "tool/definition/tool.h"

namespace host::router {

// The maximum length of an idempotency key in bytes.
inline constexpr std::size_t kIdempotencyKeyBytes = 255;

// The audit outcome of a call that got the result of an earlier call and did not run.
inline constexpr const char* kReplayed = "replayed";

// Moves the key from the arguments to the call, unless the tool declares an argument with the name
// `idempotency_key`. A null is an absent key. Returns an error result if the key is not valid,
// otherwise nullopt.
std::optional<tool::CallResult> take_idempotency_key(tool::Call& call, const tool::Tool& tool);

class Idempotency final : public task::KeyClaims {
  class Shelf;
  struct Running;
  class Waiter;

 public:
  struct Settings {
    std::uint32_t waiting = 256;  // maximum number of a principal's waiting calls
    std::function<void(std::string_view)> on_refusal = {};  // gets "limits.queued_per_principal"
    // The maximum time that a call waits for an earlier call that can outlive its request.
    std::chrono::milliseconds longest_wait = std::chrono::seconds(60);
  };
  // `desk` is null if there is no store. Without a store, the host refuses calls that have an
  // idempotency key.
  Idempotency(boost::asio::any_io_executor io, std::shared_ptr<store::Desk> desk,
              Settings settings);

  // A claim is the right to run the call with a certain key. The destructor releases the key for
  // other calls, unless a result was stored.
  class Claim {
   public:
    Claim() = default;
    Claim(Claim&& other) noexcept = default;
    Claim& operator=(Claim&& other) noexcept;
    ~Claim() { end(); }
    // Reports that the call has ended, but its tool still runs. Later calls with the idempotency
    // key wait for the tool's end for a limited time.
    void outlive_call();

   private:
    friend class Idempotency;
    void end();

    std::shared_ptr<Shelf> shelf_;  // null: the call has no claim
    store::IdempotencyKey key_;
    bool stored_ = false;  // true: the store has the claim, and must be updated when the claim ends
  };

  // The data of a call that the store needs.
  struct Asked {
    store::IdempotencyKey key;
    Sha256 arguments{};
  };
  // `tool` is the name of the tool to which the key belongs. Call ask() after the call's arguments
  // were prepared.
  static Asked ask(const tool::Call& call, std::string tool);
  // Returns true if this call has the claim and must run. Most calls with a new key get the claim
  // immediately. If claims_at_once() returns false, call meet() with the same arguments.
  bool claims_at_once(const tool::Call& call, const Asked& asked, Claim& claim);
  // meet() waits while an earlier call with the key runs. Returns the result of the earlier call,
  // or its task. Returns an error result if the host cannot know the earlier result. nullopt means
  // that this call has the claim and must run.
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> meet(tool::Call& call,
                                                                       const Asked& asked,
                                                                       Claim& claim);
  // Stores a result of the tool, or of a call that may have acted, for later calls with the key. If
  // the store fails, keep() says so in the result's metadata. If the call has no claim, keep() does
  // nothing. Returns true if the store has the result.
  boost::asio::awaitable<bool> keep(const tool::Call& call, tool::CallResult& result, Claim& claim);

  std::string became_task(const std::string& principal, std::string_view call,
                          const std::string& task) override;
  void hold(const store::IdempotencyKey& key, std::string_view arguments,
            const std::string& task) override;
  void release(const store::IdempotencyKey& key, std::string_view task,
               bool must_not_repeat) override;
  void interrupted(const store::IdempotencyKey& key) override;

 private:
  // Waits for earlier calls of this host with the same key, and then registers the new call in
  // `shelf_`.
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> enter_shelf(tool::Call& call,
                                                                              const Asked& asked,
                                                                              SteadyTime until,
                                                                              Claim& claim);
  void enter_free_shelf(const tool::Call& call, const Asked& asked, Claim& claim);
  bool claims_as_new(const Asked& asked, Claim& claim);
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> ask_store(tool::Call& call,
                                                                            const Sha256& arguments,
                                                                            SteadyTime until,
                                                                            Claim& claim);
  boost::asio::awaitable<Result<void>> wait_for(std::shared_ptr<Running> twin, tool::Call& call,
                                                SteadyTime until);

  const std::shared_ptr<Shelf> shelf_;
};

}  // namespace host::router
