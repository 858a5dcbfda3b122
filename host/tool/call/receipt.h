// A receipt is something that a call uses up when it runs: an approval, a one-time code, answers of
// a client.
//
// The checks of the call pipeline find receipts and give them to the call. The call keeps them
// until its provider starts it, and only this spends them. If the call is refused after
// the checks, for whatever reason, its receipts are given back, and a later call can use them.
// I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <vector>

#include "base/result.h"

namespace host::tool {

// A receipt that is destroyed unspent releases what it reserved in memory.
class Receipt {
 public:
  virtual ~Receipt() = default;

  // The call is about to run. Denied: another process has already used the receipt up, so the call
  // must not run.
  virtual boost::asio::awaitable<Result<void>> spend() = 0;
  // The call did not run. May follow spend(), if its provider refused to start it.
  virtual boost::asio::awaitable<void> give_back() = 0;
};

using Receipts = std::vector<std::unique_ptr<Receipt>>;

// Spends the receipts in their order. After an error, the later receipts are not spent.
boost::asio::awaitable<Result<void>> spend(Receipts& receipts);
// Gives the receipts back, the last one first, and clears the vector.
boost::asio::awaitable<void> give_back(Receipts& receipts);

}  // namespace host::tool
