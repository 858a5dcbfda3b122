// Step of the road: a call that carries an idempotency key runs once. Calls of the same principal,
// tool and key that come meanwhile wait for it, on this host and on others of the same store; those
// that come later get its answer. Kept is what the tool answered, its own errors included; a call
// that was denied, took too long or failed with its host may be made again. I/O thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "store/desk.h"
#include "store/idempotency_store.h"
#include "tool/call.h"
#include "tool/tool.h"

namespace host::router {

// The longest key, in bytes.
inline constexpr std::size_t kIdempotencyKeyBytes = 255;

// An outcome: the answer is that of an earlier call, nothing ran.
inline constexpr const char* kReplayed = "replayed";

// Moves the key from the arguments to the call, unless the tool declares a member of that name. An
// answer instead of nothing: it cannot be used.
std::optional<tool::CallResult> take_idempotency_key(tool::Call& call, const tool::Tool& tool);

class Idempotency {
  class Shelf;
  struct Running;

 public:
  struct Settings {
    std::chrono::milliseconds lease{10'000};                // as the store's: IdempotencyBounds
    std::uint32_t waiting = 256;                            // of one principal's calls
    std::function<void(std::string_view)> on_refusal = {};  // "limits.queued_per_principal"
  };
  // `desk`: null where nothing is stored; then a call with a key is refused.
  Idempotency(boost::asio::any_io_executor io, std::shared_ptr<store::Desk> desk,
              Settings settings);

  // The right to run the call of a key; given up at its end, unless its answer was kept.
  class Claim {
   public:
    Claim() = default;
    Claim(Claim&& other) noexcept = default;
    Claim& operator=(Claim&& other) noexcept;
    ~Claim() { end(); }

   private:
    friend class Idempotency;
    void end();

    std::shared_ptr<Shelf> shelf_;  // null: there is no claim
    store::IdempotencyKey key_;
    bool stored_ = false;  // the store knows it, and has to hear of its end
  };

  // Prepared arguments. Waits for a twin of the call. An answer: that of the earlier call, or why
  // there is none. Nothing: `claim` is the call's, which is to run.
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> meet(tool::Call& call,
                                                                       Claim& claim);
  // Stores the answer, if it is one to keep. Does nothing without a claim.
  boost::asio::awaitable<void> keep(const tool::Call& call, const tool::CallResult& result,
                                    Claim& claim);

 private:
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> ask_store(tool::Call& call,
                                                                            const Sha256& arguments,
                                                                            Claim& claim);
  boost::asio::awaitable<Result<void>> wait_for(std::shared_ptr<Running> twin, tool::Call& call);

  const std::shared_ptr<Shelf> shelf_;
};

}  // namespace host::router
